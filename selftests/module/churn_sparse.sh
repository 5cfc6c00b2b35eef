#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The workloads churn and sparse on all seven backings: time a GiB, and memory a byte.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"

out=$tmp/out.json
huge=$tmp/huge
before=$(known_kb)

mkdir "$huge"
mount -t hugetlbfs -o pagesize=2M none "$huge" 2>/dev/null ||
	skip_all "needs hugetlbfs with pages of 2 MiB"
plan 25
trap 'umount "$huge" 2>/dev/null; rm -rf "$tmp"' EXIT
small=(anon-4k anon-thp hugetlb-2m "hugetlbfs:$huge" hpbuf-2m)

# verdict WORD: of a filter
verdict()
{
	echo "it is $1"
	[ "$1" = true ]
}

# judge [DESCRIPTION FILTER]...: a result for each, by one run of jq. Filters find $churn
# and $sparse, the rows of each.
judge()
{
	local what=() verdicts program="" i

	while [ $# -gt 0 ]; do
		what+=("$1")
		program+="${program:+, }(try (($2) | tostring) catch .)"
		shift 2
	done
	mapfile -t verdicts < <(jq -r '(.results | group_by(.workload) | map({(.[0].workload): .}) | add) as $w |
		$w.churn as $churn | $w.sparse as $sparse | '"$program" "$out")
	for i in "${!what[@]}"; do
		check "${what[i]}" verdict "${verdicts[i]-not told}"
	done
}

# compare NAME BACKINGS ARG...: both workloads; sets rc. 7 is: ran, but an emulated
# machine's figures are not to be trusted.
compare()
{
	local name=$1 backings=$2

	shift 2
	"$hpctl" compare -b "$backings" --reserve -r 1 --json churn sparse "$@" >"$out" 2>"$tmp/err"
	rc=$?
	msg "$name: exit $rc" "$(tail -n 5 "$tmp/err")"
	[ -z "${HPBUF_RESULTS:-}" ] || cp "$out" "$HPBUF_RESULTS/churn_sparse-$name.json"
	[ $rc != 7 ] || rc=0
}

# on_1g BACKING: a 1 GiB page is not always to be had
on_1g()
{
	local w

	compare "$1" "$1" -s 16M --ops 1
	if [ $rc = 3 ] || [ $rc = 4 ]; then
		for w in "churn runs" "churn tells the time a GiB" "sparse takes all of the page"; do
			skip "$1: $w" "$(head -n 1 "$tmp/err")"
		done
		return
	fi
	judge "$1: churn runs" \
		'[$churn[], $sparse[] | .verified and .checksum == .checksum_expected] == [true, true]' \
		"$1: churn tells the time a GiB" '$churn[0].churn.per_gib | .ns > 0 and .user_ns >= 0 and .system_ns >= 0' \
		"$1: sparse takes all of the page" '$sparse[0].sparse.backing_bytes == 1073741824 and $sparse[0].sparse.blow_up == 32768'
}

compare small "$(IFS=,; echo "${small[*]}")" -s 32M --ops 2
check "they ran" test $rc = 0
judge "churn on all five backings" '[$churn[].backing] | unique | length == 5' \
	"two cycles each" '[$churn[].churn.cycles == 2] | all' \
	"user and system time a GiB" '[$churn[].churn.per_gib | .ns > 0 and .user_ns >= 0 and .system_ns >= 0] | all' \
	"map, touch and unmap are told apart" '[$churn[].churn.per_gib.stages | has("map") and has("touch") and has("unmap")] | all' \
	"making and freeing too, where they are apart" \
	'[$churn[] | select(.backing == "hpbuf-2m") | .churn.per_gib.stages | has("create") and has("free")] == [true]' \
	"the module's threads are in the system time" \
	'[$churn[] | select(.backing == "hpbuf-2m") | .stages[] | select(.name == "create") | .system_ns > 0] == [true]' \
	"new memory is zero, and holds what was written" '[$churn[] | .checksum == .checksum_expected and .checksum != null] | all' \
	"on the pages asked for" '[$churn[].verified] | all' \
	"16 bytes on all five backings" '[$sparse[].sparse.bytes] == [16, 16, 16, 16, 16]' \
	"what was written is read back" '[$sparse[] | .checksum == .checksum_expected and .checksum != null] | all' \
	"4 KiB pages: a page a byte" '[$sparse[] | select(.backing == "anon-4k") | .sparse.backing_per_byte] == [4096]' \
	"2 MiB pages cost 512 times that: hpbuf" \
	'[$sparse[] | select(.backing == "hpbuf-2m") | .sparse.backing_per_byte] == [512 * 4096]' \
	"2 MiB pages cost 512 times that: hugetlb" \
	'[$sparse[] | select(.backing | startswith("hugetlb")) | .sparse.backing_per_byte] == [512 * 4096, 512 * 4096]' \
	"blow_up says so" '[$sparse[] | select(.backing != "anon-thp") | .sparse.blow_up] | sort == [1, 512, 512, 512]' \
	"transparent ones between the two" '[$sparse[] | select(.backing == "anon-thp") | .sparse.blow_up | . >= 1 and . <= 512] == [true]' \
	"4 KiB pages need page tables too" \
	'$sparse[] | select(.backing == "anon-4k") | .sparse.table_bytes >= 16 * 4096 and .sparse.cost_per_byte >= 8192'
on_1g hugetlb-1g
on_1g hpbuf-1g

umount "$huge"
check "memory is back" memory_back "$before"
check "nothing holds the module" test "$(refcount)" = 0
done_testing
