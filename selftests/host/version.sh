#!/bin/bash
# version.sh - hpctl, the sources for dkms and the packages have the version of the
# UAPI header, which is the only place that it is written in by hand but the changelog.
set -u
top=${HPBUF_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}

echo "TAP version 13"
header=$(sed -n 's/^#define HPBUF_MODULE_VERSION[^"]*"\(.*\)"/\1/p' \
	"$top/include/uapi/linux/hpbuf.h" 2>/dev/null)
if [ -z "$header" ]; then
	echo "1..1"
	echo "not ok 1 HPBUF_MODULE_VERSION in include/uapi/linux/hpbuf.h"
	exit 1
fi
echo "1..3"
rc=0

# check NUMBER NAME VERSION
check()
{
	if [ "$3" = "$header" ]; then
		echo "ok $1 $2 is $header"
	else
		echo "not ok $1 $2 # '$3', but the header has '$header'"
		rc=1
	fi
}

src=$(mktemp -d)
trap 'rm -rf "$src"' EXIT
make -s -C "$top" dkms-source DESTDIR="$src" >/dev/null 2>&1
check 1 "dkms.conf as it is installed" \
	"$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$src/usr/src/hpbuf-$header/dkms.conf" 2>/dev/null)"

hpctl=${HPCTL:-$top/build/user/hpctl}
if [ -x "$hpctl" ]; then
	check 2 hpctl "$("$hpctl" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)"
else
	echo "ok 2 hpctl # SKIP not built"
fi

check 3 "the packages' changelog" \
	"$(sed -n '1s/^hpbuf (\([0-9.]*\).*/\1/p' "$top/debian/changelog" 2>/dev/null)"
exit $rc
