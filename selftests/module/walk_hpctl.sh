#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hpctl walk with the module: every backing on the leaves it promises, misses
# longer than hits, all samples accounted for; buffers stay as they are.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
plan 23

# has FILTER: jq says true
has()
{
	jq -e "$1" "$out"
}

# code WANT ARG...: hpctl ends with that exit code
code()
{
	local want=$1 rc

	shift
	"$hpctl" "$@" 2>&1
	rc=$?
	[ "$rc" = "$want" ] || { echo "exit $rc, not $want"; return 1; }
}

was=$(cat /sys/kernel/mm/hugepages/*/nr_hugepages)
before=$(known_kb)
# One by one, so that no more than one page of 1 GiB is needed at a time.
for pair in anon-4k:pte anon-thp:pmd hugetlb-2m:pmd hugetlb-1g:pud hpbuf-2m:pmd hpbuf-1g:pud; do
	b=${pair%:*} leaf=${pair#*:} out=$tmp/walk.$b
	"$hpctl" walk -b "$b" --reserve -s 80M --samples 4000 --seed 7 --cold --hist -j >"$out" 2>"$tmp/err"
	rc=$?
	what="$b on $leaf: all samples there, misses longer than hits"
	if [ "$rc" = 3 ]; then
		skip "$what" "$(jq -r .error.message "$out")"
		rm "$out"
		continue
	fi
	msg "$b: exit $rc" "$(tail -n 1 "$tmp/err")"
	check "$what" has \
		".schema == \"hpctl/1\" and .command == \"walk\" and .error == null and (.results | length == 1) and (.results[0] | .backing == \"$b\" and (.walk | .leaf == \"$leaf\" and .samples == 4000 and .skipped == 0 and .by_level.$leaf.samples == 4000 and .warm_ticks > .hit_ticks and .cold_ticks > .hit_ticks and .cost_ns > 0))"
done
out=$tmp/walk.json
jq -s '{results: [.[].results[]]}' "$tmp"/walk.[ah]* >"$out"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$out" "$HPBUF_RESULTS/walk.json"
json_checks "$out" \
	"four backings or more" '.results | length >= 4' \
	"memory is verified" '[.results[] | .verified] | all' \
	"histograms hold every sample" \
	'[.results[].walk | .by_level[.leaf] | .warm_ticks.hist | add] | all(. == 4000)' \
	"the seed is told" '[.results[].walk.seed] | all(. == 7)' \
	"a virtual machine is called one" '[.results[].walk.hypervisor] | all' \
	"references: all levels, one less, two less" \
	'[.results[] | .page_bytes_asked as $p | .model.levels - .model.refs == {"4096": 0, "2097152": 1, "1073741824": 2}["\($p)"]] | all' \
	"an estimate beside the figures of 4 KiB pages" \
	'.results[] | select(.backing == "anon-4k") | .estimate | .method == "estimate (paired chases)" and .pages >= 1000 and (.verdict == "no difference shown" or .to_module > 0)' \
	"none where there are too few pages, with the reason" \
	'[.results[] | select(.page_bytes_asked > 4096 and .bytes / .page_bytes_asked <= 32) | .estimate == null and (.estimate_why | contains("too few pages"))] | all'
check "hugetlb pools are as before" test "$(cat /sys/kernel/mm/hugepages/*/nr_hugepages)" = "$was"
check "the table notes the virtual machine" bash -c '"$1" walk -b anon-4k -s 4M | grep -q "virtual machine"' - "$hpctl"

id=$("$hpctl" alloc -s 4M -p 2M --name walked -q)
check "an existing buffer" bash -c '"$1" walk --buffer "$2" -j | jq -e ".results[0] | .walk.leaf == \"pmd\" and .estimate == null and .verified"' - "$hpctl" "$id"
check "it is still there, and show has its walks" bash -c '"$1" show walked -j | jq -e ".results[0].walk | .leaf == \"pmd\" and .cost_ns > 0"' - "$hpctl"
"$hpctl" free walked -q >/dev/null
check "no such buffer: exit 1" code 1 walk --buffer 2000000000

"$hpctl" compare get -b anon-4k,hpbuf-2m -s 16M -r 1 --ops 1000 -j >"$out" 2>/dev/null
check "compare has walks too" has '[.results[].walk.cost_ns] | length == 2 and all(. > 0)'
check "compare shows the column" bash -c '"$1" compare get -b anon-4k -s 8M -r 1 --ops 1000 2>/dev/null | grep -qw WALK' - "$hpctl"
check "memory is back" memory_back "$before"
check "nothing holds the module" test "$(refcount)" = 0
done_testing
