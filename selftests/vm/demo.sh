#!/bin/bash
# demo.sh - compare all backings in a guest, then those that need no module here.
#
# usage: demo.sh		(what "make demo" runs)
#	DEMO_KERNEL		6.1, 6.12 (default) or 7.3
#	DEMO_SIZE		size of the array here, default 1G
#	DEMO_GUEST_SIZE		and in the guest, default 64M: emulation is slow
#	DEMO_WORKLOADS		default "touch fill get chase"
#	DEMO_FLAGS		more for "hpctl compare", default "-r 3"
#
# Guarantees: this machine's settings are put back by hpctl, which fills hugetlb
# pools for the run only (--reserve).  Exit status 0 if both comparisons ran; in
# an emulated guest the times say that it works, not how fast.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

ver=${DEMO_KERNEL:-6.12}
mount=/run/hpbuf-demo
hpctl=$top/build/user/hpctl

plain=anon-4k,anon-thp,hugetlb-2m,hugetlb-1g
full=$plain,hugetlbfs:$mount,hpbuf-2m,hpbuf-1g

# The command line, in one place; size and backings follow.
# shellcheck disable=SC2206 # words on purpose
compare=("$hpctl" compare ${DEMO_WORKLOADS:-touch fill get chase} --reserve
	--timeout 10m ${DEMO_FLAGS:--r 3})

"$vm/deps.sh"
make -s -j"$(nproc)" -C "$top/user" >&2
log=$top/build/demo.module.log
mkdir -p "$top/build"
"$vm/build-module.sh" "$ver" >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "the module does not build"; }

say "all backings, in a guest with kernel $ver (emulated: times are not the hardware's)"
status=0
"$vm/run.sh" -k "$ver" -m "${HPBUF_GUEST_MEM:-6G}" -t 900 -- "
	insmod $(printf %q "$top/build/$ver/hpbuf.ko") &&
	mkdir -p $mount && mount -t hugetlbfs -o pagesize=2M hugetlbfs $mount &&
	$(printf '%q ' "${compare[@]}" -s "${DEMO_GUEST_SIZE:-64M}" -b "$full")" || status=$?
case $status in
0)	;;
7)	say "the spread is wide, as it often is under emulation" ; status=0 ;;
*)	say "the comparison in the guest failed (status $status)" ;;
esac

say "the backings that need no module, on this machine"
host=0
"${compare[@]}" -s "${DEMO_SIZE:-1G}" -b "$plain" || host=$?
case $host in
0)	;;
3 | 4 | 5) say "what cannot be had here is named above, and the others are compared" ;;
7)	say "the spread is wide on this machine" ;;
*)	say "the comparison here failed (status $host)" ; [ "$status" != 0 ] || status=$host ;;
esac
[ "$status" != 0 ] || say "done: the tables above are of the guest and of this machine"
exit "$status"
