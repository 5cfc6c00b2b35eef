#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory pressure takes ready pages, down to the minimum and before anybody is killed
# for want of memory; the minimum stays even when somebody is. Afterwards the pool
# fills again, and not at the expense of others.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
# shellcheck source=_pressure.sh
. "$(dirname "$0")/_pressure.sh"
# shellcheck source=_pool.sh
. "$(dirname "$0")/_pool.sh"
need_python
[ "$(available_mb)" -ge 2000 ] || skip_all "needs 2000 MB available, found $(available_mb)"
trap 'echo "$overcommit" >/proc/sys/vm/overcommit_memory; pool_empty; pressure_off' EXIT
overcommit=$(cat /proc/sys/vm/overcommit_memory)
echo 1 >/proc/sys/vm/overcommit_memory
plan 22

# 256 MiB in 128 pages, of which 16 stay
pages=128 min=16
surplus=$(((pages - min) * 2))	# MB

oom_kills()
{
	awk '$1 == "oom_kill" { print $2 }' /proc/vmstat
}

# victim MB: a hog that is the first to be killed; MB beyond what is available
victim()
{
	local bytes=$((($(available_mb) + $1) << 20))

	(echo 1000 >/proc/self/oom_score_adj && exec "${load[@]}" hog "$bytes")
}

# lowest FILE: keep the lowest count of pages that the pool was seen to have. One
# process a look: more would be a load of their own.
lowest()
{
	local ready dirty lent low

	while sleep 0.3; do
		read -r ready dirty lent < <("$hpctl" pool -q --no-headings --columns ready,dirty,lent 2>/dev/null)
		read -r low <"$1"
		[ -z "$lent" ] || [ $((ready + dirty + lent)) -ge "$low" ] ||
			echo $((ready + dirty + lent)) >"$1"
	done
}

# no_kill COMMAND...: succeeds, and nobody is killed for want of memory
no_kill()
{
	local was rc

	was=$(oom_kills)
	"$@"
	rc=$?
	echo "exit $rc, $(($(oom_kills) - was)) killed, $("$hpctl" pool -n | head -n 1)"
	[ "$rc" = 0 ] && [ "$(oom_kills)" = "$was" ]
}

# a_kill COMMAND...: is killed for want of memory
a_kill()
{
	local was rc

	was=$(oom_kills)
	"$@"
	rc=$?
	echo "exit $rc, $(($(oom_kills) - was)) killed"
	[ "$rc" = 137 ] && [ "$(oom_kills)" -gt "$was" ]
}

pool_empty
sync
echo 3 >/proc/sys/vm/drop_caches
before=$(known_kb)
"$hpctl" reclaim reset -q >/dev/null
shrunk_before=$(field shrunk)
check "set $pages, $min of them to stay" hpctl_code 0 set pool set -p 2M -n 0 --count $pages --min $min
check "they are ready" want_ready $pages $pages
# what is left is filled quickly even by an emulated CPU
fill_memory 550

shrunk=$(field shrunk)
check "nothing is taken without pressure" test "$shrunk" = "$shrunk_before"
echo $pages >"$tmp/lowest"
lowest "$tmp/lowest" &
watcher=$!
check "a hog that needs half of the surplus gets it, and nobody is killed" no_kill victim $((surplus / 2))
check "the pool gave it" test "$(($(field shrunk) - shrunk))" -gt $((surplus / 8))
check "the minimum is there" test "$(cat "$tmp/lowest")" -ge $min

check "afterwards it fills again" want_ready $pages $pages
shrunk=$(field shrunk)
echo $pages >"$tmp/lowest"
check "a hog that needs more than there is is killed" a_kill victim $((surplus + 1200))
check "the pool gave all but the minimum first" test "$(($(field shrunk) - shrunk))" -ge $((pages - min))
check "and not the minimum" test "$(cat "$tmp/lowest")" -ge $min
check "it was seen at the minimum" test "$(cat "$tmp/lowest")" -le $((min + 32))

# While it fills others get memory: at once, and again later.
check "while it fills, somebody else gets what is available" no_kill victim -150
check "and once more" no_kill victim -150
check "afterwards it fills again" want_ready $pages $pages

"$hpctl" reclaim show -j >"$tmp/report"
shrinks()
{
	jq '[.results[0].stats[] | select(.source == "shrink") | .count] | add // 0' "$tmp/report"
}
check "reclaim show has all of them" test "$(shrinks)" = "$(($(field shrunk) - shrunk_before))"
check "with their time" jq -e '.results[0].stats[] | select(.source == "shrink") | .sum_ns > 0 and .page_bytes == 2097152' "$tmp/report"

# Kept: not for anybody.
check "set $pages, all kept" hpctl_code 0 set pool set -p 2M -n 0 --count $pages --keep
check "they are ready" want_ready $pages $pages
shrunk=$(field shrunk)
check "somebody takes nearly all that is available" no_kill victim -100
check "none was taken" test "$(field shrunk)" = "$shrunk"
check "and they are ready" want_ready $pages $pages
kill $watcher
wait $watcher 2>/dev/null

echo "$pool_was" >"$pool"
pool_empty
check "memory is back" memory_back "$before"
done_testing
