#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An allocation that takes longer than a second is told of while it is under way, with
# the id that the buffer then has, and how much is there by now. Threads of real-time
# priority on all CPUs make it take that long.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
for tool in chrt taskset; do
	command -v $tool >/dev/null || skip_all "needs $tool"
done
has_mb=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
# What takes 0.2 s takes 4 s with a twentieth of the CPUs; how much memory that is depends
# on the machine.
ns=$("$hpctl" alloc -s 64M -p 2M --name quick -j | jq '.results[0].alloc_ns // 200000000')
"$hpctl" free quick -q >/dev/null
size_mb=$((64 * 200000000 / ${ns:-200000000}))
size_mb=$(((size_mb < has_mb / 2 ? size_mb : has_mb / 2) / 2 * 2))
plan 5

# events FILTER: of those that came; waits for it
events()
{
	local i

	for ((i = 0; i < 50; i++)); do
		jq -e -s --argjson id "$id" "$1" "$tmp/events" && return 0
		sleep 0.2
	done
	cat "$tmp/events"
	return 1
}

"$hpctl" monitor --events -j >"$tmp/events" 2>"$tmp/err" &
pid=$!
trap 'kill $pid "${hogs[@]}" 2>/dev/null; "$hpctl" free --all -q >/dev/null 2>&1; rm -rf "$tmp"' EXIT
sleep 2
hogs=()
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	# the kernel leaves the others a twentieth
	timeout 240 chrt -f 5 taskset -c $cpu sh -c ': >"$1"; while :; do :; done' - "$tmp/hog$cpu" &
	hogs+=($!)
	for ((i = 0; i < 100; i++)); do
		[ ! -e "$tmp/hog$cpu" ] || break
		sleep 0.1
	done
done
check "memory in 2 MiB pages" "$hpctl" alloc -s "${size_mb}M" -p 2M --name slow -q \
	--timeout 10m -o "$tmp/alloc"
kill "${hogs[@]}"
wait "${hogs[@]}" 2>/dev/null
took=$(jq '.results[0].alloc_ns // 0' "$tmp/alloc")
id=$(jq '.results[0].id // 0' "$tmp/alloc")
check "its end is told" events 'any(.kind == "alloc" and .id == $id and .done_bytes == null)'
if [ "$took" -lt 2500000000 ]; then
	for what in "progress is told of it" "growing, and within its size" "before its end"; do
		skip "$what" "needs an allocation that takes 2.5 s, took $((took / 1000000)) ms"
	done
else
	check "progress is told of it" events 'any(.kind == "progress" and .id == $id)'
	check "growing, and within its size" events '[.[] | select(.kind == "progress" and .id == $id)] |
		all(.page_bytes == 2097152 and .done_bytes <= .bytes and .took_ns >= 1000000000) and
		([.[].done_bytes] | . == sort) and ([.[].took_ns] | . == sort)'
	check "before its end" events 'map(select(.id == $id) | .kind) |
		index("alloc") == length - 1 and length > 1'
fi
kill $pid
wait $pid
"$hpctl" free slow -q >/dev/null
done_testing
