#!/bin/bash
# migrated.sh - a thread that somebody moves away from the CPU it is pinned to, in the
# middle of a timed part, makes its figure untrusted: exit 7, and the reason named.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

if ! taskset -p $$ >/dev/null 2>&1 || [ "$(nproc)" -lt 2 ]; then
	echo "1..0 # SKIP needs taskset and two CPUs, has $(nproc)"
	exit 4
fi

# The first thread is pinned to the first CPU that it may use: move it to the last.
last=$(taskset -pc $$ | grep -o '[0-9]*$')
"$hpctl" run get -s 4M -r 1 --ops 300000000 -j >"$tmp/json" 2>"$tmp/err" &
pid=$!
moved=0
# Not before it is pinned: it would be pinned to the last one then.
for _ in $(seq 500); do
	[[ "$(taskset -pc $pid 2>/dev/null)" =~ list:\ [0-9]+$ ]] && break
	sleep 0.01
done
for _ in $(seq 200); do
	kill -0 $pid 2>/dev/null || break
	taskset -p -c "$last" $pid >/dev/null 2>&1 && moved=$((moved + 1))
	sleep 0.02
done
wait $pid
rc=$?
if [ $moved = 0 ]; then
	skipped "a moved thread" "the run was over before it could be moved"
	finish
fi
if [ $rc = 7 ]; then result OK "exits 7"; else result FAIL "exits 7" "$rc"; fi
if grep -q '"migrated"' "$tmp/json" && grep -q 'not on the CPU' "$tmp/err"; then
	result OK "the reason is named"
else
	result FAIL "the reason is named" "$(tail -n 1 "$tmp/err")"
fi

"$hpctl" run get -s 4M -r 1 --ops 100000 -j >"$tmp/json" 2>"$tmp/err"
if grep -q '"migrated": 0' "$tmp/json" && ! grep -q 'not on the CPU' "$tmp/err"; then
	result OK "and not of one that was left alone"
else
	result FAIL "and not of one that was left alone" "$(tail -n 1 "$tmp/err")"
fi
finish
