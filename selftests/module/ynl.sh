#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The netlink spec as another client reads it: the kernel's own YNL tool gets
# the same answers as hpctl. The tool is below $HPBUF_LINUX_SRC; python3 needs
# yaml and jsonschema ($HPBUF_PYTHON, default /usr/bin/python3).

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
python=${HPBUF_PYTHON:-/usr/bin/python3}
cli=${HPBUF_LINUX_SRC:-${HPBUF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hpbuf}/linux-src}/tools/net/ynl/pyynl/cli.py
[ -e "$cli" ] || skip_all "needs YNL, found no $cli (HPBUF_LINUX_SRC)"
"$python" -c 'import yaml, jsonschema' 2>/dev/null ||
	skip_all "needs python3-yaml and python3-jsonschema for $python"
command -v jq >/dev/null || skip_all "needs jq"

spec=
for f in "${HPBUF_TOP:-}/include/netlink/hpbuf.yaml" \
	"$(dirname "$0")/../../include/netlink/hpbuf.yaml" \
	/usr/share/hpbuf/hpbuf.yaml; do
	[ ! -e "$f" ] || { spec=$f; break; }
done
[ -n "$spec" ] || skip_all "needs hpbuf.yaml: HPBUF_TOP=${HPBUF_TOP:-}"
schema=${cli%/tools/*}/Documentation/netlink/genetlink.yaml
[ -e "$schema" ] || schema=
plan 11

ynl()
{
	timeout 120 "$python" "$cli" --spec "$spec" ${schema:+--schema "$schema"} --output-json "$@"
}

# like_hpctl FILE: ids, sizes, names and shifts of YNL's dump are hpctl's
like_hpctl()
{
	jq -S '[.[] | {id, size, name: (.name // null)}] | sort_by(.id)' "$1" >"$tmp/ynl.ids"
	"$hpctl" list --json |
		jq -S '[.. | objects | select(has("id") and has("size")) | {id, size, name: (if .name == "" then null else .name end)}] | sort_by(.id)' >"$tmp/hpctl.ids"
	diff "$tmp/ynl.ids" "$tmp/hpctl.ids" && [ "$(jq length "$tmp/ynl.ids")" -ge 2 ]
}

"$hpctl" alloc -s 5M -p 2M --name ynl -q >/dev/null
"$hpctl" alloc -s 2M -p 2M -q >/dev/null
trap '"$hpctl" free --all -q >/dev/null 2>&1; rm -rf "$tmp"' EXIT

check "dump buf-get" bash -c '"$@" >'"$tmp/bufs" - timeout 120 "$python" "$cli" --spec "$spec" \
	${schema:+--schema "$schema"} --output-json --dump buf-get
check "the same buffers as hpctl list" like_hpctl "$tmp/bufs"
check "asked, size and pages of one" jq -e \
	'.[] | select(.name == "ynl") | .asked == 5242880 and .size == 6291456 and ([.node[].pages] | add) == 3' "$tmp/bufs"
check "a nameless one has no name" jq -e '[.[] | select(has("name") | not)] | length == 1' "$tmp/bufs"

id=$(jq '.[] | select(.name == "ynl") | .id' "$tmp/bufs")
ynl --do buf-get --json "{\"id\": $id}" >"$tmp/one" 2>"$tmp/err"
check "do buf-get by id" jq -e '.name == "ynl"' "$tmp/one"
ynl --do buf-get --json '{"name": "ynl"}' >"$tmp/one" 2>"$tmp/err"
check "do buf-get by name" jq -e ".id == $id" "$tmp/one"

ynl --do buf-get --json '{}' >"$tmp/one" 2>"$tmp/err"
check "no such request: the kernel's words arrive" grep -q "give either id or name" "$tmp/err" "$tmp/one"

ynl --dump pool-get >"$tmp/pools" 2>"$tmp/err"
check "dump pool-get: both sizes, four pages used" jq -e \
	'[.[] | select(."page-shift" == 21) | .used] | add == 4' "$tmp/pools"
check "limits are in it" jq -e 'all(."max-bytes" > 0 and ."used-bytes" == 8388608)' "$tmp/pools"

# Events: wait until it has joined the group, then cause some.
PYTHONUNBUFFERED=1 timeout 120 "$python" -u "$cli" --spec "$spec" ${schema:+--schema "$schema"} \
	--output-json --subscribe events --duration 20 >"$tmp/events" 2>"$tmp/err" &
listener=$!
for ((i = 0; i < 100; i++)); do
	# a socket of that process in the list, with a group joined
	awk -v p=$listener 'NR > 1 && $2 == 16 && $4 != "00000000"' /proc/net/netlink | grep -q . && break
	sleep 0.2
done
sleep 1
"$hpctl" alloc -s 2M -p 2M --name event -q >/dev/null
"$hpctl" free event -q >/dev/null
"$hpctl" alloc -s 160G -p 1G -q >/dev/null 2>&1
for ((i = 0; i < 100; i++)); do
	[ "$(grep -c '"name"' "$tmp/events")" -ge 3 ] && break
	sleep 0.2
done
kill "$listener" 2>/dev/null
wait "$listener" 2>/dev/null
check "alloc, free and fail arrive" bash -c 'for k in alloc free fail; do grep -q "\"kind\": \"$k\"" "$1" || exit 1; done' - "$tmp/events"
check "a failure tells its cause" grep -q '"cause": "cap"' "$tmp/events"
done_testing
