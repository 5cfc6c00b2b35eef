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
plan 22

backings=anon-4k,anon-thp,hugetlb-2m,hpbuf-2m
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

# compare BACKINGS ARG...: sets rc; 7 is: ran, but an emulated machine's figures are
# not to be trusted
compare()
{
	local b=$1

	shift
	"$hpctl" compare -b "$b" --reserve -r 1 --json "$@" >"$out" 2>"$tmp/err"
	rc=$?
	msg "$b $1: exit $rc" "$(tail -n 5 "$tmp/err")"
	[ -z "${HPBUF_RESULTS:-}" ] || cp "$out" "$HPBUF_RESULTS/$1.json"
	[ $rc != 7 ] || rc=0
}

# on_1g BACKING WORKLOAD FILTER: a 1 GiB page is not always to be had
on_1g()
{
	compare "$1" "$2" -s 16M
	if [ $rc = 3 ] || [ $rc = 4 ]; then
		skip "$2 on $1" "$(head -n 1 "$tmp/err")"
	else
		check "$2 on $1" has ".results | length == 1 and all(.verified and $3 and .checksum == .checksum_expected)"
	fi
}

compare $backings churn -s 16M --ops 2
check "churn ran" test $rc = 0
check "on all four backings" has '[.results[].backing] | unique | length == 4'
check "two cycles each" has '[.results[].churn.cycles == 2] | all'
check "user and system time a GiB" has '[.results[].churn.per_gib | .ns > 0 and .user_ns >= 0 and .system_ns >= 0] | all'
check "map, touch and unmap are told apart" has '[.results[].churn.per_gib.stages | has("map") and has("touch") and has("unmap")] | all'
check "making and freeing too, where they are apart" has \
	'[.results[] | select(.backing == "hpbuf-2m") | .churn.per_gib.stages | has("create") and has("free")] | length == 1 and all'
check "new memory is zero, and holds what was written" has '[.results[] | .checksum == .checksum_expected and .checksum != null] | all'
check "on the pages asked for" has '[.results[].verified] | all'
on_1g hugetlb-1g churn '.churn.per_gib.ns > 0'
on_1g hpbuf-1g churn '.churn.per_gib.ns > 0'

compare $backings sparse -s 32M
check "sparse ran" test $rc = 0
check "16 bytes on all four backings" has '[.results[].sparse.bytes == 16] | length == 4 and all'
check "4 KiB pages: a page a byte" test "$(cost anon-4k)" = 4096
check "2 MiB pages cost 512 times that: hpbuf" test "$(cost hpbuf-2m)" = $((512 * 4096))
check "2 MiB pages cost 512 times that: hugetlb" test "$(cost hugetlb-2m)" = $((512 * 4096))
check "blow_up says so" has '[.results[] | select(.backing == "anon-4k" or .backing == "hpbuf-2m") | .sparse.blow_up] | sort == [1, 512]'
check "4 KiB pages need page tables too" has '.results[] | select(.backing == "anon-4k") | .sparse.table_bytes >= 16 * 4096 and .sparse.cost_per_byte >= 8192'
check "what was written is read back" has '[.results[] | .checksum == .checksum_expected and .checksum != null] | all'
on_1g hugetlb-1g sparse '.sparse.backing_bytes == 1073741824'
on_1g hpbuf-1g sparse '.sparse.backing_bytes == 1073741824'
check "memory is back" memory_back "$before"
check "nothing holds the module" test "$(refcount)" = 0
done_testing
