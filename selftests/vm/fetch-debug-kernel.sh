#!/bin/bash
# fetch-debug-kernel.sh - build a kernel with all detectors on into the cache.
#
# usage: fetch-debug-kernel.sh 6.12-debug|7.3-debug
#
# From Debian's linux-source, with debug.config, by this machine's gcc-12. Takes a
# quarter to half an hour on two cores.
#
# Guarantees: afterwards CACHE/kernels/VER/ has what fetch-kernel.sh's directories
# have. It is complete or absent. Quick when all is there.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# = 1 ] || die "usage: fetch-debug-kernel.sh VER-debug"
ver=$1 series=${1%-debug}
case $ver in
6.12-debug) suites="bookworm-backports" ;;
7.3-debug) suites="trixie-backports" ;;
*)	die "unknown kernel '$ver': 6.12-debug or 7.3-debug" ;;
esac

dest=$(kernel_dir "$ver")
[ ! -e "$dest/release" ] || exit 0
lock "kernel-$ver"
[ ! -e "$dest/release" ] || exit 0
"$vm/deps.sh" debug

work=$cache/kernels/.new-$ver
rm -rf --one-file-system "$work"
mkdir -p "$work/deb" "$work/src"
trap 'rm -rf --one-file-system "$work"' EXIT

say "fetching the source of $series"
# shellcheck disable=SC2086 # a list
apt_setup "$work/apt" $suites
(cd "$work/deb" && apt_in "$work/apt" apt-get -qq download "linux-source-$series")
dpkg-deb --fsys-tarfile "$work"/deb/*.deb |
	tar -xO --wildcards "*/usr/src/linux-source-$series.tar.xz" |
	tar -C "$work/src" --strip-components=1 -xJ
rm -rf "$work/deb" "$work/apt"

build()
{
	make -s -C "$work/src" CC=gcc-12 HOSTCC=gcc-12 "$@"
}

build tinyconfig
(cd "$work/src" && scripts/kconfig/merge_config.sh -m .config "$vm/debug.config" >/dev/null)
# before 6.15 this detector itself corrupts memory when a 1 GiB page is mapped
[ "$series" != 6.12 ] || (cd "$work/src" && scripts/config -d PAGE_TABLE_CHECK_ENFORCED)
build olddefconfig
for option in KASAN PROVE_LOCKING DEBUG_VM PAGE_TABLE_CHECK DEBUG_ATOMIC_SLEEP 9P_FS \
	DEBUG_KMEMLEAK FAIL_FUNCTION FAILSLAB FAULT_INJECTION_STACKTRACE_FILTER KCOV HIBERNATION; do
	grep -qx "CONFIG_$option=y" "$work/src/.config" || die "$series does not take CONFIG_$option"
done
say "building $ver"
build -j"$(nproc)" bzImage modules

mkdir "$work/dest"
build INSTALL_MOD_PATH="$work/dest/modroot" INSTALL_MOD_STRIP=1 modules_install
release=$(build kernelrelease)
cp "$work/src/arch/x86/boot/bzImage" "$work/dest/vmlinuz"
uncompress_kernel "$work/dest/vmlinuz" "$work/dest/vmlinux" || rm -f "$work/dest/vmlinux"
rm -f "$work/dest/modroot/lib/modules/$release"/{build,source}
# what building a module needs is not the objects
find "$work/src" -name '*.o' -not -path '*/scripts/*' -not -path '*/tools/*' -delete
rm -f "$work/src"/vmlinux.unstripped
mv "$work/src" "$work/dest/src"
ln -s src "$work/dest/kdir"
printf '%s\n' "$release" >"$work/dest/release"
rm -rf --one-file-system "$dest"
mv "$work/dest" "$dest"
