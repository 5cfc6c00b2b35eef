#!/bin/bash
# page_share.sh - memory of which less than 95 % is mapped by the page size asked is
# marked, not compared, and the exit code is 6. An array that is smaller than a huge page
# cannot be in one.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

if ! grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; then
	echo "1..0 # SKIP needs transparent huge pages that are not switched off"
	exit 4
fi

timeout 60 "$hpctl" compare get -b anon-4k,anon-thp -s 1M -r 3 --ops 300000 -j \
	>"$tmp/json" 2>"$tmp/err"
rc=$?
if [ $rc = 6 ]; then result OK "exits 6"; else result FAIL "exits 6" "$rc: $(tail -n 1 "$tmp/err")"; fi
if grep -q 'get on anon-thp: less than 95 %' "$tmp/err"; then
	result OK "the row is named"
else
	result FAIL "the row is named" "$(head -n 1 "$tmp/err")"
fi
if grep -q '"page-size"' "$tmp/json" && ! grep -q '"ratio": {' "$tmp/json"; then
	result OK "it is marked, and not compared"
else
	result FAIL "it is marked, and not compared" "$(grep '"ratio"' "$tmp/json" | tr '\n' ' ')"
fi
timeout 60 "$hpctl" compare get -b anon-4k,anon-thp -s 1M -r 3 --ops 300000 >"$tmp/out" 2>/dev/null
if grep -q '^get *anon-thp .*PTE 100 %.* no .*page-size' "$tmp/out"; then
	result OK "the table says so"
else
	result FAIL "the table says so" "$(grep anon-thp "$tmp/out")"
fi
finish
