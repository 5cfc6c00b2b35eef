#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# _pool.sh - sourced after _lib.sh by the tests of the pool: what it is now, as
# "hpctl pool" tells it, and an end that leaves it empty.
# shellcheck disable=SC2154 # _lib.sh has them

# fields NAMES [NODE]: of the module's pool of 2 MiB pages, in a line; NAMES are columns
fields()
{
	local page node rest

	while read -r page node rest; do
		if [ "$page $node" = "2097152 ${2:-0}" ]; then
			echo "$rest"
			return
		fi
	done < <("$hpctl" pool -q -b --no-headings --columns "page,node,$1" 2>/dev/null)
}

# field NAME [NODE]
field()
{
	fields "$@"
}

# want_ready WANT READY [NODE]: they are that, in a bounded time
want_ready()
{
	local i now

	for ((i = 0; i < 600 * ${HPBUF_TIMEOUT_SCALE:-1}; i++)); do
		read -r -a now < <(fields want,ready "${3:-0}")
		[ "${now[*]}" != "$1 $2" ] || return 0
		sleep 0.2
	done
	"$hpctl" pool
	return 1
}

# hpctl_code WANT TEXT ARG...: hpctl ends with that exit code and says TEXT
hpctl_code()
{
	local want=$1 text=$2 rc

	shift 2
	"$hpctl" "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	cat "$tmp/out" "$tmp/err"
	[ "$rc" = "$want" ] || { echo "exit $rc, not $want"; return 1; }
	grep -qF -- "$text" "$tmp/out" "$tmp/err" || { echo "no \"$text\""; return 1; }
}

pool_empty()
{
	"$hpctl" pool set -p 2M --count 0 -q >/dev/null
}
