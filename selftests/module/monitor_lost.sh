#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hpctl monitor is stopped while many events come: it goes on afterwards, says how
# many it lost and what buffers there are; the kernel's memory does not grow (C49).
#
# HPBUF_EVENTS	how many, default 20000

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
# shellcheck source=_pressure.sh
. "$(dirname "$0")/_pressure.sh"
need_python
events=${HPBUF_EVENTS:-20000}
plan 12

# kB that the kernel holds for itself; a little moves all the time
kernel_kb()
{
	awk '/^(Slab|Percpu|KernelStack|VmallocUsed):/ { kb += $2 } END { print kb }' /proc/meminfo
}

grew()
{
	local now

	now=$(kernel_kb)
	echo "$1 kB before, $now kB after"
	# the socket's own buffer is 1 MiB, twice that with the kernel's surcharge
	[ $((now - $1)) -lt 8192 ]
}

# told FILTER: among what was printed; waits for it
told()
{
	local i

	for ((i = 0; i < 100; i++)); do
		jq -e -s "$1" "$tmp/out" && return 0
		sleep 0.2
	done
	tail -n 5 "$tmp/out"
	return 1
}

# every number from the first to the last was printed or is in a loss
accounted()
{
	jq -e -s '[.[] | select(.type == "event") | .seq] as $seq |
		([.[] | select(.type == "lost") | .count // 0] | add // 0) as $lost |
		($seq | last) - ($seq | first) + 1 == ($seq | length) + $lost and $lost > 0' "$tmp/out"
}

"$hpctl" alloc -s 2M -p 2M --name stays -q >/dev/null
trap '"$hpctl" free stays -q >/dev/null 2>&1; pressure_off' EXIT
"$hpctl" monitor -j >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 2
"$hpctl" alloc -s 2M -p 2M --name first -q >/dev/null
check "an event comes at once" told 'any(.kind == "alloc")'
kill -STOP $pid
before=$(kernel_kb)
check "$events events while it is stopped" "${load[@]}" fail "$events"
check "what the kernel holds has not grown" grew "$before"
check "requests are answered meanwhile" timeout 10 "$hpctl" list
kill -CONT $pid
check "it tells that some were lost" told 'any(.type == "lost")'
check "and what buffers there are" told 'any(.type == "buffer" and .name == "stays") and any(.type == "sync" and .buffers == 2)'
# give it the time to read what waits, or the next is lost as well
told 'map(select(.type == "event")) | length > 1' >/dev/null
sleep 1
"$hpctl" free first -q >/dev/null
check "it goes on" told 'any(.kind == "free")'
check "how many were lost is told, and adds up" accounted
check "it still runs" kill -0 $pid
"$hpctl" free stays -q >/dev/null
check "unloading ends it" bash -c 'for i in $(seq 50); do rmmod hpbuf 2>/dev/null && exit 0; sleep 0.1; done; exit 1'
wait $pid
rc=$?
check "cleanly" test $rc = 0
check "with a message" grep -q unloaded "$tmp/err"
need_ko
load_module
done_testing
