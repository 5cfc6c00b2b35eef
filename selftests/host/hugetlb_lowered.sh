#!/bin/bash
# hugetlb_lowered.sh - a hugetlb cgroup's limit that is lowered in the middle of a run,
# where the kernel answers the next touch with SIGBUS: exit 3, partial results, pools as
# before.
set -u
# In a mount namespace of its own, where the controller's files can be seen.
if [ "${1:-}" != inside ] && unshare -m true 2>/dev/null; then
	exec unshare -m "$0" inside
fi
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
if [ "${1:-}" != inside ] || [ ! -w $pool ]; then
	echo "1..0 # SKIP needs root and hugetlb pages of 2 MiB"
	exit 4
fi
root=$tmp/cgroup
mkdir "$root"
limit=hugetlb.2MB.limit_in_bytes
if ! mount -t cgroup -o hugetlb none "$root" 2>/dev/null; then
	limit=hugetlb.2MB.max
	mount -t cgroup2 none "$root" && echo +hugetlb >"$root/cgroup.subtree_control"
fi 2>/dev/null
group=$root/hpctl-test.$$
mkdir "$group" 2>/dev/null
if [ ! -w "$group/$limit" ]; then
	rmdir "$group" 2>/dev/null
	umount "$root" 2>/dev/null
	echo "1..0 # SKIP the kernel gives no hugetlb controller to either version"
	exit 4
fi
former=$(cat $pool)

# shellcheck disable=SC2016 # for the inner shell
bash -c 'echo $$ >"$1/cgroup.procs" || exit 99; shift; exec timeout 60 "$@"' - "$group" \
	"$hpctl" run touch -b hugetlb-2m --reserve -s 64M -r 1000 -j >"$tmp/json" 2>"$tmp/err" &
pid=$!
for _ in $(seq 100); do
	[ "$(cat $pool)" = "$former" ] || break
	sleep 0.02
done
sleep 0.5
# Version 1 refuses less than is in use at the moment, and there are moments of little.
while kill -0 $pid 2>/dev/null; do
	echo 16M >"$group/$limit" && break
done 2>/dev/null
wait $pid
rc=$?
if [ $rc = 3 ]; then result OK "exits 3"; else result FAIL "exits 3" "$rc: $(tail -n 1 "$tmp/err")"; fi
if grep -q '"partial": true' "$tmp/json" && grep -q 'SIGBUS\|cgroup' "$tmp/err"; then
	result OK "with the reason, and what there was until then"
else
	result FAIL "with the reason, and what there was until then" "$(tail -n 1 "$tmp/err")"
fi
if [ "$(cat $pool)" = "$former" ]; then
	result OK "the pool is as before"
else
	result FAIL "the pool is as before" "$(cat $pool), was $former"
	echo "$former" >$pool
fi
rmdir "$group"
umount "$root"
finish
