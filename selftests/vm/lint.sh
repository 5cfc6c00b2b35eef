#!/bin/bash
# lint.sh - static checks of everything: checkpatch, sparse, the warnings of gcc
# and clang, coccinelle, cppcheck, clang-tidy, shellcheck.
#
# usage: lint.sh [CHECK...]	(what "make lint" runs; all of them by default)
#
# Guarantees: runs all of them, whatever the ones before found, and exits 1 if any
# finds something.  What they wrote stays in build/lint/.
# shellcheck disable=SC2317 # checks are called by name
set -uo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top" || exit 1

out=$top/build/lint
jobs=$(nproc)
clang="clang-19"
clang_tidy="clang-tidy-19"
ksft=$cache/linux-src/tools/testing/selftests

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
		xargs -0 -r -P "$jobs" -n 8 "$cache/linux-src/scripts/checkpatch.pl" --no-tree \
			--no-summary --quiet --terse --show-types $options --ignore "$ignored" --file
}

check_checkpatch()
{
	local rc=0

	patchcheck "$ignore" --strict module include || rc=1
	patchcheck "$ignore_user" "" user || rc=1
	# the harness's macros that stand for types look like products
	patchcheck "$ignore_user,SPACING" "" selftests || rc=1
	return "$rc"
}

# build_module VER DIRECTORY [MAKE ARGUMENTS]: from nothing, as warnings are of
# what is compiled only.
build_module()
{
	local ver=$1 dir=$out/$2

	shift 2
	rm -rf "$dir"
	mkdir -p "$dir"
	if ! HPBUF_BUILD=$dir "$vm/build-module.sh" "$ver" W=1 "$@" >"$dir/log" 2>&1; then
		grep -E '(warning|error): ' "$dir/log" || tail -n 20 "$dir/log"
		return 1
	fi
	! grep -E '(warning|error): ' "$dir/log"
}

check_sparse()
{
	build_module 6.1 gcc C=1
}

# Debian configures its kernels for gcc: what that decided is decided again.  The
# result is for its warnings, and is not kept: nobody should load it.  The headers
# give the same address space twice.
check_module_clang()
{
	local rc=0

	build_module 6.12 clang CC="$clang" CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y \
		CONFIG_GCC_VERSION=0 CONFIG_CLANG_VERSION="${clang#clang-}0000" \
		CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_DEBUG_INFO_BTF_MODULES= \
		CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough \
		KCFLAGS=-Wno-duplicate-decl-specifier || rc=1
	rm -f "$out/clang/hpbuf.ko"
	return "$rc"
}

# What spatch must be told is in a line of each script.  Two are written in OCaml
# and take its compiler: of one driver's tables, and of pointers compared to 0,
# which is sparse's as well.
check_coccinelle()
{
	local scripts=$cache/linux-src/scripts/coccinelle

	grep -rlE --include='*.cocci' 'virtual[[:space:]]+report' "$scripts" |
		xargs grep -LE '(script|initialize):ocaml' | sort |
		xargs -P "$jobs" -n 1 "$vm/lint-cocci.sh"
}

# The headers of libraries and of the harness have macros that hold half a loop.
# Without cppcheck's own posix.cfg, to which each mmap() of no file is a mistake
# and each readdir() one of threads.
check_cppcheck()
{
	local inc=$out/include

	rm -rf "$inc"
	mkdir -p "$inc"
	ln -s "$(pkg-config --variable=includedir jansson)/jansson.h" \
		"$(pkg-config --variable=includedir libmnl)/libmnl" \
		"$ksft/kselftest.h" "$ksft/kselftest_harness.h" "$inc/"
	cppcheck -j "$jobs" --quiet --enable=warning,performance,portability \
		--inline-suppr --error-exitcode=1 --std=c11 -D_GNU_SOURCE \
		-Iinclude/uapi -Iuser -Iuser/lib -Iselftests/module -I"$inc" \
		--suppress="*:$inc/*" user selftests
}

check_clang_tidy()
{
	local cflags

	cflags=$(pkg-config --cflags libmnl jansson smartcols)
	# shellcheck disable=SC2016 # for the inner shell
	find user -name '*.c' ! -path 'user/fuzz/*' -print0 | xargs -0 -P "$jobs" -n 4 sh -c '
		tidy=$1 cflags=$2
		shift 2
		exec "$tidy" --quiet "$@" -- -std=gnu11 -D_GNU_SOURCE -Iinclude/uapi \
			-Iuser -Iuser/lib $cflags 2>&1
	' sh "$clang_tidy" "$cflags" | grep -vE '^[0-9]+ warnings? generated\.$|Processing file '
	[ "${PIPESTATUS[1]}" = 0 ]
}

# The makefiles ask for all warnings and no mercy themselves.
check_user_clang()
{
	local user=$out/user

	make -s -k -j "$jobs" -C user CC="$clang" OUTPUT="$user" &&
		make -s -k -j "$jobs" -C selftests CC="$clang" BUILD="$out/selftests" \
			user_libs="$user/libhpctl.a $user/libhpbuf.a" &&
		make -s -k -j "$jobs" -C selftests/bench CC="$clang" user="$user" \
			OUTPUT="$out/selftests/bench" all guest
}

check_shellcheck()
{
	git ls-files -z -co --exclude-standard '*.sh' .ci/run |
		xargs -0 -r -P "$jobs" -n 8 shellcheck
}

checks=(checkpatch sparse module_clang coccinelle user_clang cppcheck clang_tidy shellcheck)
[ $# = 0 ] || checks=("$@")

"$vm/deps.sh" lint && "$vm/fetch-kselftest.sh" || exit 1
mkdir -p "$out"
rc=0
for check in "${checks[@]}"; do
	t=$SECONDS
	if "check_$check" >"$out/$check.log" 2>&1; then
		say "$check: nothing found ($((SECONDS - t)) s)"
	else
		say "$check: FOUND"
		cat "$out/$check.log"
		rc=1
	fi
done
exit "$rc"
