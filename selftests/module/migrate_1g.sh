#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory in pieces, all of which can be moved: a 1 GiB page is made by migration;
# how long that took is told, and how many pages it moved is what the kernel says.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
# shellcheck source=_pressure.sh
. "$(dirname "$0")/_pressure.sh"
need_python
"$hpctl" version -j | jq -e '.results[0].pages_1g' >/dev/null ||
	skip_all "needs 1 GiB pages"
[ "$(available_mb)" -ge 4500 ] || skip_all "needs 4500 MiB available, found $(available_mb)"
plan 8

# take_pieces: hold memory in pieces until drop_pieces
take_pieces()
{
	local i

	rm -f "$tmp/hold" "$tmp/ready"
	mkfifo "$tmp/hold"
	"${load[@]}" pieces <"$tmp/hold" >"$tmp/ready" 2>&1 &
	pieces=$!
	exec 9>"$tmp/hold"
	for ((i = 0; i < 1200; i++)); do
		grep -q ready "$tmp/ready" && break
		kill -0 $pieces 2>/dev/null || break
		sleep 0.1
	done
	grep -q ready "$tmp/ready"
}

drop_pieces()
{
	exec 9>&-
	wait "$pieces"
}

# A gigabyte that can be moved as a whole has nothing of the kernel's in it. So one is kept
# free of that, while the kernel gets 32 MiB for what it will need: it takes such memory
# from where there was some before. Where that does not help, what came in the way is
# somewhere else the next time.
"$hpctl" alloc -s 1G -p 1G --name kept -q --timeout 120s >/dev/null 2>&1
"${load[@]}" tables
"$hpctl" free kept -q >/dev/null 2>&1

rc=3 are_pieces=0 is_on=0
for ((try = 0; try < 4 && rc == 3; try++)); do
	[ "$try" = 0 ] || drop_pieces
	take_pieces || are_pieces=1
	"$hpctl" reclaim reset -q >/dev/null
	"$hpctl" reclaim on -q || is_on=1
	"$hpctl" alloc -s 1G -p 1G --name moved --timeout 120s -j >"$tmp/alloc" 2>"$tmp/err"
	rc=$?
done
check "memory is in pieces" test $are_pieces = 0
check "reclaim on" test $is_on = 0
msg "alloc: exit $rc, try $try" "$(cat "$tmp/err")"
report
[ -z "${HPBUF_RESULTS:-}" ] || cp "$tmp/report" "$HPBUF_RESULTS/migrate_1g.json"
if [ $rc = 3 ]; then
	# Something that cannot be moved lies in each gigabyte; how much of it there is
	# depends on what the machine has done before.
	none="this kernel found none: $(head -n 1 "$tmp/err")"
	for what in "1 GiB is had by migration" "the buffer tells the time of migration" \
		"pages migrated are pgmigrate_success" \
		"time of migration by the kernel's tracepoints"; do
		skip "$what" "$none"
	done
else
	check "1 GiB is had by migration" test $rc = 0
	check "the buffer tells the time of migration" jq -e '.results[0].migrate_ns > 0' "$tmp/alloc"
	check "pages migrated are pgmigrate_success" equal "pages migrated"
	json_checks "$tmp/report" "time of migration by the kernel's tracepoints" \
		'[.results[0].stats[] | select(.source == "migration" and .count > 0 and .sum_ns > 0)] |
			length == 1'
fi
json_checks "$tmp/report" "the module's own migrate is timed" \
	'[.results[0].stats[] | select(.source == "migrate" and .page_bytes == 1073741824 and .sum_ns > 0)] |
		length > 0'
drop_pieces
"$hpctl" free moved -q >/dev/null 2>&1
check "nothing holds the module" test "$(refcount)" = 0
done_testing
