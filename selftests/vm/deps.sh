#!/bin/bash
# deps.sh - install the Debian packages that building, checking and the demo
# need.
#
# usage: deps.sh [lint|deb|debug]
#	lint	what static checks take too
#	deb	what building packages takes too
#	debug	what building kernels takes too
#
# Guarantees: afterwards all are installed; waits for another apt to finish;
# touches nothing else and is quick when nothing is missing.  Needs root only if
# something is missing.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pkgs=(
	# hpctl, libhpbuf and the tests
	build-essential pkg-config libmnl-dev libsmartcols-dev libjansson-dev
	libnuma-dev perl scdoc
	# the module
	gcc-12 bc kmod pahole dkms openssl
	# kernels and their sources
	debian-archive-keyring debootstrap xz-utils zstd rsync
	# guests
	qemu-system-x86 seabios busybox-static cpio util-linux
	iproute2 procps strace
	# netlink by an independent client, JSON schemas
	python3 python3-yaml python3-jsonschema jq
	# plots of hpctl report
	gnuplot-nox
)

case ${1:-} in
# coccinelle loads python's library when a script of its wants it
lint)	pkgs+=(sparse shellcheck cppcheck clang-19 clang-tidy-19 coccinelle libpython3.11-dev) ;;
deb)	pkgs+=(debhelper dh-dkms fakeroot lintian) ;;
debug)	pkgs+=(flex bison libelf-dev libssl-dev) ;;
esac

missing=()
mapfile -t have < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${pkgs[@]}" 2>/dev/null |
	sed -n 's/^installed //p' | sort -u)
for p in "${pkgs[@]}"; do
	case " ${have[*]} " in
	*" $p "*) ;;
	*) missing+=("$p") ;;
	esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

[ "$(id -u)" = 0 ] || die "missing, and only root can install: ${missing[*]}"
say "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
install()
{
	"${apt[@]}" -y --no-install-recommends install "${missing[@]}" </dev/null >&2
}
# the lists may be missing or old
install 2>/dev/null || { "${apt[@]}" update >&2 && install; }
