#!/bin/bash
# dkms_refused.sh - dkms refuses kernels and configurations that the module is not for
# and tells why when nothing can be compiled; "make sign" signs, or says what it lacks.
set -u
# shellcheck source=_dkms.sh
. "$(dirname "$0")/_dkms.sh"

# With headers that nothing can be compiled against.
first=""
for ver in 6.1 6.12; do
	[ -n "$first" ] || [ ! -e "$(kernel_dir $ver)/release" ] || first=$ver
done
if [ -z "$first" ]; then
	result SKIP "a failed probe says so" "neither 6.1 nor 6.12 is in the cache"
else
	"$top/selftests/vm/dkms.sh" "$first" --broken >"$tmp/log" 2>&1
	rc=$?
	if [ $rc != 0 ] && grep -q "probe: nothing can be compiled against this kernel" "$tmp/log"; then
		result OK "a failed probe says so"
	else
		result FAIL "a failed probe says so" "exit $rc"
	fi
fi

# What it is not for: dkms ends with 77 and says it before anything is compiled.
# excluded NAME RELEASE CONFIG-LINES
excluded()
{
	local dir=$tmp/$2 version rc

	mkdir -p "$dir"/{src,dkms,modules/"$2",headers}
	printf '%s\n' "$3" >"$dir/headers/.config"
	make -s -C "$top" dkms-source DESTDIR="$dir/dest"
	mv "$dir"/dest/usr/src/hpbuf-* "$dir/src/"
	version=$(echo "$dir"/src/hpbuf-*)
	version=${version##*-}
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m /bin/sh -c '
		mount -t tmpfs tmpfs /var/lib/dkms
		dir=$1 version=$2 rel=$3
		set -- --sourcetree "$dir/src" --dkmstree "$dir/dkms" --installtree "$dir/modules"
		dkms add "hpbuf/$version" "$@" &&
		dkms build "hpbuf/$version" -k "$rel" --kernelsourcedir "$dir/headers" "$@"
	' sh "$dir" "$version" "$2" >"$tmp/log" 2>&1
	rc=$?
	if [ $rc = 77 ] && grep -q BUILD_EXCLUSIVE "$tmp/log"; then
		result OK "$1"
	else
		result FAIL "$1" "exit $rc"
	fi
}

config=$(sed -n 's/^BUILD_EXCLUSIVE_CONFIG="\(.*\)"/\1/p' "$top/dkms.conf" | tr ' ' '\n' | sed 's/$/=y/')
excluded "5.10 is excluded" 5.10.0-99-amd64 "$config"
excluded "6.0 is excluded" 6.0.0-1-amd64 "$config"
excluded "a kernel without contiguous allocation is excluded" 6.99.0-1-amd64 \
	"${config/CONFIG_CONTIG_ALLOC=y/# CONFIG_CONTIG_ALLOC is not set}"

# The key that the machine's owner made.
ko=$top/build/6.1/hpbuf.ko kdir=$(kernel_dir 6.1)/kdir
if [ ! -e "$ko" ] || ! command -v openssl >/dev/null; then
	result SKIP "make sign" "needs openssl and build/6.1/hpbuf.ko"
else
	cp "$ko" "$tmp/hpbuf.ko"
	openssl req -new -x509 -nodes -days 2 -subj "/CN=hpbuf test key/" -newkey rsa:2048 \
		-keyout "$tmp/key" -outform DER -out "$tmp/cert" >"$tmp/log" 2>&1
	make -C "$top" sign KO="$tmp/hpbuf.ko" KDIR="$(realpath "$kdir")" MOK_KEY="$tmp/key" \
		MOK_CERT="$tmp/cert" >>"$tmp/log" 2>&1
	if [ "$(modinfo -F signer "$tmp/hpbuf.ko")" = "hpbuf test key" ]; then
		result OK "make sign"
	else
		result FAIL "make sign" "signed by '$(modinfo -F signer "$tmp/hpbuf.ko")'"
	fi
fi
echo >"$tmp/other.ko"
if make -C "$top" sign KO="$tmp/other.ko" MOK_KEY=/nowhere >"$tmp/log" 2>&1 ||
	! grep -q "no key at /nowhere" "$tmp/log"; then
	result FAIL "make sign without a key says so" "see above"
else
	result OK "make sign without a key says so"
fi
finish
