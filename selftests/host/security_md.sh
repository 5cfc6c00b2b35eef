#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# security_md.sh - every claim of SECURITY.md names tests, and those are there.
#
# A claim is an item ("* ") outside of "What is not defended"; its tests are at its end
# in brackets. Needs $HPBUF_TOP (the checkout).
set -u

echo "TAP version 13"
top=${HPBUF_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
if [ ! -e "$top/SECURITY.md" ] || [ ! -d "$top/selftests/module" ]; then
	echo "1..0 # SKIP needs the checkout, found no $top/SECURITY.md (HPBUF_TOP)"
	exit 4
fi

# claims: one a line, whatever lines it has in the file
claims()
{
	awk '
		function out() { if (item != "") print item; item = "" }
		/^## / { out(); skip = /not defended/ }
		/^\* / { out(); if (!skip) item = $0; next }
		/^  / && item != "" { sub(/^ */, " "); item = item $0; next }
		{ out() }
		END { out() }' "$1"
}

# tests_of: what a claim on stdin has in its last brackets
tests_of()
{
	sed -nE 's/.*\[([a-z0-9_., -]+)\]$/\1/p' | tr -d ' ' | tr ',' '\n'
}

missing()
{
	local t

	claims "$1" | tests_of | sort -u | while read -r t; do
		compgen -G "$top/selftests/*/$t.c" >/dev/null ||
			compgen -G "$top/selftests/*/$t.sh" >/dev/null || echo "$t"
	done
}

untested()
{
	claims "$1" | grep -vE '\[[a-z0-9_., -]+\]$'
}

number=0 failed=0
empty()
{
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number $1"
	else
		echo "not ok $number $1"
		printf '%s\n' "$2" | sed 's/^/# /'
		failed=1
	fi
}

few=""
[ "$(claims "$top/SECURITY.md" | wc -l)" -ge 20 ] || few=$(claims "$top/SECURITY.md")
empty "there are claims" "$few"
empty "every claim names a test" "$(untested "$top/SECURITY.md")"
empty "every test that is named is there" "$(missing "$top/SECURITY.md")"

# and this would find it
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
printf '## A\n* One.\n  [abi]\n* Two. [nosuch, abi]\n* Three\n\n## What is not defended\n* Four\n' >"$tmp"
[ "$(untested "$tmp")" = "* Three" ] && [ "$(missing "$tmp")" = nosuch ]
empty "a claim without one, and a missing one, are found" "${?#0}"
echo "1..$number"
exit $failed
