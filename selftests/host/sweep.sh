#!/bin/bash
# sweep.sh - hpctl run --sweep: every size on every backing, each verified and with
# its samples; what cannot be had is refused before anything is measured.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import jsonschema' 2>/dev/null; then
	echo "1..0 # SKIP needs jsonschema for $python: python3-jsonschema"
	exit 4
fi

cat >"$tmp/check.py" <<'P'
import json
import sys

import jsonschema

doc = json.load(open(sys.argv[1]))
schema = json.load(open(sys.argv[2]))
rows, env, what = doc["results"], doc["env"], sys.argv[3]
sizes = [1 << 20, 2 << 20, 4 << 20, 5 << 20]
backings = ["anon-4k", "anon-thp"]
bad = []
if what == "schema":
    bad += [e.message[:100] for e in jsonschema.Draft202012Validator(schema).iter_errors(doc)]
elif what == "rows":
    got = [(r["bytes_asked"], r["label"], r["backing"]) for r in rows]
    want = [(s, w, b) for s in sizes for w in ("get", "chase") for b in backings]
    if got != want:
        bad.append("%s" % got[:4])
elif what == "array":
    # The whole of it was worked on, in whole pages of the backing.
    bad += [r["backing"] for r in rows if r["elements"] != r["bytes_asked"] // 5 or
            not 0 <= r["bytes"] - r["bytes_asked"] < r["page_bytes_asked"]]
elif what == "samples":
    bad += [r["label"] for r in rows if len(r["samples_ns"]) != 3 or r["partial"] or
            r["checksum"] != r["checksum_expected"] or not r["checksum"]]
elif what == "verified":
    bad += [r["backing"] for r in rows if r["backing"] == "anon-4k" and not r["verified"]]
elif what == "ratios":
    bad += [r["backing"] for r in rows if r["verified"] and
            (r["ratio"] is None) != (r["backing"] == "anon-4k")]
elif what == "order":
    if [s["bytes"] for s in env["sweep"]] != sizes:
        bad.append("sizes %s" % [s["bytes"] for s in env["sweep"]])
    for s in env["sweep"]:
        if len(s["order"]) != 4 or any(sorted(o) != backings for o in s["order"]):
            bad.append("%s" % s)
elif what == "reach":
    reach = env["reach"]
    if (reach["tlb_from"] is None) != (not reach["tlbs"]) or \
       (reach["tlb_why"] is None) == (reach["tlb_from"] is None):
        bad.append("no TLB, and no reason")
    bad += [str(c) for c in reach["caches"] + reach["tables"] if c["bytes"] <= 0]
print("; ".join(bad[:5]))
sys.exit(bool(bad))
P

timeout 250 "$hpctl" run get chase --sweep 1M..5M -b anon-4k,anon-thp -r 3 --ops 20000 \
	-o "$tmp/json" >"$tmp/table" 2>"$tmp/err"
rc=$?
# 6, 7: small, or on a busy machine; the rows say so.
case $rc in
0 | 6 | 7) result OK "a sweep runs (exit $rc)" ;;
*) result FAIL "a sweep runs" "exit $rc: $(tail -n 1 "$tmp/err")" ;;
esac
for what in schema rows array samples verified ratios order reach; do
	why=$("$python" "$tmp/check.py" "$tmp/json" "$top/user/schema/hpctl-1.schema.json" $what 2>&1 |
		tail -n 1)
	if [ -z "$why" ]; then result OK $what; else result FAIL $what "$why"; fi
done
lines=$(wc -l <"$tmp/table")
if [ "$lines" = 17 ]; then
	result OK "a line a size, workload and backing"
else
	result FAIL "a line a size, workload and backing" "$lines lines"
fi

# exits CODE ARG...: hpctl run get does so, at once and with nothing measured
exits()
{
	local want=$1 rc

	shift
	timeout 20 "$hpctl" run get "$@" -o "$tmp/none" >"$tmp/out" 2>&1
	rc=$?
	if [ $rc = "$want" ] && { [ ! -e "$tmp/none" ] ||
		"$python" -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["results"] != [])' "$tmp/none"; }; then
		result OK "$* exits $want"
	else
		result FAIL "$* exits $want" "$rc: $(head -n 1 "$tmp/out")"
	fi
	rm -f "$tmp/none"
}

exits 2 --sweep 64M
exits 2 --sweep 8G..64M
exits 2 --sweep 64M..8G/9
exits 2 --sweep 1M..2M -s 1M
exits 2 --sweep 1M..2M --count 5
exits 2 --sweep 1M..2M --buffer 1
exits 2 -b anon-4k,anon-thp
exits 2 --sweep 4K..8K -t 1024
exits 3 --sweep 1M..64T
exits 3 --sweep 1M..64T -b hugetlb-2m,anon-4k
if [ -z "$module_loaded" ]; then
	exits 4 --sweep 2M..4M -b hpbuf-2m
fi
exits 0 --sweep 1M..2M --dry-run
if "$hpctl" compare get --sweep 1M..2M >"$tmp/out" 2>&1 || ! grep -q 'unknown.*--sweep' "$tmp/out"; then
	result FAIL "compare has no sweep" "it took it"
else
	result OK "compare has no sweep"
fi
"$hpctl" report "$tmp/json" --csv "$tmp/csv" >/dev/null 2>&1
if [ "$(wc -l <"$tmp/csv")" = 17 ]; then
	result OK "report reads it"
else
	result FAIL "report reads it" "$(wc -l <"$tmp/csv") lines"
fi
finish
