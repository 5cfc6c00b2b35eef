#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hpctl with the module: what it makes, shows and frees, and the exit code of
# each thing that can be wrong.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"

# code WANT ARG...: hpctl ends with that exit code, and says why on stderr
code()
{
	local want=$1 rc

	shift
	"$hpctl" "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	cat "$tmp/out" "$tmp/err"
	[ "$rc" = "$want" ] || { echo "exit $rc, not $want"; return 1; }
	[ "$want" = 0 ] || [ -s "$tmp/err" ] || { echo "nothing on stderr"; return 1; }
}

# says TEXT ARG...: what hpctl prints has that text
says()
{
	local text=$1

	shift
	"$hpctl" "$@" 2>&1 | tee "$tmp/said" | grep -qF -- "$text" || { cat "$tmp/said"; return 1; }
}

json()
{
	"$hpctl" "$@" >"$tmp/json" 2>"$tmp/err" || true
	jq -e . "$tmp/json" >/dev/null || { cat "$tmp/json" "$tmp/err"; return 1; }
}

# More of these are tried on the host, where a process costs less.
bad_sizes=(0 -1 12junk 1e9 99999999999999999999 '' 17179869184G)
bad_pages=(4K 3M '')
usage=(
	"alloc -s 2M" "alloc -s 2M -p 2M -n 7" "alloc -s 2M -p 2M -n junk"
	"alloc -s 2M -p 2M --timeout 0" "alloc -s 2M -p 2M --name 17"
	"show" "free" "run nosuch" "run get -b nosuch -s 4M" "compare -b nosuch -s 4M"
)
plan $((${#bad_sizes[@]} + ${#bad_pages[@]} + ${#usage[@]} + 27))

before=$(known_kb)
for s in "${bad_sizes[@]}"; do
	check "size $(printf %q "$s"): exit 2" code 2 alloc -s "$s" -p 2M
done
for p in "${bad_pages[@]}"; do
	check "page $(printf %q "$p"): exit 2" code 2 alloc -s 2M -p "$p"
done
for u in "${usage[@]}"; do
	# shellcheck disable=SC2086 # words
	check "$u: exit 2" code 2 $u
done

check "alloc rounds 5M up" code 0 alloc -s 5M -p 2M --name cli
check "list shows it" says cli list
check "show says what it was rounded to" says "6.00 MiB" show cli
check "show --json parses" json show cli --json
check "a taken name is refused" bash -c '! "$1" alloc -s 2M -p 2M --name cli' - "$hpctl"
check "list --json: sizes in bytes" bash -c '"$1" list --json | jq -e ".results[] | select(.name == \"cli\") | .bytes == 6291456 and .asked_bytes == 5242880 and .page_bytes == 2097152"' - "$hpctl"
check "free by name" code 0 free cli
check "it is gone" bash -c '! "$1" list | grep -qw cli' - "$hpctl"
check "show of what is not there: not exit 0" bash -c '! "$1" show cli' - "$hpctl"
check "free of what is not there: not exit 0" bash -c '! "$1" free 123456' - "$hpctl"

check "alloc --json gives an id" json alloc -s 2M -p 2M --name byid --json
id=$(jq -r '.results[0].id' "$tmp/json")
check "show by that id" code 0 show "$id"
check "free by that id" code 0 free "$id"

check "alloc --count 3" code 0 alloc -s 2M -p 2M --count 3
check "free --all" code 0 free --all
check "nothing is left" bash -c '"$1" list --json | jq -e ".results == []"' - "$hpctl"
check "--count that does not fit makes none: exit 3" code 3 alloc -s 512M -p 2M --count 100
check "and leaves nothing" bash -c '"$1" list --json | jq -e ".results == []"' - "$hpctl"
check "--dry-run makes nothing" bash -c '"$1" alloc -s 2M -p 2M --name dry --dry-run && ! "$1" show dry' - "$hpctl"

check "error as JSON: one document" bash -c '"$1" alloc -s 160G -p 1G --json | jq -e ".error.code == 3 and .error.message != \"\""' - "$hpctl"
check "version names both" says "$(cat /sys/module/hpbuf/version 2>/dev/null || echo 0.1.0)" version
check "help" code 0 help
check "bare hpctl: exit 0" code 0

# as nobody, who is not in the group
as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$hpctl" alloc -s 2M -p 2M >"$tmp/out" 2>"$tmp/err"
	rc=$?
	cat "$tmp/err"
	[ "$rc" = 5 ] && grep -qw hpbuf "$tmp/err"
}
check "as nobody: exit 5, names the group" as_nobody

check "memory is back" memory_back "$before"

# another device node that is not there
check "no device: exit 4" code 4 alloc -s 2M -p 2M --device "$tmp/none"
# the last buffer lets go of the module a clock tick after its end
check "nothing is left at the end" bash -c 'for _ in {1..50}; do
	[ "$(cat /sys/module/hpbuf/refcnt)" != 0 ] || exit 0; sleep 0.1; done; exit 1'
done_testing
