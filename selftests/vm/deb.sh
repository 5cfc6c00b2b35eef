#!/bin/bash
# deb.sh - the Debian packages on a clean Debian 12: install, use, remove, purge.
#
# usage: deb.sh		(what "make check-deb" runs; "make deb" goes first)
#
# Guarantees: a Debian 12 with its own kernel is made by debootstrap (once; it is kept
# in the cache), the packages are installed in a copy of it, and that kernel is booted
# on it.  The last line is "N passed, N failed, N skipped"; exit status 0 only when
# nothing failed and the kernel log is clean.  Logs are in build/check-deb.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

out=$top/build/check-deb
base=$cache/debian12
debs=$top/build/deb
root=$cache/deb-root.$$
version=$(sed -n 's/^#define HPBUF_MODULE_VERSION[^"]*"\(.*\)"/\1/p' \
	"$top/include/uapi/linux/hpbuf.h")

[ "$(id -u)" = 0 ] || die "needs root (chroot)"
"$vm/deps.sh"
compgen -G "$debs/hpctl_*.deb" >/dev/null || die "no packages in $debs: make deb"
rm -rf "$out"
mkdir -p "$out"
trap 'rm -rf --one-file-system "$root"' EXIT

# in_root DIR COMMAND: with what a package's scripts look at; no service is started.
in_root()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m --propagation private /bin/sh -ec '
		dir=$1
		mount -t proc proc "$dir/proc"
		mount -t tmpfs tmpfs "$dir/tmp"
		mkdir -p "$3/partial"
		mount --bind "$3" "$dir/var/cache/apt/archives"
		exec chroot "$dir" /usr/bin/env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
			/bin/bash -ec "$2"
	' sh "$1" "$2" "$cache/debian12-archives" </dev/null
}

# A server as it comes: kernel, udev, no compiler and nothing of ours.
make_base()
{
	local uri security

	lock debian12
	[ ! -e "$base/.complete" ] || return 0
	say "making a Debian 12 root"
	rm -rf --one-file-system "$base"
	uri=$(mirror bookworm) || die "no Debian mirror in apt's sources"
	debootstrap --variant=minbase --include=udev,kmod,passwd,util-linux,login bookworm "$base" "$uri" \
		>"$out/debootstrap.log" 2>&1 || die "debootstrap failed: $out/debootstrap.log"
	security=$(mirror bookworm-security) && [ -n "$security" ] &&
		printf 'deb %s bookworm-security main\n' "$security" >>"$base/etc/apt/sources.list"
	apt-config dump | grep -E '^Acquire::(http|https|Check)' >"$base/etc/apt/apt.conf.d/90outer" || true
	cp -L /etc/resolv.conf "$base/etc/resolv.conf" 2>/dev/null || true
	printf '#!/bin/sh\nexit 101\n' >"$base/usr/sbin/policy-rc.d"
	chmod 755 "$base/usr/sbin/policy-rc.d"
	in_root "$base" '
		apt-get -qq update
		apt-get -qq -y --no-install-recommends install linux-image-amd64
	' >"$out/base.log" 2>&1 || die "no kernel in the Debian 12 root: $out/base.log"
	touch "$base/.complete"
}

number=0
: >"$out/root.ktap"
# result NAME COMMAND...
result()
{
	local name=$1 word=ok

	shift
	number=$((number + 1))
	"$@" >"$out/last.log" 2>&1 || word="not ok"
	printf '%s %d %s\n' "$word" "$number" "$name" | tee -a "$out/root.ktap"
	[ "$word" = ok ] || sed 's/^/# /' "$out/last.log" | tail -n 30 | tee -a "$out/root.ktap"
}

# What there is, but for what apt, dpkg and dkms keep of everything.
listing()
{
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/cache \
		-o -path ./var/lib/apt -o -path ./var/log -o -path ./var/lib/dpkg \) -prune \
		-o -print | sort)
	cut -d: -f1 "$root/etc/group"
}

# another_version VERSION: hpbuf-dkms again, as if that were its version.
another_version()
{
	local d=$root/debs/new v=$1

	dpkg-deb -R "$root"/debs/hpbuf-dkms_*.deb "$d"
	mv "$d/usr/src/hpbuf-$version" "$d/usr/src/hpbuf-$v"
	sed -i "s/${version//./\\.}/$v/g" "$d"/DEBIAN/{control,postinst,prerm,md5sums} \
		"$d/usr/src/hpbuf-$v/dkms.conf"
	sed -i "/HPBUF_MODULE_VERSION/s/\".*\"/\"$v\"/" \
		"$d/usr/src/hpbuf-$v/include/uapi/linux/hpbuf.h"
	mkdir "$root/debs/$v"
	dpkg-deb -b "$d" "$root/debs/$v/" >/dev/null
	rm -r "$d"
}

