#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Of what the module shows in /sys, a user reads numbers and no addresses, and writes
# nothing.

# "check" calls functions by name
# shellcheck disable=SC2317 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
plan 4

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Text that could be an address in the kernel.
addresses()
{
	"$@" find /sys/module/hpbuf -type f -readable -exec \
		grep -lEai '(0x|^)ff[0-9a-f]{14}' {} + 2>/dev/null
}

parameters_are_numbers()
{
	local f

	for f in /sys/module/hpbuf/parameters/*; do
		as_nobody grep -qxE '[0-9]+' "$f" || return 1
	done
}

check "parameters are numbers, for all to read" parameters_are_numbers
[ -z "$(as_nobody find /sys/module/hpbuf /sys/class/misc/hpbuf/ -type f -writable)" ]
check "nothing can be written by a user" test $? = 0
check "root is shown addresses: there is something to hide" test -n "$(addresses)"
check "a user is shown none" test -z "$(addresses as_nobody)"
done_testing
