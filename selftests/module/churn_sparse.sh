#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The workloads churn and sparse on every backing: time a GiB, and memory a byte.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
plan 18

backings=anon-4k,anon-thp,hugetlb-2m,hugetlb-1g,hpbuf-2m,hpbuf-1g
out=$tmp/out.json
before=$(known_kb)

has()
{
	jq -e "$1" "$out"
}

# cost BACKING: bytes of the backing for one that is wanted
cost()
{
	jq --arg b "$1" '.results[] | select(.backing == $b) | .sparse.backing_per_byte' "$out"
}

"$hpctl" compare churn -b "$backings" --reserve -s 16M -r 1 --ops 2 --json >"$out" 2>"$tmp/err"
rc=$?
msg "churn: exit $rc" "$(tail -n 5 "$tmp/err")"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$out" "$HPBUF_RESULTS/churn.json"
# 7: ran, but an emulated machine's figures are not to be trusted
check "churn ran: exit 0 or 7" test $rc = 0 -o $rc = 7
check "on all six backings" has '[.results[].backing] | unique | length == 6'
check "two cycles each" has '[.results[].churn.cycles == 2] | all'
check "user and system time a GiB" has '[.results[].churn.per_gib | .ns > 0 and .user_ns >= 0 and .system_ns > 0] | all'
check "map, touch and unmap are told apart" has '[.results[].churn.per_gib.stages | has("map") and has("touch") and has("unmap")] | all'
check "making and freeing too, where they are apart" has \
	'[.results[] | select(.backing | startswith("hpbuf")) | .churn.per_gib.stages | has("create") and has("free")] | length == 2 and all'
check "new memory is zero, and holds what was written" has '[.results[] | .checksum == .checksum_expected and .checksum != null] | all'
check "on the pages asked for" has '[.results[].verified] | all'

"$hpctl" compare sparse -b "$backings" --reserve -s 32M -r 1 --json >"$out" 2>"$tmp/err"
rc=$?
msg "sparse: exit $rc" "$(tail -n 5 "$tmp/err")"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$out" "$HPBUF_RESULTS/sparse.json"
check "sparse ran: exit 0 or 7" test $rc = 0 -o $rc = 7
check "16 bytes on all six backings" has '[.results[].sparse.bytes == 16] | length == 6 and all'
check "4 KiB pages: a page a byte" test "$(cost anon-4k)" = 4096
check "2 MiB pages cost 512 times that: hpbuf" test "$(cost hpbuf-2m)" = $((512 * 4096))
check "2 MiB pages cost 512 times that: hugetlb" test "$(cost hugetlb-2m)" = $((512 * 4096))
check "blow_up says so" has '[.results[] | select(.backing == "anon-4k" or .backing == "hpbuf-2m") | .sparse.blow_up] | sort == [1, 512]'
check "4 KiB pages need page tables too" has '.results[] | select(.backing == "anon-4k") | .sparse.table_bytes >= 16 * 4096 and .sparse.cost_per_byte >= 8192'
check "what was written is read back" has '[.results[] | .checksum == .checksum_expected and .checksum != null] | all'
check "memory is back" memory_back "$before"
check "nothing holds the module" test "$(refcount)" = 0
done_testing
