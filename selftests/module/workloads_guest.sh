#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every workload on the module's buffers: the checksum it should come to, with one
# and with two threads.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"

backings=anon-4k,hpbuf-2m
if take_1g 1; then
	backings+=,hpbuf-1g
fi
workloads=(touch fill rand-fill get get-safe get-fast get-batch set set-fast chase hash index scan)
plan 6
out=$tmp/out.json

for threads in 1 2; do
	"$hpctl" compare "${workloads[@]}" -b "$backings" -t "$threads" -s 16M -r 1 \
		--ops 2000 --seed 1 --json >"$out" 2>"$tmp/err"
	rc=$?
	# Making buffers of 1 GiB pages takes longest: once is enough.
	backings=anon-4k,hpbuf-2m
	msg "$threads threads: exit $rc" "$(tail -n 5 "$tmp/err")"
	# 7: ran, but an emulated machine's figures are not to be trusted
	check "$threads threads: exit 0 or 7" test $rc = 0 -o $rc = 7
	# 13, their two controls, and the second passes of three
	json_checks "$out" "$threads threads: a row of each on each" \
		'[.results[] | .label] | group_by(.) | length == 18 and (map(length) | unique | length == 1)' \
		"$threads threads: the sums are as expected" \
		'[.results[] | .checksum != null and .checksum == .checksum_expected] | length > 0 and all'
done
done_testing
