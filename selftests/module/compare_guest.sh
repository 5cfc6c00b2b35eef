#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hpctl compare on all six backings: each is there, on the leaves it promises,
# with the right checksums, and puts back what it took.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"

# All at once need two 1 GiB pages; where there is only one, they take turns.
if take_1g 2; then
	lists=("anon-4k,anon-thp,hugetlb-2m,hugetlb-1g,hpbuf-2m,hpbuf-1g")
elif take_1g 1; then
	lists=("anon-4k,anon-thp,hugetlb-2m,hugetlb-1g" "anon-4k,hpbuf-2m,hpbuf-1g")
else
	skip_all "needs a 1 GiB page, found none"
fi
plan 14
out=$tmp/all.json

pools()
{
	cat /sys/kernel/mm/hugepages/*/nr_hugepages
}

was=$(pools)
before=$(known_kb)
bad="" files=()
for b in "${lists[@]}"; do
	"$hpctl" compare get -b "$b" --reserve -s 64M -r 2 \
		--ops 20000 --seed 1 --json \
		>"$tmp/$b.json" 2>"$tmp/err"
	rc=$?
	files+=("$tmp/$b.json")
	msg "$b: exit $rc" "$(tail -n 5 "$tmp/err")"
	# 7: ran, but an emulated machine's figures are not to be trusted
	[ $rc = 0 ] || [ $rc = 7 ] || bad="$bad $rc"
done
jq -s '.[0] + {results: [.[].results[]], error: ([.[].error | select(. != null)] | first)}' \
	"${files[@]}" >"$out" 2>"$tmp/err"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$out" "$HPBUF_RESULTS/compare.json"
check "it ran: exit 0 or 7" test -z "$bad"
json_checks "$out" \
	"one JSON document each" . \
	"schema and command" '.schema == "hpctl/1" and .command == "compare"' \
	"no error but figures not to be trusted" '.error == null or .error.code == 7' \
	"all six backings" "[.results[].backing] | unique | length == 6" \
	"anon-4k: 4 KiB leaves only" \
	'[.results[] | select(.backing == "anon-4k") | .leaf.pmd + .leaf.pud == 0 and .leaf.pte > 0] | length > 0 and all' \
	"hugetlb-1g: 1 GiB leaves only" \
	'[.results[] | select(.backing == "hugetlb-1g") | .leaf.pte + .leaf.pmd == 0 and .leaf.pud > 0] | length > 0 and all' \
	"hpbuf-2m: 2 MiB leaves only" \
	'[.results[] | select(.backing == "hpbuf-2m") | .leaf.pte + .leaf.pud + .leaf.none == 0 and .leaf.pmd > 0] | length > 0 and all' \
	"hpbuf-1g: 1 GiB leaves only" \
	'[.results[] | select(.backing == "hpbuf-1g") | .leaf.pte + .leaf.pmd + .leaf.none == 0 and .leaf.pud > 0] | length > 0 and all' \
	"every row's data is verified" '[.results[].verified] | length > 0 and all' \
	"one checksum for all" \
	'[.results[].checksum] | unique | length == 1 and .[0] != null'
check "hugetlb pools are as before" test "$(pools)" = "$was"
check "memory is back" memory_back "$before"
check "nothing holds the module" test "$(refcount)" = 0
done_testing
