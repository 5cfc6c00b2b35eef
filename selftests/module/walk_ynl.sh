#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Page-walk timing as the kernel's own YNL client reads the spec: the same census
# and the same samples as libhpbuf gets, from the same pages. Needs what ynl.sh
# needs, and libhpbuf.so.1 in $HPBUF_TOP/build/user.

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
python=${HPBUF_PYTHON:-/usr/bin/python3}
src=${HPBUF_LINUX_SRC:-${HPBUF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hpbuf}/linux-src}
pyynl=$src/tools/net/ynl/pyynl
[ -e "$pyynl/lib/ynl.py" ] || skip_all "needs YNL, found no $pyynl (HPBUF_LINUX_SRC)"
"$python" -c 'import yaml' 2>/dev/null || skip_all "needs python3-yaml for $python"
command -v jq >/dev/null || skip_all "needs jq"
top=${HPBUF_TOP:-$(dirname "$0")/../..}
spec=$top/include/netlink/hpbuf.yaml
lib=$top/build/user/libhpbuf.so.1
[ -e "$spec" ] || skip_all "needs hpbuf.yaml, HPBUF_TOP is '${HPBUF_TOP:-}'"
[ -e "$lib" ] || skip_all "needs $lib: make user"
plan 12

ynl=$tmp/ynl.json

check "all questions are answered" bash -c 'timeout 240 "$@"' - \
	"$python" "$(dirname "$0")/_walk_ynl.py" "$pyynl" "$spec" "$lib"
cp "$tmp/check" "$ynl"
[ -z "${HPBUF_RESULTS:-}" ] || cp "$ynl" "$HPBUF_RESULTS/walk_ynl.json"

json_checks "$ynl" \
	"census alone has no timing" \
	'.census | has("samples") or has("level") or has("tsc-khz") | not' \
	"half of the pages" \
	'.census | ."pte-bytes" == 2097152 and ."none-bytes" == 2097152' \
	"timing has the same census" \
	'[.census, .timed] | map([."pte-bytes", ."pmd-bytes", ."pud-bytes", ."none-bytes", ."table-bytes", .levels]) | .[0] == .[1]' \
	"samples add up" \
	'.timed | .samples == 3000 and .seed == 99 and ([.level[].samples] | add) + .skipped == 3000' \
	"one level, of 4 KiB" '.timed.level | length == 1 and .[0]."page-shift" == 12' \
	"misses are longer than hits" \
	'.timed.level[0] | .warm.p50 > .hit.p50 and .cold.p50 > .hit.p50' \
	"no cold, no histogram unasked" \
	'.again.level[0] | has("cold") or (.warm | has("hist")) | not' \
	"the same seed, the same samples" \
	'[.timed, .again, .hist] | map([.skipped, .level[0].samples]) | unique | length == 1' \
	"histograms hold every sample" \
	'.hist.level[0] | (.hit.hist | add) == .samples and (.warm.hist | add) == .samples' \
	"refusals arrive" \
	'(.too_many | contains("Numerical result out of range") or contains("out of range")) and (.odd | contains("4096"))' \
	"libhpbuf sees the same" \
	'.timed as $t | .lib | .ret == 0 and .miss and .samples == 3000 and .seed == 99 and .skipped == $t.skipped and .by_level == [$t.level[0].samples, 0, 0] and .levels == $t.levels and .tsc_khz == $t."tsc-khz" and .census == [$t."pte-bytes", $t."pmd-bytes", $t."pud-bytes", $t."none-bytes", $t."table-bytes"] and .hypervisor == ($t | has("hypervisor"))'
done_testing
