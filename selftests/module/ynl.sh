#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The netlink spec as another client reads it: the kernel's own YNL library gets
# the same answers as hpctl. It is below $HPBUF_LINUX_SRC; python3 needs yaml
# ($HPBUF_PYTHON, default /usr/bin/python3); the spec is found by $HPBUF_TOP.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
python=${HPBUF_PYTHON:-/usr/bin/python3}
src=${HPBUF_LINUX_SRC:-${HPBUF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hpbuf}/linux-src}
pyynl=$src/tools/net/ynl/pyynl
[ -e "$pyynl/lib/ynl.py" ] || skip_all "needs YNL, found no $pyynl (HPBUF_LINUX_SRC)"
"$python" -c 'import yaml' 2>/dev/null || skip_all "needs python3-yaml for $python"
command -v jq >/dev/null || skip_all "needs jq"

spec=
for f in "${HPBUF_TOP:-}/include/netlink/hpbuf.yaml" \
	"$(dirname "$0")/../../include/netlink/hpbuf.yaml"; do
	[ ! -e "$f" ] || { spec=$f; break; }
done
[ -n "$spec" ] || skip_all "needs hpbuf.yaml, HPBUF_TOP is '${HPBUF_TOP:-}'"
plan 12

ynl=$tmp/ynl.json

# ids, sizes and names of YNL's dump are hpctl's
like_hpctl()
{
	jq -S '[.bufs[] | {id, size, name: (.name // null)}] | sort_by(.id)' "$ynl" >"$tmp/a"
	jq -S '[.results[] | {id, size: .bytes, name}] | sort_by(.id)' "$tmp/list" >"$tmp/b"
	diff "$tmp/a" "$tmp/b" && [ "$(jq length "$tmp/a")" = 2 ]
}

"$hpctl" free --all -q >/dev/null 2>&1
"$hpctl" alloc -s 5M -p 2M --name ynl -q >/dev/null
"$hpctl" alloc -s 2M -p 2M -q >/dev/null
"$hpctl" list --json >"$tmp/list"
check "all questions are answered" bash -c 'timeout 240 "$@"' - \
	"$python" "$(dirname "$0")/_ynl.py" "$pyynl" "$spec" "$hpctl"
cp "$tmp/check" "$ynl"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$ynl" "$HPBUF_RESULTS/ynl.json"

check "the same buffers as hpctl list" like_hpctl
json_checks "$ynl" \
	"asked, size and pages of one" \
	'.bufs[] | select(.name == "ynl") | .asked == 5242880 and .size == 6291456 and ([.node[].pages] | add) == 3' \
	"a nameless one has no name" \
	'[.bufs[] | select(has("name") | not)] | length == 1' \
	"one by its id" '.by_id.name == "ynl"' \
	"one by its name" '.by_name.id == .by_id.id' \
	"neither: the kernel's words arrive" \
	'.neither | contains("give either id or name")' \
	"missing: the kernel's words arrive" '.missing | contains("no such buffer")' \
	"pools: four pages of 2 MiB are used" \
	'[.pools[] | select(."page-shift" == 21) | .used] | add == 4' \
	"pools: limits" '.pools | all(."max-bytes" > 0 and ."used-bytes" == 8388608)' \
	"walk of nothing" '.walk."none-bytes" == 4096' \
	"events: alloc, free, fail with its cause, numbered without a gap" \
	'.events | [.[].kind] == ["alloc", "free", "fail"] and .[2].cause == "cap" and .[2].seq == .[0].seq + 2'
"$hpctl" free --all -q >/dev/null
done_testing
