# _hpctl.sh - shared by the tests of hpctl's command line; not a test.
# shellcheck shell=bash
#
# Sets $top and $hpctl, or skips the test. Needs no module: what would need one
# must answer at once that it is not loaded.
top=${HPBUF_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
hpctl=${HPCTL:-$top/build/user/hpctl}

echo "TAP version 13"
if [ ! -x "$hpctl" ]; then
	echo "1..0 # SKIP needs hpctl: make user"
	exit 4
fi
# shellcheck disable=SC2034
module_loaded=$([ -d /sys/module/hpbuf ] && echo yes)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0

# result OK|FAIL NAME [REASON]
result()
{
	number=$((number + 1))
	if [ "$1" = OK ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2 # $3"
		failed=1
	fi
}

skipped()
{
	number=$((number + 1))
	echo "ok $number $1 # SKIP $2"
}

# finish: the plan comes last, so that nobody has to count.
finish()
{
	echo "1..$number"
	exit $failed
}
