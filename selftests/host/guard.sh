#!/bin/bash
# guard.sh - memory that runs short, or swap that grows, while a run is under way ends
# it: exit 3 with the reason, what was measured until then marked partial. The figures
# of /proc/meminfo are made up and change during the run.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

if ! unshare -m true 2>/dev/null; then
	echo "1..0 # SKIP needs root for a mount namespace"
	exit 4
fi

# meminfo AVAILABLE SWAPFREE, of 8 GiB and 1 GiB: kilobytes
meminfo()
{
	printf '%s\n' "MemTotal: 8388608 kB" "MemFree: $1 kB" "MemAvailable: $1 kB" \
		"SwapTotal: 1048576 kB" "SwapFree: $2 kB" >"$tmp/meminfo.new"
	# The same file: it is mounted.
	cat "$tmp/meminfo.new" >"$tmp/meminfo"
}

# begun PID: the command that timeout (PID) runs has worked for a while
begun()
{
	local child

	child=$(pgrep -P "$1" | head -n 1)
	[ -n "$child" ] && awk '{ exit $14 + $15 < 30 }' "/proc/$child/stat" 2>/dev/null
}

# ended NAME AVAILABLE SWAPFREE WORDS: 4 GiB and 1 GiB become these
ended()
{
	local rc pid

	meminfo 4194304 1048576
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -c 'mount --bind "$1" /proc/meminfo || exit 99; shift; exec timeout 60 "$@"' \
		- "$tmp/meminfo" "$hpctl" run get chase -s 4M -r 1000 --ops 1000000 -j \
		--spare 1G >"$tmp/json" 2>"$tmp/err" &
	pid=$!
	for _ in {1..300}; do
		begun $pid && break
		sleep 0.1
	done
	meminfo "$2" "$3"
	sleep 2
	# What is still running now did not look.
	meminfo 4194304 1048576
	kill -TERM $pid 2>/dev/null
	wait $pid
	rc=$?
	if [ $rc = 3 ] && grep -qE "$4" "$tmp/err" && grep -q '"partial": true' "$tmp/json"; then
		result OK "$1"
	else
		result FAIL "$1" "exit $rc: $(tail -n 1 "$tmp/err" | cut -c -200)"
	fi
}

# A look of the guard may find half of the file: that says nothing, and it looks again.
# It may be found by the guard, or when the next run's memory is to be had.
ended "memory runs short" 262144 1048576 "half of --spare was left|could not be had any more"
ended "swap grows" 4194304 524288 "swapped more and more"

meminfo 4194304 1048576
# shellcheck disable=SC2016 # for the inner shell
unshare -m bash -c 'mount --bind "$1" /proc/meminfo || exit 99; shift; exec timeout 60 "$@"' \
	- "$tmp/meminfo" "$hpctl" run get -s 4M -r 5 --ops 20000000 -j --spare 1G \
	>"$tmp/json" 2>"$tmp/err"
rc=$?
if [ $rc = 0 ] || [ $rc = 7 ]; then
	result OK "with enough of both it goes on (exit $rc)"
else
	result FAIL "with enough of both it goes on" "exit $rc: $(tail -n 1 "$tmp/err")"
fi

timeout 60 "$hpctl" run get -s 4M -r 1000 --ops 10000000 --timeout 1s -j >"$tmp/json" 2>"$tmp/err"
rc=$?
if [ $rc = 3 ] && grep -q 'time limit' "$tmp/err" && grep -q '"partial": true' "$tmp/json"; then
	result OK "--timeout"
else
	result FAIL "--timeout" "exit $rc: $(tail -n 1 "$tmp/err")"
fi
finish
