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

# Out of tree there is no MAINTAINERS; kzalloc_obj() is missing in kernels we
# support.
ignore=FILE_PATH_CHANGES,SPDX_LICENSE_TAG,ALLOC_WITH_SIZEOF,LINUX_VERSION_CODE
# User space has the C library's types and names, and no kernel macros.
ignore_user=$ignore,PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO,VOLATILE
ignore_user+=,ARRAY_SIZE,ENOSYS,USE_NEGATIVE_ERRNO,BRACES,COMPLEX_MACRO
ignore_user+=,MACRO_WITH_FLOW_CONTROL,EMBEDDED_FUNCTION_NAME

# patchcheck IGNORED "OPTIONS" DIRECTORY...
patchcheck()
{
	local ignored=$1 options=$2

	shift 2
	# shellcheck disable=SC2086 # options
	find "$@" -name '*.[ch]' ! -name hpbuf_netlink.h -print0 |
		xargs -0 -r "$cache/linux-src/scripts/checkpatch.pl" --no-tree --no-summary \
			--quiet --terse --show-types $options --ignore "$ignored" --file
}

say "checkpatch"
patchcheck "$ignore" --strict module include || rc=1
patchcheck "$ignore_user" "" user || rc=1
# the harness's macros that stand for types look like products
patchcheck "$ignore_user,SPACING" "" selftests || rc=1

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