# Whether $want, and no other, is built, installed and left in /usr/src.
# shellcheck disable=SC2016 # for the inner shell
now_is='
	set -- $(dkms status hpbuf)
	echo "$@"
	[ "${1%,}" = "hpbuf/$want" ] && [ "${*: -1}" = installed ] && [ $# = 4 ]
	[ "$(modinfo -k $rel -F version hpbuf)" = $want ]
	[ "$(echo /usr/src/hpbuf-*)" = /usr/src/hpbuf-$want ]'

make_base
rel=$(basename "$(find "$base/boot" -name 'vmlinuz-*' | sort -V | tail -n 1)")
rel=${rel#vmlinuz-}
say "copying the root of $rel"
cp -a --one-file-system "$base" "$root"
mkdir "$root/debs"
cp "$debs"/hpbuf-dkms_*.deb "$debs"/hpctl_*.deb "$debs"/libhpbuf1_*.deb \
	"$debs"/libhpbuf-dev_*.deb "$root/debs/"
# what they depend on goes first, so that what is left after the purge is ours
result "what the packages depend on" in_root "$root" "
	apt-get -qq update
	apt-get -qq -y --no-install-recommends install dkms linux-headers-$rel adduser \
		libjansson4 libmnl-dev libsmartcols1 libnuma1 pkg-config libc6-dev"
listing >"$out/before"
result "the packages are installed" in_root "$root" \
	"apt-get -y --no-install-recommends install /debs/*.deb"
cp "$out/last.log" "$out/install.log"
sed 's/^/  /' "$out/install.log" >&2
# shellcheck disable=SC2016 # for the inner shell
result "dkms: installed for $rel" in_root "$root" "
	dkms status
	dkms status hpbuf/$version -k $rel | grep -q ': installed'
	modinfo -k $rel -F vermagic hpbuf | grep -q '^$rel '"
result "group, rule, options, limit, unit" in_root "$root" "
	getent group hpbuf
	grep hpbuf /lib/udev/rules.d/60-hpbuf.rules /etc/modprobe.d/hpbuf.conf \
		/etc/security/limits.d/hpbuf.conf
	test -e /lib/systemd/system/hpbuf-pool.service"

# a program as in libhpbuf(3)
# shellcheck disable=SC2016 # for the inner shell
result "libhpbuf-dev: pkg-config, shared and static" in_root "$root" '
	cat >/tmp/a.c <<"C"
	#include <libhpbuf.h>
	int main(void) { return hpbuf_open_device("/dev/null", NULL) >= 0; }
C
	cc -Wall -Werror -o /tmp/a /tmp/a.c $(pkg-config --cflags --libs hpbuf)
	ldd /tmp/a | grep libhpbuf.so.1
	/tmp/a
	cc -o /tmp/b /tmp/a.c -l:libhpbuf.a -lmnl
	/tmp/b
	test -e /usr/share/man/man3/libhpbuf.3.gz'

say "booting $rel"
cp "$vm/deb-guest.sh" "$root/root/"
status=0
"$vm/run.sh" -r "$root" -m "${HPBUF_GUEST_MEM:-6G}" -t 900 -l "$out/serial" -- \
	"bash /root/deb-guest.sh" | tee "$out/guest.ktap" || status=$?
rm "$root/root/deb-guest.sh"

another_version 99.0
result "upgraded" in_root "$root" "apt-get -y install /debs/99.0/hpbuf-dkms_*.deb
	want=99.0 rel=$rel$now_is"
result "downgraded" in_root "$root" "apt-get -y --allow-downgrades install /debs/hpbuf-dkms_*.deb
	want=$version rel=$rel$now_is"
result "purged" in_root "$root" "
	dpkg --purge hpbuf-dkms hpctl libhpbuf-dev libhpbuf1
	test -z \"\$(dkms status hpbuf)\""
rm -r "$root/debs/99.0"
listing >"$out/after"
result "the purge leaves nothing" diff "$out/before" "$out/after"
echo "1..$number" >>"$out/root.ktap"

# The totals: of the guest, as many results as its plan says, or it has died.
case $status in
0 | 1) ;;
*) echo "not ok 0 the guest ended with status $status" >>"$out/guest.ktap" ;;
esac
awk '
	/^(not )?ok / { total++ }
	/^ok .* # SKIP/ { skipped++; print "SKIPPED: " $0; next }
	/^ok / { passed++ }
	/^not ok / { failed++; print "FAILED: " $0 }
	/^1\.\./ { planned += substr($0, 4) }
	END {
		if (planned != total) {
			failed++
			print "FAILED: " total " results, " planned + 0 " were planned"
		}
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0
	}' "$out/root.ktap" "$out/guest.ktap"
