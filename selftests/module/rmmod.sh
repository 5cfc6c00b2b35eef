#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module cannot be unloaded while anything holds it, and can be afterwards,
# again and again, leaving no memory behind. Leaves it loaded, with defaults.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_root
need_ko
need_module
need_hpctl
plan 12

# refused: rmmod fails, and the module stays
refused()
{
	! rmmod hpbuf && [ -e /dev/hpbuf ]
}

# by "hpctl alloc": persistent, so that nothing but the buffer holds the module
made()
{
	"$hpctl" alloc -s "$1" -p "$2" --name held -q
}

exec 8<>/dev/hpbuf
check "refused while the device is open" refused
exec 8>&-

check "a buffer of 2 MiB pages can be made" made 6M 2M
check "refused while a persistent buffer lives" refused
check "the buffer is still there" "$hpctl" show held
check "it can be freed" "$hpctl" free held
check "unloaded" unload_module
check "the device is gone" test ! -e /dev/hpbuf
check "hpctl says that the module is not there: exit 4" \
	bash -c '"$1" alloc -s 2M -p 2M; [ $? = 4 ]' - "$hpctl"

# load, use, unload
cycle()
{
	load_module && made 16M 2M && "$hpctl" free held && unload_module
}

# the same with a 1 GiB page where one can be had
big_cycle()
{
	load_module || return 1
	if made 1G 1G; then
		"$hpctl" free held || return 1
	fi
	unload_module
}

check "loaded, used and unloaded once" big_cycle
before=$(known_kb)

cycles()
{
	local i

	cycle || return 1
	for ((i = 1; i < 20; i++)); do
		load_module && [ -c /dev/hpbuf ] && unload_module || return 1
	done
}
check "20 times more" cycles
check "memory is back" memory_back "$before"
check "loaded again" load_module
done_testing
