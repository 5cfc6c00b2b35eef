#!/bin/bash
# build-module.sh - build hpbuf.ko for a cached kernel.
#
# usage: build-module.sh VER [MAKE ARGUMENTS: W=1 C=1 ...]
#	HPBUF_BUILD	another directory than build/VER to build in
#
# Guarantees: build/VER/hpbuf.ko of this checkout is built from the current
# sources and carries the version magic of that kernel, whatever the running one
# is; nothing is written beside the sources.  Files that did not change are not
# compiled again.  On failure no hpbuf.ko is left.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -ge 1 ] || die "usage: build-module.sh VER [MAKE ARGUMENTS]"
ver=$1
shift
"$vm/fetch-kernel.sh" "$ver"
kernel=$(kernel_dir "$ver")
rel=$(cat "$kernel/release")
out=${HPBUF_BUILD:-$top/build/$ver}
mkdir -p "$out"

exec 8>"$out/.lock"
flock 8

# The sources' times are kept, so that make sees what changed.  What the build
# made itself is not in the tree and stays.
rsync -a "$top/Kbuild" "$out/"
for d in module include; do
	rsync -a --delete --filter='P *.o' --filter='P *.cmd' --filter='P *.mod' \
		--filter='P *.mod.c' --filter='P probed.h' "$top/$d" "$out/"
done
rm -f "$out/hpbuf.ko"

# of the module alone; means nothing to a kernel without KCOV
[[ $ver != *-debug ]] || set -- KCOV_INSTRUMENT=y "$@"

if [ -d "$kernel/chroot" ]; then
	[ "$(id -u)" = 0 ] || die "building for $ver needs root (chroot)"
	mkdir -p "$kernel/chroot/mnt/build"
	# a mount namespace of its own: the mounts go away with the build
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m /bin/sh -ec '
		mount --bind "$1" "$2/mnt/build"
		mount -t proc proc "$2/proc"
		root=$2 kdir=$3
		shift 3
		exec chroot "$root" make -C "$kdir" M=/mnt/build "$@"
	' sh "$out" "$kernel/chroot" "$(readlink "$kernel/kdir")" \
		-j"$(nproc)" "$@" modules
else
	make -C "$(realpath "$kernel/kdir")" M="$out" CC=gcc-12 -j"$(nproc)" "$@" modules
fi

magic=$(modinfo -F vermagic "$out/hpbuf.ko")
if [ "${magic%% *}" != "$rel" ]; then
	rm -f "$out/hpbuf.ko"
	die "hpbuf.ko is for '${magic%% *}', not for $rel"
fi
say "$rel: $out/hpbuf.ko"
