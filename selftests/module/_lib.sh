#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# _lib.sh - sourced by the .sh tests here: KTAP, the module, hpctl, free memory.
#
# A test says "plan N" once and then pass/fail/skip or "check DESCRIPTION
# COMMAND..." N times; "done_testing" judges the kernel log as one more result
# and ends with kselftest's exit code. "skip_all WHY" ends with 4.
#
# The module is loaded from $HPBUF_KO when /dev/hpbuf is not there, and stays
# loaded. hpctl is $HPCTL, or the one in PATH.

ktap_n=0 ktap_failed=0 ktap_skipped=0 ktap_planned=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

echo "TAP version 13"

# plan N: that many results will come, and the kernel log's.
plan()
{
	ktap_planned=$(($1 + 1))
	echo "1..$ktap_planned"
}

msg()
{
	printf '%s\n' "$@" | sed 's/^/# /'
}

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

pass()
{
	ktap_n=$((ktap_n + 1))
	echo "ok $ktap_n $*"
}

fail()
{
	ktap_n=$((ktap_n + 1))
	ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_n $*"
}

# skip DESCRIPTION WHY
skip()
{
	ktap_n=$((ktap_n + 1))
	ktap_skipped=$((ktap_skipped + 1))
	echo "ok $ktap_n $1 # SKIP $2"
}

# check DESCRIPTION COMMAND...: passes if the command does; its output is shown
# if not.
check()
{
	local what=$1

	shift
	if "$@" >"$tmp/check" 2>&1; then
		pass "$what"
	else
		fail "$what"
		msg "failed: $*"
		msg "$(head -n 20 "$tmp/check")"
	fi
}

# json_checks FILE [DESCRIPTION FILTER]...: each passes if jq finds its filter true of
# the document in FILE. One jq for all of them: starting it is what takes long.
json_checks()
{
	local file=$1 program="" said i

	shift
	for ((i = 2; i <= $#; i += 2)); do
		program+="${program:+,}(try ([${!i}] | last |
			if . == null or . == false then \"no: \(.)\" else \"yes\" end)
			catch \"no: \(.)\")"
	done
	mapfile -t said < <(jq -r "$program" "$file" 2>&1)
	for ((i = 0; i < $#; i += 2)); do
		if [ "${said[i / 2]:-}" = yes ]; then
			pass "${@:i+1:1}"
		else
			fail "${@:i+1:1}"
			msg "failed: ${*:i+2:1}" "${said[i / 2]:-no answer}"
		fi
	done
}

done_testing()
{
	local bad

	bad=$(klog_bad)
	if [ -z "$bad" ]; then
		pass "kernel log is clean"
	else
		fail "kernel log is clean"
		msg "$bad"
	fi
	if [ "$ktap_n" != "$ktap_planned" ]; then
		msg "planned $ktap_planned results, got $ktap_n"
		exit 1
	fi
	[ "$ktap_failed" = 0 ] || exit 1
	exit 0
}

# ---- the kernel log ----

klog_lines()
{
	dmesg 2>/dev/null
}

klog_start=$(klog_lines | wc -l)

klog_since()
{
	klog_lines | tail -n "+$((klog_start + 1))"
}

klog_bad()
{
	klog_since | grep -E 'WARNING: |BUG: |BUG at |kernel BUG|KASAN|KCSAN|UBSAN|Oops|general protection fault|nable to handle|[Bb]ad page|[Bb]ad (pud|pmd|pte)|[Bb]ad rss-counter|non-zero pgtables_bytes|VM_BUG_ON|refcount_t: |list_(add|del) corruption|page allocation failure|soft lockup|hard LOCKUP|blocked for more than|rcu.* stall|possible (recursive|circular|irq lock)|suspicious RCU|lock held when returning|sleeping function called|scheduling while atomic' || true
}

# ---- the module ----

need_root()
{
	[ "$(id -u)" = 0 ] || skip_all "needs root, found uid $(id -u)"
}

load_module()
{
	if [ -n "${HPBUF_KO:-}" ]; then
		insmod "$HPBUF_KO"
	else
		modprobe hpbuf
	fi
}

# The last buffer lets go of the module a clock tick after its end.
unload_module()
{
	local i

	for i in {1..20}; do
		! rmmod hpbuf 2>/dev/null || return 0
		sleep 0.05
	done
	rmmod hpbuf
}

# Can the module be loaded again once it was unloaded? Skips all if not.
need_ko()
{
	[ -n "${HPBUF_KO:-}" ] || modprobe -n -q hpbuf ||
		skip_all "HPBUF_KO is not set and modprobe does not know hpbuf"
}

need_module()
{
	need_root
	[ -e /dev/hpbuf ] && return
	need_ko
	if ! load_module; then
		echo "Bail out! the module cannot be loaded"
		exit 1
	fi
}

refcount()
{
	cat /sys/module/hpbuf/refcnt
}

# take_1g N: N buffers of 1 GiB pages can be had now; they are given back. Frees
# caches in between, for their pages lie about and cannot be moved.
take_1g()
{
	local rc

	"$hpctl" alloc -s 1G -p 1G --count "$1" -q >/dev/null 2>&1
	rc=$?
	if [ $rc != 0 ]; then
		echo 3 >/proc/sys/vm/drop_caches
		"$hpctl" alloc -s 1G -p 1G --count "$1" -q >/dev/null 2>&1
		rc=$?
	fi
	"$hpctl" free --all -q >/dev/null 2>&1
	return $rc
}

# ---- hpctl ----

hpctl=${HPCTL:-$(command -v hpctl || true)}

need_hpctl()
{
	[ -x "$hpctl" ] || skip_all "needs hpctl: HPCTL=${HPCTL:-}, none in PATH"
}

# ---- memory ----

# known_kb: kB that are free or in a counter of the kernel; a driver's pages are
# in none, so this falls by what the module holds. See freemem.h.
known_kb()
{
	echo 1 >/proc/sys/vm/stat_refresh
	awk -v page=4 '
		FILENAME ~ /meminfo/ && /^(MemFree|Buffers|Cached|SwapCached|AnonPages|Slab|KernelStack|PageTables|SecPageTables):/ { kb += $2 }
		FILENAME ~ /zoneinfo/ && $1 == "count:" { kb += $2 * page }
		END { print kb }' /proc/meminfo /proc/zoneinfo
}

# memory_back KB: known_kb is again within 2 MiB of that, in a bounded time.
memory_back()
{
	local now i

	for ((i = 0; i < 50; i++)); do
		now=$(known_kb)
		[ $(($1 - now)) -ge 2048 ] || return 0
		sleep 0.1
	done
	echo "$1 kB before, $now kB after: $(($1 - now)) kB lost"
	return 1
}
