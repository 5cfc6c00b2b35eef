#!/bin/bash
# fetch-kernel.sh - put one Debian kernel with its headers into the cache.
#
# usage: fetch-kernel.sh 6.1|6.12|7.3
#	   fetch-kernel.sh 6.12-debug|7.3-debug (by fetch-debug-kernel.sh)
#
# Guarantees: afterwards CACHE/kernels/VER/ holds
#	vmlinuz		the kernel image
#	vmlinux		the same without compression, where it can be started so
#	release		its uname -r
#	modroot/	its modules: modprobe -d modroot
#	kdir		the headers, for make -C; for 7.3 they are in chroot/, and
#			kdir is a link that is right inside that root only
#	chroot/		(7.3 only) a Debian 13 root with the compiler they need
# A directory of that name is always complete: it is built under another name
# and moved into place.  Neither apt's sources nor any package of this machine
# is changed.  Quick when all is there.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# = 1 ] || die "usage: fetch-kernel.sh VER"
ver=$1
case $ver in
6.1)	suites="bookworm bookworm-security" ;;
6.12)	suites="bookworm-backports" ;;
7.3)	suites="trixie-backports" ;;
*-debug) exec "$vm/fetch-debug-kernel.sh" "$ver" ;;
*)	die "unknown kernel '$ver': one of $all_kernels" ;;
esac

dest=$(kernel_dir "$ver")
[ ! -e "$dest/release" ] || exit 0
lock "kernel-$ver"
[ ! -e "$dest/release" ] || exit 0

work=$cache/kernels/.new-$ver
rm -rf --one-file-system "$work"
mkdir -p "$work/root"
trap 'rm -rf --one-file-system "$work"' EXIT

# The newest release of that series: "6.1.0-57-amd64", "7.3.4+deb13-amd64".
newest_release()
{
	apt_in "$work/apt" apt-cache pkgnames "linux-image-$ver" |
		sed -nE "s/^linux-image-(${ver//./\\.}[.+][^-]+(-[0-9]+)?-amd64)$/\1/p" |
		sort -V | tail -n 1
}

# The packages that make up release $1, as far as this series has them.
packages_of()
{
	local stem=${1%-amd64} p

	for p in "linux-image-$1" "linux-binary-$1" "linux-modules-$1" \
		"linux-base-$1" "linux-headers-$1" "linux-headers-$stem-common" \
		"linux-kbuild-$stem" "linux-kbuild-$ver"; do
		case $ver:$p in
		7.3:linux-headers* | 7.3:linux-kbuild*) continue ;; # in the chroot
		esac
		if apt_in "$work/apt" apt-cache show "$p" >/dev/null 2>&1; then
			printf '%s\n' "$p"
		fi
	done
}

# Debian's headers name each other by absolute path: make that relative to the
# file which says so.
fix_headers()
{
	local f

	grep -rlI --include=Makefile --include='*.mk' -e /usr/src/linux-headers \
		"$work/root/usr/src" --exclude-dir=include | while read -r f; do
		# shellcheck disable=SC2016 # make expands it
		sed -i 's,/usr/src/linux-headers,$(dir $(lastword $(MAKEFILE_LIST)))../linux-headers,' "$f"
	done
	ln -sfn "../../../usr/src/linux-headers-$rel" "$work/root/lib/modules/$rel/build"
	rm -f "$work/root/lib/modules/$rel/source"
}

# A Debian 13 root with the headers installed, for kernels whose build tools
# do not run on this release.
make_chroot()
{
	local uri c=$work/chroot

	[ "$(id -u)" = 0 ] || die "building for $ver needs root (chroot)"
	uri=$(mirror bookworm) || die "no Debian mirror in apt's sources"
	say "making a Debian 13 root for $ver's build tools"
	debootstrap --variant=minbase --include=make,sparse,libelf1t64,pahole trixie "$c" "$uri" \
		>"$work/debootstrap.log" 2>&1 || {
		tail -n 20 "$work/debootstrap.log" >&2
		die "debootstrap failed"
	}
	printf 'deb %s trixie-backports main\n' "$uri" >>"$c/etc/apt/sources.list"
	apt-config dump | grep -E '^Acquire::(http|https|Check)' >"$c/etc/apt/apt.conf.d/90outer" || true
	cp -L /etc/resolv.conf "$c/etc/resolv.conf" 2>/dev/null || true
	unshare -m chroot "$c" /bin/sh -ec "
		mount -t proc proc /proc
		export DEBIAN_FRONTEND=noninteractive
		apt-get -qq update
		apt-get -qq -y --no-install-recommends -t trixie-backports install linux-headers-$rel
		apt-get clean
	" >"$work/headers.log" 2>&1 </dev/null || {
		tail -n 20 "$work/headers.log" >&2
		die "installing the headers in the Debian 13 root failed"
	}
}

say "looking for the newest $ver kernel"
# shellcheck disable=SC2086 # a list
apt_setup "$work/apt" $suites
rel=$(newest_release)
[ -n "$rel" ] || die "no kernel $ver in: $suites"
mapfile -t pkgs < <(packages_of "$rel")

say "fetching $rel (${#pkgs[@]} packages)"
mkdir "$work/debs"
(cd "$work/debs" && apt_in "$work/apt" apt-get -qq download "${pkgs[@]}")
for deb in "$work/debs"/*.deb; do
	dpkg-deb -x "$deb" "$work/root"
done
# newer packages know no /lib beside /usr/lib
[ -e "$work/root/lib" ] || ln -s usr/lib "$work/root/lib"
[ "$ver" = 7.3 ] || fix_headers
depmod -b "$work/root" "$rel"

if [ -e "$work/root/boot/vmlinuz-$rel" ]; then
	ln -s "root/boot/vmlinuz-$rel" "$work/vmlinuz"
else
	ln -s "root/lib/modules/$rel/vmlinuz" "$work/vmlinuz"
fi
[ -s "$work/vmlinuz" ] || die "$rel has no vmlinuz where one was expected"
uncompress_kernel "$work/vmlinuz" "$work/vmlinux" || rm -f "$work/vmlinux"
ln -s root "$work/modroot"
if [ "$ver" = 7.3 ]; then
	make_chroot
	ln -s "/usr/src/linux-headers-$rel" "$work/kdir"
else
	ln -s "root/usr/src/linux-headers-$rel" "$work/kdir"
	[ -e "$work/kdir/Makefile" ] || die "$rel has no headers where they were expected"
fi
rm -rf "$work/debs" "$work/apt"
printf '%s\n' "$rel" >"$work/release"
rm -rf --one-file-system "$dest"
mv "$work" "$dest"
trap - EXIT
say "$rel is in the cache"
