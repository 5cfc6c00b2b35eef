#!/bin/bash
# dkms.sh - install hpbuf through dkms for a cached kernel, into directories that are
# thrown away.
#
# usage: dkms.sh VER [--broken]
#	--broken	with headers that nothing can be compiled against: must fail and
#			say so
#
# Guarantees: the machine's own /usr/src, /var/lib/dkms and /lib/modules are not
# touched.  Exit status 0 when dkms says "installed" for that kernel, the module is
# there and is for it (whatever kernel is running), and is gone after "dkms remove"; 4
# when dkms or root is missing.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -ge 1 ] || die "usage: dkms.sh VER [--broken]"
ver=$1 broken=${2:-}
[ "$(id -u)" = 0 ] || { say "needs root"; exit 4; }
command -v dkms >/dev/null || { say "needs dkms"; exit 4; }
"$vm/fetch-kernel.sh" "$ver"
kernel=$(kernel_dir "$ver")
rel=$(cat "$kernel/release")
version=$(sed -n 's/^#define HPBUF_MODULE_VERSION[^"]*"\(.*\)"/\1/p' \
	"$top/include/uapi/linux/hpbuf.h")

tmp=$(mktemp -d)
trap 'rm -rf --one-file-system "$tmp"' EXIT
mkdir -p "$tmp"/{src,dkms,modules,up,work,root}
make -s -C "$top" dkms-source DESTDIR="$tmp/dest"
mv "$tmp/dest/usr/src/hpbuf-$version" "$tmp/src/"

# The 7.3 headers are in a root of their own, with the compiler they need; it gets the
# dkms of its release, once.
if [ -d "$kernel/chroot" ] && [ ! -x "$kernel/chroot/usr/sbin/dkms" ]; then
	lock "chroot-$ver"
	say "installing dkms in the Debian 13 root"
	unshare -m chroot "$kernel/chroot" /bin/sh -ec '
		mount -t proc proc /proc
		export DEBIAN_FRONTEND=noninteractive
		apt-get -qq update
		apt-get -qq -y --no-install-recommends install dkms openssl
		apt-get clean
	' >"$tmp/apt.log" 2>&1 </dev/null || { tail -n 5 "$tmp/apt.log" >&2; die "no dkms"; }
fi

# In a mount namespace: dkms keeps its signing key in /var/lib/dkms whatever it is told.
cat >"$tmp/run" <<'R'
set -eu
flags="--sourcetree $1/src --dkmstree $1/dkms --installtree $1/modules"
kdir=$2 rel=$3 version=$4 broken=$5
if [ -n "$broken" ]; then
	mm=$(find -L "$(dirname "$kdir")" -path '*-common/include/linux/mm.h' | grep "${rel%%-*}" | head -n 1)
	: >"$1/empty.h"
	mount --bind "$1/empty.h" "$mm"
fi
# what is there of a kernel that is installed
mkdir -p "$1/modules/$rel"
ln -s "$kdir" "$1/modules/$rel/build"
# shellcheck disable=SC2086 # words
dkms add "hpbuf/$version" $flags
# shellcheck disable=SC2086
dkms install "hpbuf/$version" -k "$rel" --kernelsourcedir "$kdir" --no-depmod $flags || {
	status=$?
	cat "$1/dkms/hpbuf/$version/build/make.log" || true
	exit $status
}
status=$(dkms status "hpbuf/$version" -k "$rel" --dkmstree "$1/dkms" --installtree "$1/modules")
echo "$status"
case $status in *": installed"*) ;; *) exit 1 ;; esac
ko=$(find "$1/modules/$rel/updates" -name 'hpbuf.ko*')
magic=$(modinfo -F vermagic "$ko")
[ "${magic%% *}" = "$rel" ]
[ "$(modinfo -F version "$ko")" = "$version" ]
# shellcheck disable=SC2086
dkms remove "hpbuf/$version" --all $flags
[ -z "$(find "$1/modules" -name 'hpbuf.ko*')" ]
[ -z "$(dkms status "hpbuf/$version" --dkmstree "$1/dkms" --installtree "$1/modules")" ]
R
# shellcheck disable=SC2016 # for the inner shell
unshare -m /bin/sh -ec '
	tmp=$1 kernel=$2
	shift 2
	if [ -d "$kernel/chroot" ]; then
		mount --bind "$kernel/chroot" "$tmp/root"
		mount -t tmpfs tmpfs "$tmp/root/mnt"
		for d in src dkms modules; do
			mkdir "$tmp/root/mnt/$d"
			mount --bind "$tmp/$d" "$tmp/root/mnt/$d"
		done
		cp "$tmp/run" "$tmp/root/mnt/run"
		mount -t proc proc "$tmp/root/proc"
		mount -t tmpfs tmpfs "$tmp/root/var/lib/dkms"
		exec chroot "$tmp/root" /bin/sh /mnt/run /mnt "$(readlink "$kernel/kdir")" "$@"
	fi
	mount -t tmpfs tmpfs /var/lib/dkms
	exec /bin/sh "$tmp/run" "$tmp" "$(realpath "$kernel/kdir")" "$@"
' sh "$tmp" "$kernel" "$rel" "$version" "$broken"
