#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# _pressure.sh - sourced after _lib.sh by the tests of reclaim: little free memory,
# swap that costs no disk, and loads. All is put back at the end.
# shellcheck disable=SC2154 # _lib.sh has them

python=${HPBUF_PYTHON:-/usr/bin/python3}
# without what the site adds: it would take longer than the load
load=("$python" -I -S "$(dirname "$0")/_load.py")
pool=/proc/sys/vm/nr_hugepages
pool_was=$(cat $pool 2>/dev/null || echo 0)

# Emulated CPUs that share a real one with others take longer than 20 s for what is
# no lockup, when memory is reclaimed on all of them.
watchdog=/proc/sys/kernel/watchdog_thresh
watchdog_was=$(cat $watchdog 2>/dev/null)
[ -z "$watchdog_was" ] || echo 60 >$watchdog

need_python()
{
	"$python" -I -S -c 'import ctypes, mmap; mmap.MADV_HUGEPAGE' 2>/dev/null ||
		skip_all "needs python3.8: HPBUF_PYTHON=${HPBUF_PYTHON:-}"
}

available_mb()
{
	awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo
}

# fill_memory MB: leave so much available; huge pages nobody uses take the rest
fill_memory()
{
	local take=$((($(available_mb) - $1) / 2))

	[ "$take" -le 0 ] || echo $((pool_was + take)) >$pool
}

# swap_on MB: swap in compressed memory, or skip all
swap_on()
{
	modprobe zram num_devices=1 2>/dev/null || true
	[ -b /dev/zram0 ] || skip_all "needs zram"
	echo "$1M" >/sys/block/zram0/disksize 2>/dev/null
	if ! mkswap /dev/zram0 >/dev/null 2>&1 || ! swapon /dev/zram0; then
		skip_all "needs zram0 for swap"
	fi
}

pressure_off()
{
	"$hpctl" reclaim off -q >/dev/null 2>&1
	swapoff /dev/zram0 2>/dev/null
	[ ! -e /sys/block/zram0/reset ] || echo 1 >/sys/block/zram0/reset
	rmmod zram 2>/dev/null
	echo "$pool_was" >$pool
	[ -z "$watchdog_was" ] || echo "$watchdog_was" >$watchdog
	rmdir "$tmp/cg/limited" 2>/dev/null
	umount "$tmp/cg" 2>/dev/null
	rm -rf "$tmp"
}
trap pressure_off EXIT

# hog MB: beyond what is available
hog()
{
	"${load[@]}" hog $((($(available_mb) + $1) << 20))
}

# limited MB: a cgroup at $tmp/cg/limited that has no more; false where there is none
limited()
{
	mkdir -p "$tmp/cg" && mount -t cgroup2 none "$tmp/cg" || return 1
	echo +memory >"$tmp/cg/cgroup.subtree_control" && mkdir -p "$tmp/cg/limited" &&
		echo "$1M" >"$tmp/cg/limited/memory.max"
}

# limited_hog MB: in there
limited_hog()
{
	(echo "$BASHPID" >"$tmp/cg/limited/cgroup.procs" && exec "${load[@]}" hog $(($1 << 20)))
}

# pair WHAT: "MODULE KERNEL HOLDS" out of $tmp/report
pair()
{
	local what rest

	[ -e "$tmp/pairs" ] || jq -r '.results[0].pairs[] |
		"\(.what)\t\(.module) \(.kernel) \(.holds)"' "$tmp/report" >"$tmp/pairs"
	while IFS=$'\t' read -r what rest; do
		[ "$what" != "$1" ] || echo "$rest"
	done <"$tmp/pairs"
}

report()
{
	rm -f "$tmp/pairs"
	"$hpctl" reclaim show -j >"$tmp/report"
}

# equal WHAT: counted alike, and something was counted
equal()
{
	local m k h

	read -r m k h < <(pair "$1")
	echo "$1: module $m, kernel $k"
	[ "$m" = "$k" ] && [ "$m" -gt 0 ] && [ "$h" = true ]
}

is()
{
	jq -e "$1" "$tmp/report"
}
