#!/bin/bash
# check.sh - everything: build, tests on this machine, tests in guests.
#
# usage: check.sh		(what "make check" runs)
#	KERNELS			default "6.1 6.12 7.3"; empty: this machine only
#	HPBUF_TIMEOUT_SCALE	multiplies every time limit, default 1
#	HPBUF_GUEST_MEM		default 6G
#	HPBUF_GUEST_LIMIT	seconds for all tests in one guest, default 1200
#
# Guarantees: the last line is "N passed, N failed, N skipped" over all kernels;
# before it every failed and every skipped test with its reason.  Exit status 0
# only if all was built, every guest booted, something ran, nothing failed and no
# kernel log has a warning.  Logs and raw results stay in build/check/.
#
# Tests find: HPBUF_TOP (the checkout), HPCTL, HPBUF_RESULTS (a directory they
# may write to), HPBUF_PYTHON, HPBUF_LINUX_SRC; in guests also HPBUF_KO and
# HPBUF_GUEST (the series).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

kernels=${KERNELS-$all_kernels}
limit=${HPBUF_GUEST_LIMIT:-1200}
out=$top/build/check
suite=$out/install
extra=()	# failures that no test reports
results=()
started=$SECONDS

rm -rf "$out"
mkdir -p "$out"
cd "$top"

# step NAME COMMAND...: run it into a log; a failure is kept and shown.
step()
{
	local name=$1 t=$SECONDS

	shift
	if "$@" >"$out/$name.log" 2>&1 </dev/null; then
		say "$name: ok ($((SECONDS - t)) s)"
		return 0
	fi
	say "$name: FAILED; the end of $out/$name.log:"
	tail -n 30 "$out/$name.log" >&2
	extra+=(-f "$name failed")
	return 1
}

# progress: of the results on stdin, only the outermost, on stderr.
progress()
{
	grep --line-buffered -E '^(not )?ok ' | sed -u "s/^/  $1: /" >&2 || true
}

run_host()
{
	local HPBUF_RESULTS=$out/host

	export HPBUF_RESULTS
	mkdir -p "$HPBUF_RESULTS"
	"$suite/run_kselftest.sh" -c host 2>&1 </dev/null |
		tee "$out/host.ktap" | progress host || true
	results+=("host=$out/host.ktap")
}

# run_guest VER: the module's tests in one guest.
run_guest()
{
	local ver=$1 rc=0 t=$SECONDS
	local HPBUF_KO=$top/build/$ver/hpbuf.ko HPBUF_RESULTS=$out/$ver

	export HPBUF_KO HPBUF_RESULTS
	"$vm/run.sh" -k "$ver" -m "${HPBUF_GUEST_MEM:-6G}" -t "$limit" \
		-s "$HPBUF_RESULTS" -l "$out/$ver.serial" -- \
		"$suite/run_kselftest.sh" -c module 2>"$out/$ver.run" |
		tee "$out/$ver.ktap" | progress "$ver" || rc=${PIPESTATUS[0]}
	cat "$out/$ver.run" >&2
	results+=("$ver=$out/$ver.ktap")
	case $rc in
	0 | 1)	;;
	124)	extra+=(-f "$ver: guest ran out of time") ;;
	125)	extra+=(-f "$ver: guest died or never came up") ;;
	126)	;;
	*)	extra+=(-f "$ver: guest ended with status $rc") ;;
	esac
	# whatever the status: nothing bad may be in the kernel's log
	logs=("$out/$ver.serial")
	[ ! -e "$out/$ver.serial.dmesg" ] || logs+=("$out/$ver.serial.dmesg")
	while read -r line; do
		extra+=(-f "$ver: kernel log: $line")
	done < <("$vm/scan-log.sh" "${logs[@]}" || true)
	say "$ver: guest done ($((SECONDS - t)) s)"
}

step deps "$vm/deps.sh" || true
step framework "$vm/fetch-kselftest.sh" || true
step user make -C user || true
built=()
for ver in $kernels; do
	if step "kernel-$ver" "$vm/fetch-kernel.sh" "$ver" &&
		step "module-$ver" "$vm/build-module.sh" "$ver" W=1; then
		built+=("$ver")
	fi
done
export HPBUF_TOP=$top HPCTL=$top/build/user/hpctl HPBUF_PYTHON=$python
export HPBUF_LINUX_SRC=$cache/linux-src
if step selftests make -C selftests install INSTALL_PATH="$suite"; then
	run_host
	for ver in "${built[@]}"; do
		run_guest "$ver"
	done
fi

say "$((SECONDS - started)) s in all; logs in $out"
"$python" "$vm/ktap.py" "${extra[@]}" "${results[@]}" | tee "$out/summary"
