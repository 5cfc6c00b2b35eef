#!/bin/bash
# walk_estimate.sh - hpctl walk without the module: an estimate that calls itself
# one, for every backing with enough pages, and a reason where there are too few.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

if [ -n "$module_loaded" ]; then
	echo "1..0 # SKIP the module is loaded: walks are timed"
	exit 4
fi
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
what = sys.argv[3]
rows = {r["backing"]: r for r in doc["results"]}
bad = []
if what == "schema":
    bad += [e.message[:100] for e in jsonschema.Draft202012Validator(schema).iter_errors(doc)]
elif what == "labelled":
    for b in ("anon-4k", "anon-thp", "hugetlb-2m"):
        e = rows[b]["estimate"] if b in rows else None
        if b in rows and (not e or "estimate" not in e["method"] or e["pairs"] < 3 or
                          not e["ci95_ns"][0] <= e["cost_ns"] <= e["ci95_ns"][1]):
            bad.append(b)
    if "anon-4k" not in rows:
        bad.append("no anon-4k")
elif what == "verdict":
    for r in rows.values():
        e = r["estimate"]
        # What is not above nothing is not called a cost.
        if e and (e["ci95_ns"][0] <= 0) != (e["verdict"] == "no difference shown"):
            bad.append(r["backing"])
elif what == "alike":
    # As many lines either way, and as few pages as hold them.
    for r in rows.values():
        e = r["estimate"]
        if e and e["packed_pages"] != -(-e["pages"] * 64 // r["page_bytes_asked"]):
            bad.append(r["backing"])
elif what == "module":
    bad += [b for b, r in rows.items() if r["walk"] is not None or not r["walk_why"]]
elif what == "model":
    for r in rows.values():
        m = r["model"]
        less = {4096: 0, 2 << 20: 1, 1 << 30: 2}[r["page_bytes_asked"]]
        if m["refs"] != m["levels"] - less:
            bad.append(r["backing"])
        # Eight bytes a page, and the upper levels: within 2 % of it.
        for level in ("l2", "l3"):
            size, reach = m[level + "_bytes"], m[level + "_reach_bytes"]
            if size is not None and size >= 1 << 16 and \
               not 0.96 <= reach / (size / 8 * r["page_bytes_asked"]) <= 1:
                bad.append("%s %s" % (r["backing"], level))
elif what == "few":
    for r in rows.values():
        if (r["bytes"] // r["page_bytes_asked"] <= 32) != (r["estimate"] is None) or \
           (r["estimate"] is None) != bool(r["estimate_why"]):
            bad.append(r["backing"])
print("; ".join(bad[:5]))
sys.exit(bool(bad))
P

reserve=
if [ "$(id -u)" = 0 ]; then
	reserve=--reserve
fi
timeout 250 "$hpctl" walk -s 256M --seed 5 -j $reserve >"$tmp/json" 2>"$tmp/err"
rc=$?
if [ $rc = 3 ] && [ -n "$reserve" ]; then
	skipped "hugetlb pools filled" "$(grep -o 'asked.*' "$tmp/err" | head -n 1)"
	timeout 250 "$hpctl" walk -s 256M --seed 5 -j >"$tmp/json" 2>"$tmp/err"
	rc=$?
fi
# 6: memory may be too fragmented for transparent huge pages; the row says so.
case $rc in
0|6) result OK "walk runs (exit $rc)" ;;
*) result FAIL "walk runs" "exit $rc: $(tail -n 1 "$tmp/err")" ;;
esac
for what in schema labelled verdict alike module model few; do
	why=$("$python" "$tmp/check.py" "$tmp/json" "$top/user/schema/hpctl-1.schema.json" $what 2>&1 | tail -n 1)
	if [ -z "$why" ]; then result OK $what; else result FAIL $what "$why"; fi
done

if "$hpctl" walk -b anon-4k -s 64M 2>/dev/null | grep -q "ESTIMATE.*paired chases"; then
	result OK "the table says what its figure is"
else
	result FAIL "the table says what its figure is" "no word of it"
fi

for args in "--samples 0" "--samples 65537" "--samples -1" "--samples junk" "--samples 1e3" \
	"--seed -1" "--seed junk" "--seed 99999999999999999999" "--nosuch" "extra" \
	"-b nosuch" "-b anon-4k --buffer 1" "--buffer 0" "-s 0" "--columns NOSUCH" "--addr 4096"; do
	# shellcheck disable=SC2086
	timeout 5 "$hpctl" walk $args >"$tmp/out" 2>&1
	rc=$?
	if [ $rc = 2 ]; then result OK "$args exits 2"; else result FAIL "$args exits 2" "$rc"; fi
done
timeout 5 "$hpctl" walk -b hpbuf-2m -s 4M >"$tmp/out" 2>&1
rc=$?
if [ $rc = 4 ]; then
	result OK "hpbuf-2m without the module exits 4"
else
	result FAIL "hpbuf-2m without the module exits 4" "$rc"
fi
finish
