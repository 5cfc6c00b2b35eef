#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# uapi_header.sh - include/uapi/linux/hpbuf_netlink.h is what the kernel's YNL
# generator makes of include/netlink/hpbuf.yaml, which is valid by its schema.
#
# Needs $HPBUF_TOP (the checkout), $HPBUF_LINUX_SRC (with tools/net/ynl) and
# $HPBUF_PYTHON with yaml and jsonschema.
set -u

echo "TAP version 13"
here=$(cd "$(dirname "$0")" && pwd)
top=${HPBUF_TOP:-$(cd "$here/../.." && pwd)}
python=${HPBUF_PYTHON:-/usr/bin/python3}
src=${HPBUF_LINUX_SRC:-${HPBUF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hpbuf}/linux-src}
spec=$top/include/netlink/hpbuf.yaml
header=$top/include/uapi/linux/hpbuf_netlink.h
gen=$src/tools/net/ynl/pyynl/ynl_gen_c.py

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

[ -e "$spec" ] || skip_all "needs the checkout, found no $spec (HPBUF_TOP)"
[ -e "$gen" ] || skip_all "needs the YNL generator, found no $gen (HPBUF_LINUX_SRC)"
"$python" -c 'import yaml, jsonschema' 2>/dev/null ||
	skip_all "needs python3-yaml and python3-jsonschema for $python"
echo "1..3"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# result OK-OR-NOT NUMBER DESCRIPTION [FILE WITH DETAILS]
result()
{
	if [ "$1" = 0 ]; then
		echo "ok $2 $3"
		return
	fi
	echo "not ok $2 $3"
	[ -z "${4:-}" ] || head -n 40 "$4" | sed 's/^/# /'
	failed=1
}

# The generator wants a kernel tree around the spec: its place is written into
# the header, and the schema is looked for beside it.
specs=$tmp/Documentation/netlink/specs
mkdir -p "$specs"
cp "$src"/Documentation/netlink/*.yaml "$tmp/Documentation/netlink/"
cp "$spec" "$specs/"
touch "$tmp/MAINTAINERS"
cd "$tmp" || exit 1

timeout 120 "$python" "$gen" --mode uapi --header --spec "$specs/hpbuf.yaml" \
	-o "$tmp/hpbuf_netlink.h" >"$tmp/log" 2>&1
result $? 1 "the generator takes the spec" "$tmp/log"

diff -u "$header" "$tmp/hpbuf_netlink.h" >"$tmp/diff" 2>&1
result $? 2 "the header is the generated one" "$tmp/diff"

echo '#include <linux/hpbuf_netlink.h>
int main(void) { return HPBUF_CMD_BUF_GET == 0; }' >"$tmp/t.c"
${CC:-gcc} -std=c99 -pedantic -Wall -Wextra -Werror -I"$top/include/uapi" \
	-o "$tmp/t" "$tmp/t.c" >"$tmp/log" 2>&1
result $? 3 "it compiles as C99" "$tmp/log"

exit $failed
