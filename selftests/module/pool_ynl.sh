#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The pool as another client of the netlink spec sees and sets it: the kernel's own
# YNL library and hpctl agree, and events of an allocation under way arrive at both.
# Needs what ynl.sh needs.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
command -v jq >/dev/null || skip_all "needs jq"
# shellcheck source=_pool.sh
. "$(dirname "$0")/_pool.sh"
python=${HPBUF_PYTHON:-/usr/bin/python3}
src=${HPBUF_LINUX_SRC:-${HPBUF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hpbuf}/linux-src}
pyynl=$src/tools/net/ynl/pyynl
[ -e "$pyynl/lib/ynl.py" ] || skip_all "needs YNL, found no $pyynl (HPBUF_LINUX_SRC)"
"$python" -c 'import yaml' 2>/dev/null || skip_all "needs python3-yaml for $python"
spec=${HPBUF_TOP:-}/include/netlink/hpbuf.yaml
[ -e "$spec" ] || skip_all "needs hpbuf.yaml, HPBUF_TOP is '${HPBUF_TOP:-}'"
trap 'pool_empty; rm -rf "$tmp"' EXIT
plan 9

ynl=$tmp/ynl.json

# the figures of both, of all nodes and sizes
alike()
{
	jq -S '[.pools[] | {node, page: ."page-shift", want, min, ready, dirty, lent, used,
		taken, shrunk, got: (.got // null)}] | sort_by(.node, .page)' "$ynl" >"$tmp/a"
	jq -S '[.results[] | select(.pool == "hpbuf") | {node, page: (.page_bytes | log2 | floor),
		want, min, ready, dirty, lent, used, taken, shrunk, got}] |
		sort_by(.node, .page)' "$tmp/pool" >"$tmp/b"
	diff "$tmp/a" "$tmp/b" && [ "$(jq length "$tmp/a")" -ge 1 ]
}

pool_empty
check "all questions are answered" bash -c 'timeout 240 "$@"' - \
	"$python" "$(dirname "$0")/_pool_ynl.py" "$pyynl" "$spec" "$hpctl"
cp "$tmp/check" "$ynl"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$ynl" "$HPBUF_RESULTS/pool_ynl.json"
"$hpctl" pool -j >"$tmp/pool" 2>/dev/null
check "hpctl sees what YNL has set" bash -c '[ "$1" = "5 2 5" ]' - "$(field want) $(field min) $(field ready)"
check "the same figures in both" alike
json_checks "$ynl" \
	"a page from the pool is told of its buffer" '.buf.pooled == 2' \
	"when it was unmapped is not, as it was not" '.buf | has("unmapped-ns") | not' \
	"and of the pool" '.lent.lent == 2 and .lent.ready == 3' \
	"flags are there only when they hold" \
	'.pools | all((has("filling") or has("partial") or has("error")) | not)' \
	"refused: the kernel's words arrive" '.refused | length > 0' \
	"a page size there is not: the kernel's words arrive" '.bad_page | length > 0'
done_testing
