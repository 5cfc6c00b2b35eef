#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What hpctl reclaim counts of the kernel's reclaim is what the kernel counts
# itself; the settings that it is asked for hold, and only the privileged set them.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
# shellcheck source=_pressure.sh
. "$(dirname "$0")/_pressure.sh"
need_python
plan 38

# Direct reclaim is retried before it gives up; then the kernel counts more.
stalls()
{
	local m k h

	read -r m k h < <(pair "direct reclaims")
	echo "direct reclaims: module $m, kernel $k"
	[ "$m" = "$k" ] || msg "direct reclaims: module $m, kernel $k (rounds repeated)" >&2
	[ "$m" -gt 0 ] && [ "$m" -le "$k" ] && [ "$k" -le $((4 * m)) ] && [ "$h" = true ]
}

# The kernel's counter leaves slab pages out.
stolen()
{
	local m k h

	read -r m k h < <(pair "pages reclaimed directly")
	echo "pages reclaimed directly: module $m, kernel $k"
	[ "$m" = "$k" ] || msg "pages reclaimed directly: module $m, kernel $k (slabs)" >&2
	[ "$k" -gt 0 ] && [ "$m" -ge "$k" ] && [ "$h" = true ]
}

allocstall()
{
	awk '/^allocstall/ { n += $2 } END { print n }' /proc/vmstat
}

# more and more, until kswapd alone does not do
direct_reclaim()
{
	local mb was

	was=$(allocstall)
	for mb in 100 150 200 250 300; do
		hog "$mb" || return 1
		[ "$(allocstall)" = "$was" ] || return 0
	done
}

begun='[.results[0].stats[] | select(.source == "direct-reclaim") | .begun] | add // 0'

# as_nobody ARG...
as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$hpctl" "$@"
}

refused()
{
	as_nobody reclaim "$1" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	cat "$tmp/err"
	[ "$rc" = 5 ] && grep -q CAP_PERFMON "$tmp/err" && grep -q CAP_SYS_ADMIN "$tmp/err"
}

# valid: the report under load is; 77: cannot be told
valid()
{
	[ -n "${HPBUF_TOP:-}" ] || return 77
	"$python" - "$HPBUF_TOP/user/schema/hpctl-1.schema.json" "$tmp/loaded" <<-'P'
		import json, sys
		try:
		    import jsonschema
		except ImportError:
		    sys.exit(77)
		jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))
	P
}

check "reclaim reset" "$hpctl" reclaim reset
check "reclaim on" "$hpctl" reclaim on --threshold 1ms
report
json_checks "$tmp/report" \
	"since is \"on\"" '.results[0].since.what == "on"' \
	"the threshold is set" '.results[0].trace.enabled and .results[0].trace.threshold_ns == 1000000'

swap_on 512
fill_memory 250
# a shell's background jobs ignore SIGINT, and so would it
env --default-signal=INT "$hpctl" monitor --stalls -j >"$tmp/stalls" 2>"$tmp/stalls.err" &
monitor=$!
check "the memory hog ran" direct_reclaim
sleep 1
echo 1 >/proc/sys/vm/compact_memory
sleep 1
kill -INT $monitor
wait $monitor
rc=$?
check "monitor: SIGINT is exit 130" test $rc = 130
check "monitor told stalls, each longer than the threshold" jq -e -s \
	'map(select(.type == "stall")) | length > 0 and all(.took_ns > 1000000 and .pid > 0 and .comm != "")' "$tmp/stalls"

report
cp "$tmp/report" "$tmp/loaded"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$tmp/report" "$HPBUF_RESULTS/reclaim.json"
check "direct reclaims are allocstall" stalls
check "kswapd's runs are pageoutrun" equal "kswapd runs"
check "pages reclaimed directly are pgsteal" stolen
check "pages migrated are pgmigrate_success" equal "pages migrated"
json_checks "$tmp/report" \
	"buckets add up to the count" '[.results[0].stats[] | .count == ([.buckets[].count] | add // 0) and .count == ([.octaves[].count] | add // 0)] | all' \
	"percentiles are in order" '[.results[0].stats[] | select(.count > 0) | .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and .p99_ns <= .max_ns and .max_ns <= .sum_ns] | all' \
	"nothing ended that did not begin" '[.results[0].stats[] | select(.by == "kernel") | .begun >= .count] | all' \
	"all operations were timed" '.results[0].trace.untracked == 0' \
	"largest free order of each node" '.results[0].largest_free | length > 0 and all(.order >= 0)'
