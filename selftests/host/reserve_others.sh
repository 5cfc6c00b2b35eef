#!/bin/bash
# reserve_others.sh - a hugetlb pool that somebody else sets while a run holds it, or
# after such a run was killed, is theirs: it is left alone, and that is said.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
if [ "$(id -u)" != 0 ] || [ ! -w $pool ]; then
	echo "1..0 # SKIP needs root and hugetlb pages of 2 MiB"
	exit 4
fi
former=$(cat $pool)
free=$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages)
ours=$((former + 24))
trap 'echo $former >$pool; rm -rf "$tmp"' EXIT

# start OPS: in the background, until the pool is filled and the workload under way
start()
{
	"$hpctl" run get -b hugetlb-2m --reserve -s $(((free + 24) * 2))M -r 1 --ops "$1" -j \
		>"$tmp/json" 2>"$tmp/err" &
	pid=$!
	for _ in $(seq 200); do
		[ "$(cat $pool)" -ge $ours ] && break
		sleep 0.02
	done
	sleep 0.3
	[ "$(cat $pool)" -ge $ours ]
}

# left NAME PAGES FILE WORD: the pool has PAGES, and FILE says so
left()
{
	if [ "$(cat $pool)" = "$2" ] && grep -q "$4.*is left alone; it had $former before" "$3"; then
		result OK "$1"
	else
		result FAIL "$1" "pool $(cat $pool), set to $2, was $former: $(head -n 1 "$3")"
	fi
}

# Stopped while it holds the pool, so that no run is too short for the change.
if ! start 20000000; then
	wait $pid
	echo "1..0 # SKIP needs $ours hugetlb pages: $(grep -o 'asked.*' "$tmp/err" | head -n 1)"
	exit 4
fi
kill -STOP $pid
if [ "$(cat $pool)" = $ours ]; then
	echo $((ours + 6)) >$pool
	kill -CONT $pid
	wait $pid
	rc=$?
	if [ $rc = 0 ] || [ $rc = 7 ]; then
		result OK "the run ends (exit $rc)"
	else
		result FAIL "the run ends" "exit $rc: $(tail -n 1 "$tmp/err")"
	fi
	left "more pages at the end" $((ours + 6)) "$tmp/err" meanwhile
	if grep -q '"code": "pools-changed"' "$tmp/json"; then
		result OK "in the document too"
	else
		result FAIL "in the document too" "no such warning"
	fi
else
	kill -CONT $pid
	wait $pid
	skipped "more pages at the end" "the run was over before it could be met"
fi
echo "$former" >$pool

start 100000000000
kill -KILL $pid
wait $pid 2>/dev/null
echo $((former + 3)) >$pool
timeout 10 "$hpctl" version >"$tmp/out" 2>"$tmp/err"
left "set after SIGKILL" $((former + 3)) "$tmp/err" since
if [ ! -e /run/hpctl/pools ]; then result OK "told once"; else result FAIL "told once" "the journal is there"; fi
finish
