#!/bin/bash
# lint.sh - static checks: checkpatch, sparse and compiler warnings, shellcheck.
#
# usage: lint.sh		(what "make lint" runs)
#
# Guarantees: runs all of them and exits 1 if any finds something.
set -uo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1

"$vm/deps.sh" && "$vm/fetch-kselftest.sh" || exit 1
rc=0

# what an out-of-tree project in C and bash cannot or need not follow;
# kzalloc_obj() is missing in kernels we support
ignore=FILE_PATH_CHANGES,SPDX_LICENSE_TAG,ALLOC_WITH_SIZEOF,LINUX_VERSION_CODE
say "checkpatch"
find module include user selftests -name '*.[ch]' ! -name hpbuf_netlink.h -print0 |
	xargs -0 -r "$cache/linux-src/scripts/checkpatch.pl" --no-tree --strict --quiet \
		--terse --show-types --ignore "$ignore" --file || rc=1

say "sparse and W=1 on 6.1"
export HPBUF_BUILD=$top/build/lint
log=$HPBUF_BUILD/log
rm -rf "$HPBUF_BUILD"	# sparse looks at what is compiled only
mkdir -p "$HPBUF_BUILD"
if ! "$vm/build-module.sh" 6.1 W=1 C=1 >"$log" 2>&1; then
	tail -n 20 "$log"
	rc=1
elif grep -E '(warning|error): ' "$log"; then
	rc=1
fi

say "shellcheck"
git ls-files -z -co --exclude-standard '*.sh' .ci/run | xargs -0 -r shellcheck || rc=1

[ "$rc" != 0 ] || say "nothing found"
exit "$rc"
