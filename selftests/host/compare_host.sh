#!/bin/bash
# compare_host.sh - compare without the module: one document that parses; every
# sample of every run; data right and the same on all backings; each backing mapped
# by the pages it is named after; hugetlb pools as they were before.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
if ! "$python" -c '' 2>/dev/null; then
	echo "1..0 # SKIP needs $python"
	exit 4
fi

pools()
{
	cat /sys/devices/system/node/node*/hugepages/hugepages-*/nr_hugepages \
	    /sys/kernel/mm/hugepages/hugepages-*/nr_hugepages 2>/dev/null
}

cat >"$tmp/check.py" <<'P'
import json
import statistics
import sys

doc = json.load(open(sys.argv[1]))
runs, what = int(sys.argv[2]), sys.argv[3]
rows = doc["results"]
leaf = {"anon-4k": "pte", "anon-thp": "pmd", "hugetlb-2m": "pmd", "hugetlb-1g": "pud",
        "hpbuf-2m": "pmd", "hpbuf-1g": "pud"}
bad = []
if not rows:
    bad.append("no rows")
if what == "samples":
    for r in rows:
        if len(r["samples_ns"]) != runs or min(r["samples_ns"]) <= 0 or r["partial"]:
            bad.append(r["label"] + " on " + r["backing"])
elif what == "checksums":
    seen = {}
    for r in rows:
        if r["checksum"] is None or r["checksum"] != r["checksum_expected"]:
            bad.append(r["label"] + " on " + r["backing"])
        if seen.setdefault(r["label"], r["checksum"]) != r["checksum"]:
            bad.append(r["label"] + " differs on " + r["backing"])
elif what == "leaf":
    for r in rows:
        part = r["leaf"][leaf[r["backing"]]] / sum(r["leaf"].values())
        if r["backing"] != "anon-thp" and (part < 0.95 or not r["verified"]):
            bad.append("%s %s %.2f" % (r["label"], r["backing"], part))
        # Memory may be fragmented; then the row must say so.
        if part < 0.95 and (r["verified"] or r["ratio"]):
            bad.append("%s %s %.2f is called verified" % (r["label"], r["backing"], part))
elif what == "ratios":
    for r in rows:
        if (r["backing"] == "anon-4k") != (r["ratio"] is None) and r["verified"]:
            bad.append(r["label"] + " on " + r["backing"])
elif what == "statistics":
    # Worked out anew from the samples, pair by pair.
    by = {(r["label"], r["backing"]): r for r in rows}
    for r in rows:
        x, q = r["samples_ns"], r["ratio"]
        med = statistics.median(x)
        if abs(r["median_ns"] - med) > 1 or \
           abs(r["mad_ns"] - statistics.median(abs(v - med) for v in x)) > 1 or \
           not min(x) - 1 <= r["ci95_ns"][0] <= med + 1 <= r["ci95_ns"][1] + 2 <= max(x) + 3 or \
           r["warmup_ns"] in (None, 0):
            bad.append("%s on %s" % (r["label"], r["backing"]))
        if not q:
            continue
        ref = by[r["label"], q["to"]]["samples_ns"]
        lo, hi = q["ci95"]
        verdict = "faster" if lo > 1 else "slower" if hi < 1 else "no difference shown"
        if q["to"] != "anon-4k" or q["verdict"] != verdict or not lo <= q["value"] <= hi or \
           abs(q["value"] - statistics.median(a / b for a, b in zip(ref, x))) > 1e-6 * q["value"]:
            bad.append("ratio of %s on %s" % (r["label"], r["backing"]))
