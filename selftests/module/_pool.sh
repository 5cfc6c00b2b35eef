#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# _pool.sh - sourced after _lib.sh by the tests of the pool: what it is now, as
# "hpctl pool" tells it, and an end that leaves it empty.
# shellcheck disable=SC2154 # _lib.sh has them

# field NAME [NODE]: of the module's pool of 2 MiB pages
field()
{
	"$hpctl" pool -j 2>/dev/null | jq -r --arg f "$1" --argjson n "${2:-0}" '.results[] |
		select(.pool == "hpbuf" and .page_bytes == 2097152 and .node == $n) | .[$f]'
}

# want_ready WANT READY [NODE]: they are that, in a bounded time
want_ready()
{
	local i

	for ((i = 0; i < 600 * ${HPBUF_TIMEOUT_SCALE:-1}; i++)); do
		[ "$(field want "${3:-0}") $(field ready "${3:-0}")" != "$1 $2" ] || return 0
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
