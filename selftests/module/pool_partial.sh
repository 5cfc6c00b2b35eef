#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hpctl pool set for more than can be had: all or nothing over all nodes, what there
# is only with --partial; asked and got are told for each node. Stopped or out of
# time, the pool is what it was. pool restore reads a file.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
# shellcheck source=_pool.sh
. "$(dirname "$0")/_pool.sh"
param=/sys/module/hpbuf/parameters/max_bytes
max_was=$(cat $param)
trap 'echo "$max_was" >$param; pool_empty; rm -rf "$tmp"' EXIT
plan 35

set_json()
{
	"$hpctl" pool set -p 2M "$@" -j >"$tmp/json" 2>"$tmp/err"
	[ $? = "${want:-0}" ] || { cat "$tmp/json" "$tmp/err"; return 1; }
}

# limit PAGES: the module may hold so many of 2 MiB
limit()
{
	echo $(($1 << 21)) >$param
}

nodes=$("$hpctl" pool -j 2>/dev/null | jq '[.results[] | select(.pool == "hpbuf" and .page_bytes == 2097152)] | length')
before=$(known_kb)
pool_empty
check "set 4" hpctl_code 0 set pool set -p 2M -n 0 --count 4 --min 2
check "4 are ready" want_ready 4 4
check "and 2 of them stay under pressure" test "$(field min)" = 2
check "the table shows them" bash -c '"$1" pool | grep -E "2.00 MiB +0 +4 +2 +4 "' - "$hpctl"
check "hugetlb pools are beside them" bash -c '"$1" pool | grep -q HUGETLB' - "$hpctl"

limit 32
want=3 check "40 of 32: exit 3" set_json -n 0 --count 40
json_checks "$tmp/json" \
	"asked 40, and none kept" \
	'.results[0] | .asked == 40 and .before == 4 and .outcome == "failed"' \
	"why, and what to do" \
	'.error.errno == "ENOSPC" and (.error.hint | contains("max_bytes"))'
check "the 4 are there as before" want_ready 4 4
check "with their 2" test "$(field min)" = 2
want=0 check "--partial: exit 0" set_json -n 0 --count 40 --partial
json_checks "$tmp/json" \
	"asked 40, got 32, kept" \
	'.results[0] | .asked == 40 and .got == 32 and .outcome == "short" and .error == "ENOSPC"' \
	"a warning says so" \
	'.warnings[] | select(.code == "short") | .message | contains("asked 40") and contains("got 32")'
check "32 are there" bash -c '[ "$(("$1" + "$2"))" = 32 ]' - "$(field ready)" "$(field dirty)"
echo "$max_was" >$param

# more than there is memory, whatever max_bytes allows
echo 1T >$param
pool_empty
available=$(awk '$1 == "MemAvailable:" { print int($2 / 2048) }' /proc/meminfo)
oom=$(awk '$1 == "oom_kill" { print $2 }' /proc/vmstat)
check "set 4 again" hpctl_code 0 set pool set -p 2M -n 0 --count 4
check "more than there is memory: exit 3" hpctl_code 3 "asked $((available + 1000))" pool set -p 2M -n 0 --count $((available + 1000))
check "the 4 are there as before" want_ready 4 4
check "nobody was killed for it" test "$oom" = "$(awk '$1 == "oom_kill" { print $2 }' /proc/vmstat)"
echo "$max_was" >$param

# several nodes: the second one fails, the first is put back
if [ "$nodes" -gt 1 ]; then
	limit 24
	want=3 check "20 on each node of 24 in all: exit 3" set_json -n 0,1 --count 20
	json_checks "$tmp/json" "node 0 is put back" \
		'.results | .[0].outcome == "put back" and .[1].outcome == "failed"'
	check "node 0 has its 4" want_ready 4 4 0
	check "node 1 has none" want_ready 0 0 1
	echo "$max_was" >$param
else
	for what in "20 on each node of 24 in all: exit 3" "node 0 is put back" \
		"node 0 has its 4" "node 1 has none"; do
		skip "$what" "needs 2 nodes with memory, found $nodes"
	done
fi

check "--dry-run" hpctl_code 0 "not tried" pool set -p 2M -n 0 --count 8 --dry-run
check "changes nothing" want_ready 4 4

# as nobody
as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$hpctl" pool set -p 2M --count 1 >"$tmp/out" 2>"$tmp/err"
	rc=$?
	cat "$tmp/out" "$tmp/err"
	[ "$rc" = 5 ] && grep -q CAP_SYS_ADMIN "$tmp/err"
}
check "as nobody: exit 5" as_nobody

# Stopped while the module works at it, for which it has to come in time. SIGTERM: a
# script's background process ignores SIGINT.
stopped()
{
	local delay pid rc

	for delay in 1 0.5 0.2 0.1 0.05; do
		"$hpctl" pool set -p 2M -n 0 --count $((available / 2)) >"$tmp/out" 2>"$tmp/err" &
		pid=$!
		sleep "$delay"
		kill -TERM "$pid"
		wait "$pid"
		rc=$?
		cat "$tmp/out" "$tmp/err"
		[ "$rc" != 143 ] || return 0
		echo "exit $rc, before SIGTERM came after $delay s"
		"$hpctl" pool set -p 2M -n 0 --count 4 -q
	done
	return 1
}
check "stopped by SIGTERM: exit 143" stopped
check "the pool is what it was" want_ready 4 4
check "the time limit passed: exit 3" hpctl_code 3 "time limit" pool set -p 2M -n 0 --count $((available / 2)) --timeout 1ms
check "the pool is what it was" want_ready 4 4

# ---- restore ----

printf 'pool 2M 0 6 1\npool 2M 1x 6\n' >"$tmp/conf"
check "a file with a mistake: exit 2, and its line" hpctl_code 2 "conf:2" pool restore "$tmp/conf"
check "nothing of it is done" want_ready 4 4
printf 'pool 2M 0 6 1 # six\npool 2M 63 1\n' >"$tmp/conf"
check "a node that is not there: exit 4" hpctl_code 4 "node 63" pool restore "$tmp/conf"
check "the others are done" want_ready 6 6
printf '# all of it\npool 2M 0 8 8\n' >"$tmp/conf"
check "a good file: exit 0" hpctl_code 0 set pool restore "$tmp/conf"

pool_empty
check "memory is back" memory_back "$before"
done_testing
