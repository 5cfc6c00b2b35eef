#!/bin/bash
# lib.sh - sourced by the other scripts here: names, messages, a private apt.
#
# Guarantees: sets top (the checkout), vm (this directory) and cache (see
# HPBUF_CACHE); changes nothing by being sourced.
# shellcheck disable=SC2034 # the variables are for whoever sources this

vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd "$vm/../.." && pwd -P)
cache=${HPBUF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hpbuf}
all_kernels="6.1 6.12 7.3"

# Debian's own python3: its yaml and jsonschema modules are packages.
python=/usr/bin/python3

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# lock NAME: wait for the lock of that name in the cache; held until exit.
lock()
{
	mkdir -p "$cache"
	exec 9>"$cache/.lock-$1"
	flock 9
}

# kernel_dir VER: where fetch-kernel.sh keeps that kernel.
kernel_dir()
{
	printf '%s/kernels/%s\n' "$cache" "$1"
}

# uncompress_kernel BZIMAGE TO: the kernel in it as it is, which an emulator starts in a
# fraction of the time; false where there is none that can be started so. The fields are
# those of Linux's Documentation/arch/x86/boot.rst.
uncompress_kernel()
{
	local from=$1 to=$2 sects at len unpack

	sects=$(od -An -tu1 -j 0x1f1 -N 1 "$from")
	at=$(od -An -tu4 -j 0x248 -N 4 "$from")
	len=$(od -An -tu4 -j 0x24c -N 4 "$from")
	at=$(((sects + 1) * 512 + at))
	case $(od -An -tx1 -j "$at" -N 4 "$from") in
	" fd 37 7a 58")	unpack="xz -dc" ;;
	" 28 b5 2f fd")	unpack="zstd -dcq" ;;
	" 1f 8b "*)	unpack="gzip -dc" ;;
	*)		return 1 ;;
	esac
	# its length without compression is the last word
	dd if="$from" iflag=skip_bytes,count_bytes skip=$at count=$((len - 4)) bs=1M status=none |
		$unpack >"$to" || return 1
	# a note of the type XEN_ELFNOTE_PHYS32_ENTRY
	readelf -n "$to" 2>/dev/null | grep -q 0x00000012
}

# mirror SUITE: the address this machine's own apt uses for that suite.
# HPBUF_MIRROR overrides it for everything.
mirror()
{
	local uri

	if [ -n "${HPBUF_MIRROR:-}" ]; then
		printf '%s\n' "$HPBUF_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt expands these, not the shell
	uri=$(apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(REPO_URI)' |
		awk -v s="$1" '$1 == "Packages" && $2 == s { print $3; exit }')
	[ -n "$uri" ] || return 1
	printf '%s\n' "$uri"
}

# apt_setup DIR SUITE...: a private apt configuration in DIR that sees these
# suites only and believes that nothing is installed.
apt_setup()
{
	local dir=$1 suite uri

	shift
	mkdir -p "$dir/lists/partial" "$dir/archives/partial" "$dir/parts"
	: >"$dir/status"
	: >"$dir/sources.list"
	for suite; do
		case $suite in
		*-security) uri=$(mirror "$suite") || continue ;;
		*)	uri=$(mirror bookworm) ||
				die "no Debian mirror in apt's sources (HPBUF_MIRROR=URL names one)" ;;
		esac
		printf 'deb %s %s main\n' "$uri" "$suite" >>"$dir/sources.list"
	done
	apt_in "$dir" apt-get -qq update
}

# apt_in DIR COMMAND...: run an apt command with the configuration of DIR.
apt_in()
{
	local dir=$1 cmd=$2

	shift 2
	"$cmd" -o Dir::Etc::sourcelist="$dir/sources.list" \
		-o Dir::Etc::sourceparts="$dir/parts" \
		-o Dir::Etc::preferencesparts="$dir/parts" \
		-o Dir::State="$dir" -o Dir::State::lists="$dir/lists" \
		-o Dir::State::status="$dir/status" \
		-o Dir::Cache="$dir" -o Dir::Cache::archives="$dir/archives" \
		-o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 "$@"
}
