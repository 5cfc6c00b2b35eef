# _dkms.sh - shared by the tests of the module's way through dkms; not a test.
# shellcheck shell=bash
top=${HPBUF_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=../vm/lib.sh
. "$top/selftests/vm/lib.sh" 2>/dev/null || { echo "1..0 # SKIP needs a checkout: HPBUF_TOP"; exit 4; }

echo "TAP version 13"
if [ "$(id -u)" != 0 ] || ! command -v dkms >/dev/null; then
	echo "1..0 # SKIP needs root and dkms"
	exit 4
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
number=0 failed=0

# result OK|FAIL|SKIP NAME [REASON]
result()
{
	number=$((number + 1))
	case $1 in
	OK)	echo "ok $number $2" ;;
	SKIP)	echo "ok $number $2 # SKIP $3" ;;
	*)	echo "not ok $number $2 # $3"
		sed 's/^/# /' "$tmp/log"
		failed=1 ;;
	esac
}

# finish: the plan comes last, so that nobody has to count.
finish()
{
	echo "1..$number"
	exit $failed
}
