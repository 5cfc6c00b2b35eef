#!/bin/bash
# ktap_totals.sh - the runner and the totals, tried on tests that pass, fail,
# skip, skip everything, crash, say nothing, break their plan or hang.
#
# Guarantees: the golden totals below; a test that ran out of time keeps the
# results it had, and the reasons of all failures and skips are listed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
base=$(dirname "$here")
ktap=$here/ktap.py
[ -e "$ktap" ] || ktap=$base/vm/ktap.py

echo "TAP version 13"
if [ ! -e "$base/run_kselftest.sh" ]; then
	echo "1..0 # SKIP needs an installed suite: make kselftest-install"
	exit 4
fi
echo "1..4"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r "$base/run_kselftest.sh" "$base/kselftest" "$tmp/"
mkdir "$tmp/fake"
echo timeout=2 >"$tmp/fake/settings"

# fake NAME: a test of that name from stdin
fake()
{
	{
		echo '#!/bin/sh'
		cat
	} >"$tmp/fake/$1"
	chmod +x "$tmp/fake/$1"
	echo "fake:$1" >>"$tmp/kselftest-list.txt"
}

fake pass <<'T'
echo "TAP version 13"; echo "1..1"; echo "ok 1 fine"
T
fake fail <<'T'
echo "TAP version 13"; echo "1..4"; echo "not ok 1 broken # because"
echo "not ok 2 explained"; echo "# failed: false"; echo "not ok 3 not explained"
echo "#  RUN           x.y ..."; echo "# x.c:7:y:Expected 1 == 2"; echo "not ok 4 x.y"
exit 1
T
fake skip <<'T'
echo "TAP version 13"; echo "1..0 # SKIP no such thing"; exit 4
T
fake all_skip <<'T'
echo "1..2"; echo "ok 1 # SKIP needs 4 pages, found 0"; echo "ok 2 two # SKIP too"; exit 4
T
fake crash <<'T'
ulimit -c 0; kill -SEGV $$
T
fake no_output <<'T'
exit 0
T
fake wrong_plan <<'T'
echo "1..3"; echo "ok 1 one"
T
fake hang <<'T'
echo "1..2"; echo "ok 1 before"; sleep 20
T

"$tmp/run_kselftest.sh" 2>&1 </dev/null | cat >"$tmp/out"
/usr/bin/python3 "$ktap" "fake=$tmp/out" >"$tmp/totals"
status=$?

cat >"$tmp/golden" <<'T'
FAILED: fake: fail: broken (because)
FAILED: fake: fail: explained (failed: false)
FAILED: fake: fail: not explained
FAILED: fake: fail: x.y (x.c:7:y:Expected 1 == 2)
FAILED: fake: crash (exit=139; Segmentation fault)
FAILED: fake: no_output (printed no result)
FAILED: fake: wrong_plan (planned 3 results, gave 1)
FAILED: fake: hang (planned 2 results, gave 1; TIMEOUT 2 seconds)
skipped: fake: skip (no such thing)
skipped: fake: all_skip: test 1 (needs 4 pages, found 0)
skipped: fake: all_skip: two (too)
3 passed, 8 failed, 3 skipped
T

rc=0
# check NUMBER NAME STATUS
check()
{
	if [ "$3" = 0 ]; then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		rc=1
	fi
}

diff -u "$tmp/golden" "$tmp/totals" >"$tmp/diff" 2>&1
check 1 "golden totals" $?
sed 's/^/# /' "$tmp/diff"
[ "$status" = 1 ]
check 2 "failures give a failing exit status" $?

printf 'TAP version 13\n1..2\n# ok 1 a\nok 1 selftests: x: a\n' >"$tmp/cut"
/usr/bin/python3 "$ktap" "cut=$tmp/cut" | grep -q '1 passed, 1 failed, 0 skipped'
check 3 "a run cut short is a failure" $?

: >"$tmp/empty"
! /usr/bin/python3 "$ktap" "empty=$tmp/empty" >/dev/null
check 4 "no test at all is a failure" $?
exit $rc
