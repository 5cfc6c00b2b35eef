#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Requests that the machine cannot meet end at once, say what there is, take
# nothing and log nothing (C35).

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
plan 9

total_kb=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
[ "$total_kb" -lt $((160 << 20)) ] || skip_all "needs less than 160 GiB of memory, found $total_kb kB"

hpctl_log()
{
	klog_since | grep -c hpbuf
}

# settings that a tool must leave alone
settings()
{
	cat /proc/sys/vm/{nr_hugepages,drop_caches,compaction_proactiveness,min_free_kbytes} 2>/dev/null
	cat /sys/kernel/mm/transparent_hugepage/{enabled,defrag} 2>/dev/null
	cat /sys/kernel/mm/hugepages/*/nr_hugepages
}

migrated()
{
	awk '$1 == "pgmigrate_success" || $1 == "compact_stall" || $1 == "allocstall_normal" { n += $2 } END { print n + 0 }' /proc/vmstat
}

# refused ARG...: exit 3, with words
refused()
{
	local rc

	"$hpctl" "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	cat "$tmp/out" "$tmp/err"
	[ "$rc" = 3 ] && [ -s "$tmp/err" ]
}

before=$(known_kb)
was=$(settings)
moved=$(migrated)
check "160G of 1G pages: exit 3" refused alloc -s 160G -p 1G
check "160G of 2M pages: exit 3" refused alloc -s 160G -p 2M
check "the answer names a number of bytes that can be had" grep -qE '[0-9.]+ ?[KMGT]i?B' "$tmp/err"
check "no page was moved for it" test "$(migrated)" = "$moved"
check "free memory is unchanged" memory_back "$before"
check "at most one line in the kernel log for each" test "$(hpctl_log)" -le 2
check "settings are untouched" test "$(settings)" = "$was"
check "a timeout that is over at once is told: 0 or 3" bash -c \
	'"$1" alloc -s 1G -p 2M --timeout 1ms --name quick; rc=$?; "$1" free quick 2>/dev/null; [ $rc = 0 ] || [ $rc = 3 ]' - "$hpctl"
check "memory is back" memory_back "$before"
done_testing
