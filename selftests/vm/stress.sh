#!/bin/bash
# stress.sh - everything at once, for minutes, in guests.
#
# usage: stress.sh [OPTIONS]	(what "make stress" runs)
#	MINUTES			in each guest, default 5
#	KERNELS			default "6.12"; also 6.12-debug and 7.3-debug
#	OPTIONS			of the program, as in selftests/stress/stress.c
#				(STRESS_OPTIONS on make's line)
#	HPBUF_TIMEOUT_SCALE	multiplies what is waited for, default 1
#	HPBUF_STRESS_MEM	default 8G
#
# A guest has two NUMA nodes.  The seed is printed; "-s SEED" takes it again.
#
# Guarantees: results, summary and log of each guest are in build/stress/; exit
# status 0 only if every round of every guest passed and no kernel log has a
# warning.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

kernels=${KERNELS-6.12}
minutes=${MINUTES:-5}
out=${HPBUF_STRESS_OUT:-$top/build/stress}
status=0

# What the kernel says of memory that it could not take offline; and 6.12 of a CPU
# that it does, whether the module is loaded or not.
export HPBUF_SCAN_ALLOW='page dumped because: (unmovable page|migration failure)'
HPBUF_SCAN_ALLOW+='|WARNING: .* at kernel/sched/deadline\.c'

mkdir -p "$out"
"$vm/deps.sh"
"$vm/fetch-kselftest.sh"
make -s -j"$(nproc)" -C "$top/user" >&2
make -s -C "$top/selftests" TARGETS=stress >&2
# what runs does not change when somebody builds meanwhile
cp "$top/build/selftests/stress/stress" "$out/stress"
for ver in $kernels; do
	"$vm/build-module.sh" "$ver" >"$out/$ver.module.log" 2>&1 || {
		tail -n 20 "$out/$ver.module.log" >&2
		die "the module does not build for $ver"
	}
	cp "$top/build/$ver/hpbuf.ko" "$out/hpbuf-$ver.ko"
done

# stress_in VER OPTIONS...
stress_in()
{
	local ver=$1 rc=0
	local HPBUF_KO=$out/hpbuf-$1.ko

	shift
	export HPBUF_KO
	say "$ver: $minutes minutes"
	# the limit is for what hangs: quiet points wait for minutes before they fail
	"$vm/run.sh" -k "$ver" -n -m "${HPBUF_STRESS_MEM:-8G}" -l "$out/$ver.serial" \
		-t $((minutes * 90 + 600)) -- "$out/stress" -m "$minutes" "$@" |
		tee "$out/$ver.ktap" || rc=${PIPESTATUS[0]}
	case $rc in
	0)	say "$ver: passed" ;;
	124)	say "$ver: FAILED, the guest ran out of time" ;;
	125)	say "$ver: FAILED, the guest died or never came up" ;;
	126)	say "$ver: FAILED, the kernel log has warnings" ;;
	*)	say "$ver: FAILED (status $rc)" ;;
	esac
	[ "$rc" = 0 ] || status=1
}

for ver in $kernels; do
	stress_in "$ver" "$@"
done
exit "$status"
