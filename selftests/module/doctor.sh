#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "hpctl doctor" with the module loaded: what it says of the module is so, and it sees
# what a user has and has not: the node's group and mode, the limit, the switch of
# transparent huge pages.

# "check" calls functions by name
# shellcheck disable=SC2317 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_root
need_module
need_hpctl
python=${HPBUF_PYTHON:-/usr/bin/python3}
"$python" -I -S -c '' 2>/dev/null || skip_all "needs $python"
plan 11

was=$(stat -c '%u:%g %a' /dev/hpbuf)
back()
{
	chown "${was% *}" /dev/hpbuf
	chmod "${was#* }" /dev/hpbuf
	rm -rf "$tmp"
}
trap back EXIT

# says CHECK STATE TEXT [COMMAND...]: the row of that check, in hpctl's words to COMMAND
says()
{
	local name=$1 state=$2 text=$3 row

	shift 3
	"$@" "$hpctl" doctor -q --no-headings --columns check,state,found,fix \
		>"$tmp/doc" 2>/dev/null
	row=$(grep "^$name " "$tmp/doc")
	echo "$row"
	[ "$(wc -l <<<"$row")" = 1 ] && [[ $row =~ ^"$name"\ +"$state"\ .*"$text" ]]
}

# Some user, in the node's group or in none.
member()
{
	setpriv --reuid 65533 --regid 65533 --groups 64999 --bounding-set -all "$@"
}
stranger()
{
	setpriv --reuid 65533 --regid 65533 --clear-groups --bounding-set -all "$@"
}
limited()
{
	prlimit --memlock=65536 setpriv --reuid 65533 --regid 65533 --clear-groups "$@"
}
thp_off()
{
	"$python" -I -S -c '
import ctypes, os, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
# Exit code 4: not supported here.
no_mapping()
{
	thp_off "$hpctl" run get -b hpbuf-1g -s 5M -r 1 --ops 100
	[ $? = 4 ]
}

version=$(cat /sys/module/hpbuf/version)
check "the module and its version" says module ok "$version is loaded"
check "the handshake" says versions ok "same interface"
check "netlink" says netlink ok answers
check "netlink in another network namespace" says netlink fail "network namespace" unshare -n
chown 0:0 /dev/hpbuf
chmod 600 /dev/hpbuf
check "a node for root alone" says device warn "chgrp hpbuf /dev/hpbuf"
check "which is of no use to others" says device fail "no permission" stranger
chown 0:64999 /dev/hpbuf
chmod 660 /dev/hpbuf
check "a node of a group, to a member" says device ok 0660 member
check "and to a stranger" says device fail "no permission" stranger
check "64 KiB of locked memory" says memlock fail "64.00 KiB: less than one page" limited
check "a parent that switched huge pages off" says thp-process fail "PR_SET_THP_DISABLE" thp_off
check "and no 1 GiB mapping is to be had there" no_mapping
done_testing