elif what == "spare":
    total = int(next(s for s in open("/proc/meminfo") if s.startswith("MemTotal")).split()[1]) * 1024
    if doc["env"]["spare_bytes"] != min(total // 10, 16 << 30):
        bad.append(str(doc["env"]["spare_bytes"]))
elif what == "stages":
    for r in rows:
        names = [s["name"] for s in r["stages"]]
        want = ["first", "second"] if r["pass"] else ["populate", "init", "warm", "timed"]
        if names[0] not in ("map", "create") or any(w not in names for w in want) or \
           "unmap" not in names:
            bad.append("%s: %s" % (r["label"], names))
elif what == "order":
    order = doc["env"]["order"]
    if len(order) != runs + 1 or any(sorted(o) != sorted(order[0]) for o in order):
        bad.append(str(order))
elif what == "missing":
    have = {r["backing"] for r in rows}
    text = " ".join(w["message"] for w in doc["warnings"] if w["code"] == "backing-missing")
    bad += [b for b in leaf if b not in have and b not in text]
elif what == "perf":
    bad += [r["label"] for r in rows if r["perf"] is not None or not r["perf_why"]]
print("; ".join(bad[:5]))
sys.exit(bool(bad))
P

pools >"$tmp/before"
args=(compare touch fill get get-safe get-fast get-batch set set-fast chase -s 48M -r 3 --ops 200000 --seed 7 -j)
reserve=
if [ "$(id -u)" = 0 ]; then
	reserve=--reserve
fi
timeout 250 "$hpctl" "${args[@]}" $reserve >"$tmp/json" 2>"$tmp/err"
rc=$?
if [ $rc = 3 ] && [ -n "$reserve" ]; then
	skipped "hugetlb pools filled" "$(grep -o 'asked.*' "$tmp/err" | head -n 1)"
	timeout 250 "$hpctl" "${args[@]}" >"$tmp/json" 2>"$tmp/err"
	rc=$?
fi
# 7: another load on the machine makes the figures bad, and nothing else.
case $rc in
0|7) result OK "compare runs (exit $rc)" ;;
*) result FAIL "compare runs" "exit $rc: $(tail -n 1 "$tmp/err")" ;;
esac
pools >"$tmp/after"
if cmp -s "$tmp/before" "$tmp/after"; then
	result OK "pools are as before"
else
	result FAIL "pools are as before" "$(tr '\n' ' ' <"$tmp/after")"
fi
for what in samples checksums leaf ratios statistics spare stages order missing perf; do
	why=$("$python" "$tmp/check.py" "$tmp/json" 3 $what 2>&1 | tail -n 1)
	# shellcheck disable=SC2181
	if [ -z "$why" ]; then result OK $what; else result FAIL $what "$why"; fi
done

# Same seed, same data: on another day, and for another thread count its own.
timeout 100 "$hpctl" "${args[@]}" -b anon-4k >"$tmp/again" 2>/dev/null
"$python" - "$tmp/json" "$tmp/again" <<'P'
import json
import sys

a, b = ({(r["label"], r["backing"]): r["checksum"] for r in json.load(open(f))["results"]}
        for f in sys.argv[1:])
sys.exit(not b or any(a.get(k) != v for k, v in b.items()))
P
# shellcheck disable=SC2181
if [ $? = 0 ]; then result OK "a seed repeats"; else result FAIL "a seed repeats" "checksums differ"; fi

# Memory that is not there is refused before anything is touched.
for args in "-s 160T" "--count 3689348814741910323"; do
	# shellcheck disable=SC2086
	timeout 5 "$hpctl" compare get $args >"$tmp/out" 2>&1
	rc=$?
	if [ $rc = 3 ]; then result OK "$args exits 3"; else result FAIL "$args exits 3" "$rc"; fi
done
for args in "--count 3689348814741910324" "--count 0" "-s -1" "-s 1GB" "-t 0" "-r 0" \
	"-b nosuch" "nosuch" "-b anon-4k,anon-4k" "-s 4M --count 5"; do
	# shellcheck disable=SC2086
	timeout 5 "$hpctl" compare get $args >"$tmp/out" 2>&1
	rc=$?
	if [ $rc = 2 ]; then result OK "$args exits 2"; else result FAIL "$args exits 2" "$rc"; fi
done
finish
