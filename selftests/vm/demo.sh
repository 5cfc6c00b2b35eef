#!/bin/bash
# demo.sh - compare all backings in a guest, then those that need no module here.
#
# usage: demo.sh		(what "make demo" runs)
#	DEMO_KERNEL		6.1, 6.12 (default) or 7.3
#	DEMO_SIZE		bytes of each buffer, default 1G
#	DEMO_WORKLOADS		default: hpctl's own choice
#	DEMO_FLAGS		more for "hpctl compare"
#
# Guarantees: this machine's settings are put back by hpctl, which fills hugetlb
# pools for the run only (--reserve).  Exit status 0 if both comparisons ran; in
# an emulated guest the times say that it works, not how fast.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

ver=${DEMO_KERNEL:-6.12}
size=${DEMO_SIZE:-1G}
mount=/run/hpbuf-demo
hpctl=$top/build/user/hpctl

plain=anon-4k,anon-thp,hugetlb-2m,hugetlb-1g
full=$plain,hugetlbfs:$mount,hpbuf-2m,hpbuf-1g

# The command line, in one place; "-b BACKINGS" follows.
# shellcheck disable=SC2206 # words on purpose
compare=("$hpctl" compare ${DEMO_WORKLOADS:-} --reserve -s "$size" ${DEMO_FLAGS:-})

"$vm/deps.sh"
make -s -j"$(nproc)" -C "$top/user" >&2
"$vm/build-module.sh" "$ver" >&2

say "all backings, in a guest with kernel $ver (emulated: times are not the hardware's)"
status=0
"$vm/run.sh" -k "$ver" -m "${HPBUF_GUEST_MEM:-6G}" -t 900 -- "
	insmod $(printf %q "$top/build/$ver/hpbuf.ko") &&
	mkdir -p $mount && mount -t hugetlbfs -o pagesize=2M hugetlbfs $mount &&
	$(printf '%q ' "${compare[@]}" -b "$full")" || status=$?
case $status in
0)	;;
7)	say "the spread is wide, as it often is under emulation" ; status=0 ;;
*)	say "the comparison in the guest failed (status $status)" ;;
esac

say "the backings that need no module, on this machine"
host=0
"${compare[@]}" -b "$plain" || host=$?
case $host in
0)	;;
3 | 4 | 5) say "not everything can be had here (status $host)" ;;
7)	say "the spread is wide on this machine" ;;
*)	say "the comparison here failed (status $host)" ; [ "$status" != 0 ] || status=$host ;;
esac
exit "$status"
