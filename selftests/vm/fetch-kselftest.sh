#!/bin/bash
# fetch-kselftest.sh - put the parts of the kernel source that the checks use
# into the cache.
#
# usage: fetch-kselftest.sh [-p]
#	-p	print where it is (and nothing else on stdout)
#
# Guarantees: afterwards CACHE/linux-src/ holds, at their usual places: the
# kselftest framework, YNL with its schemas, checkpatch, kernel-doc, coccinelle's
# scripts and kunit.py, all from Debian's newest linux-source of the kernels we check.  The directory
# is complete or absent.  Nothing of it is ever copied into the tree.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

dest=$cache/linux-src
[ "${1:-}" != -p ] || printf '%s\n' "$dest"
# A cache may be from before the scripts were part of it.
complete()
{
	[ -e "$dest/.complete" ] && [ -d "$dest/scripts/coccinelle" ]
}

! complete || exit 0
lock linux-src
! complete || exit 0

work=$cache/.new-linux-src
rm -rf "$work"
mkdir -p "$work/src" "$work/deb"
trap 'rm -rf "$work"' EXIT

# One attempt for each source of sources, the newest first.
fetch_source()
{
	local series suites

	while read -r series suites; do
		say "fetching the source of $series"
		rm -rf "$work/apt"
		# shellcheck disable=SC2086 # a list
		if (apt_setup "$work/apt" $suites &&
			cd "$work/deb" &&
			apt_in "$work/apt" apt-get -qq download "linux-source-$series"); then
			return 0
		fi
	done <<-EOF
		7.3 trixie-backports
		6.12 bookworm-backports
		6.1 bookworm bookworm-security
	EOF
	die "no linux-source to be had"
}

fetch_source
deb=$(echo "$work"/deb/linux-source-*.deb)
name=$(basename "$deb")
name=${name%%_*}

# The names are patterns: tar says which ones matched nothing, and not every
# series has all of them.
say "unpacking the selftest framework out of $name"
dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards "*/usr/src/$name.tar.xz" |
	tar -C "$work/src" --strip-components=1 --wildcards --no-wildcards-match-slash -xJ \
	"$name/tools/testing/selftests/Makefile" \
	"$name/tools/testing/selftests/*.mk" \
	"$name/tools/testing/selftests/*.sh" \
	"$name/tools/testing/selftests/*.h" \
	"$name/tools/testing/selftests/kselftest" \
	"$name/tools/testing/kunit" \
	"$name/tools/net/ynl" \
	"$name/tools/lib/python" \
	"$name/scripts/subarch.include" \
	"$name/scripts/checkpatch.pl" \
	"$name/scripts/coccinelle" \
	"$name/scripts/spelling.txt" \
	"$name/scripts/const_structs.checkpatch" \
	"$name/scripts/deprecated_terms.txt" \
	"$name/scripts/kernel-doc*" \
	"$name/scripts/lib" \
	"$name/Documentation/netlink/*.yaml" \
	"$name/MAINTAINERS" 2>"$work/tar.err" ||
	! grep -v 'Not found in archive\|Exiting with failure' "$work/tar.err" >&2

for f in tools/testing/selftests/lib.mk tools/testing/selftests/kselftest/runner.sh \
	tools/testing/selftests/run_kselftest.sh scripts/checkpatch.pl; do
	[ -e "$work/src/$f" ] || die "$name has no $f"
done
# the harness looks for its header here in some series only
touch "$work/src/MAINTAINERS"
date -r "$deb" -u +"$name %F" >"$work/src/.complete"
rm -rf "$dest"
mv "$work/src" "$dest"