check "-v has bars and the rules" bash -c '"$1" reclaim show -v >"$2" && grep -q "####" "$2" && grep -q "pgmigrate_success" "$2" && grep -q "upper bounds" "$2"' - "$hpctl" "$tmp/text"

check "nobody may switch it off" refused off
check "nobody may switch it on" refused on
check "nobody may reset" refused reset
check "but nobody may look" as_nobody reclaim
events_only()
{
	timeout -s INT 3 setpriv --reuid 65534 --regid 65534 --clear-groups "$hpctl" monitor 2>"$tmp/err"
	rc=$?
	cat "$tmp/err"
	# timeout tells that it had to end it
	[ "$rc" = 124 ] && grep -q "CAP_SYS_ADMIN; these are the events only" "$tmp/err"
}
check "nobody's monitor has events only" events_only
as_nobody monitor --stalls >"$tmp/out" 2>"$tmp/err"
check "nobody may monitor stalls: exit 5" test $? = 5

check "reclaim off" "$hpctl" reclaim off
report
check "the end is kept: the same counts" stalls
moved=$(pair "pages migrated")
echo 1 >/proc/sys/vm/compact_memory
report
check "what happens afterwards is not in it" test -n "$moved" -a "$(pair "pages migrated")" = "$moved"

# One process that does nothing: others' reclaim is not counted.
before=$(jq "$begun" "$tmp/report")
"$hpctl" reclaim on --pid $$ -q
check "the memory hog ran again" hog 40
report
json_checks "$tmp/report" \
	"another process's reclaim is left out" "($begun) == $before" \
	"and is not compared" '[.results[0].pairs[].holds] | all(. == null)'

# Nobody else is told which process it is, and so nothing is compared either.
others_see()
{
	as_nobody reclaim show -j >"$tmp/theirs" 2>&1
	jq -e '.results[0] | .trace.pid == null and .trace.all == false and
		([.pairs[].holds] | all(. == null))' "$tmp/theirs"
}
check "others see that it is of one only" others_see

# A cgroup: what is reclaimed for its limit is counted, and what others do is not.
if limited 32; then
	"$hpctl" reclaim reset -q >/dev/null
	"$hpctl" reclaim on --cgroup "$tmp/cg/limited" -q
	check "a hog beyond its cgroup's limit" limited_hog 64
	report
	check "memcg reclaim of that cgroup is counted" is \
		'[.results[0].stats[] | select(.source == "memcg-reclaim" and .count > 0 and .pages > 0)] | length == 1'
else
	skip "a hog beyond its cgroup's limit" "needs a memory cgroup"
	skip "memcg reclaim of that cgroup is counted" "needs a memory cgroup"
fi

# A baseline of another boot is none.
sed -i 's/"boot_id":"[^"]*"/"boot_id":"00000000-0000-0000-0000-000000000000"/' /run/hpctl/reclaim
report
check "a baseline of another boot is ignored" is '.results[0].since.what == "boot"'

"$hpctl" reclaim off -q
"$hpctl" reclaim reset -q
report
check "reset empties the kernel's" is '[.results[0].stats[] | select(.by == "kernel")] == []'
timeout -s INT 3 "$hpctl" reclaim watch --interval 300ms -j >"$tmp/watch" 2>"$tmp/err"
check "watch: several reports, a line each" jq -e -s 'length >= 2 and all(has("stats"))' "$tmp/watch"
check "watch with no terminal prints text" bash -c 'timeout -s INT 2 "$1" reclaim watch --interval 300ms >"$2"; [ "$(grep -c "^tracing" "$2")" -ge 2 ] && ! grep -q "$(printf "\033")" "$2"' - "$hpctl" "$tmp/text"
check "hugetlb pool and swap can be put back" bash -c 'swapoff /dev/zram0'
# with memory again: python's libraries would be read time and again without
echo "$pool_was" >"$pool"
valid >"$tmp/valid" 2>&1
rc=$?
if [ $rc = 77 ]; then
	skip "the schema describes it" "needs jsonschema and HPBUF_TOP"
else
	check "the schema describes it" bash -c 'tail -n 5 "$1"; exit "$2"' - "$tmp/valid" $rc
fi
done_testing
