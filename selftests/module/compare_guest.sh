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
take_1g 2 || skip_all "needs two 1 GiB pages (one for hugetlb), found fewer"
plan 13

backings=anon-4k,anon-thp,hugetlb-2m,hugetlb-1g,hpbuf-2m,hpbuf-1g
out=$tmp/compare.json

pools()
{
	cat /sys/kernel/mm/hugepages/*/nr_hugepages
}

# has FILTER: jq says true
has()
{
	jq -e "$1" "$out"
}

was=$(pools)
before=$(known_kb)
"$hpctl" compare get -b "$backings" --reserve -s 64M -r 2 --ops 20000 --json >"$out" 2>"$tmp/err"
rc=$?
[ -z "${HPBUF_RESULTS:-}" ] || cp "$out" "$HPBUF_RESULTS/compare.json"
msg "exit $rc" "$(tail -n 5 "$tmp/err")"
# 7: ran, but an emulated machine's figures are not to be trusted
check "it ran: exit 0 or 7" test "$rc" = 0 -o "$rc" = 7
check "one JSON document" has .
check "schema and command" has '.schema == "hpctl/1" and .command == "compare"'
check "no error" has '.error == null'
check "all six backings" has "[.results[].backing] | unique | length == 6"
check "anon-4k: 4 KiB leaves only" has \
	'[.results[] | select(.backing == "anon-4k") | .leaf.pmd + .leaf.pud == 0 and .leaf.pte > 0] | length > 0 and all'
check "hpbuf-2m: 2 MiB leaves only" has \
	'[.results[] | select(.backing == "hpbuf-2m") | .leaf.pte + .leaf.pud + .leaf.none == 0 and .leaf.pmd > 0] | length > 0 and all'
check "hpbuf-1g: 1 GiB leaves only" has \
	'[.results[] | select(.backing == "hpbuf-1g") | .leaf.pte + .leaf.pmd + .leaf.none == 0 and .leaf.pud > 0] | length > 0 and all'
check "every row's data is verified" has '[.results[].verified] | length > 0 and all'
check "one checksum for all" has '[.results[].checksum] | unique | length == 1 and .[0] != null'
check "hugetlb pools are as before" test "$(pools)" = "$was"
check "memory is back" memory_back "$before"
check "nothing holds the module" test "$(refcount)" = 0
done_testing
