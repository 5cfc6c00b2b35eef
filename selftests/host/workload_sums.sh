#!/bin/bash
# workload_sums.sh - every workload comes to the checksum it should on every backing
# that this machine has, with one to three threads; the controls of those that have
# one are measured beside them; what an array is too large or too small for is said
# before it is touched.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
if ! "$python" -c '' 2>/dev/null; then
	echo "1..0 # SKIP needs $python"
	exit 4
fi

# Rows whose sum is missing or wrong, then the labels that were asked for and are not there.
cat >"$tmp/check.py" <<'P'
import json
import sys

doc = json.load(open(sys.argv[1]))
rows = doc["results"]
bad = ["%s on %s: %s, not %s" % (r["label"], r["backing"], r["checksum"], r["checksum_expected"])
       for r in rows if r["checksum"] is None or r["checksum"] != r["checksum_expected"]]
have = {(r["workload"], r["backing"]) for r in rows}
backings = {r["backing"] for r in rows}
bad += ["no row of %s on %s" % (w, b) for w in sys.argv[2:] for b in backings
        if (w, b) not in have]
for r in rows:
    if r["workload"] == "get-batch" and not 1 <= r["batch"]["depth"] <= 128:
        bad.append("depth %s" % r["batch"])
    if r["workload"] == "hash" and not (r["hash"]["slots"] > r["hash"]["keys"] > 0 and
                                        1 <= r["hash"]["probes"] < 3):
        bad.append("hash %s" % r["hash"])
    if r["workload"].startswith("index") and not 0 < r["index"]["bytes"] <= r["bytes"]:
        bad.append("index %s" % r["index"])
print("; ".join(bad[:5] if rows else ["no rows"]))
P

mapfile -t all < <("$hpctl" help run |
	sed -n '/^workloads/,/^$/s/^  \([a-z-]*\) .*/\1/p')
if [ ${#all[@]} -ge 18 ]; then
	result OK "help run lists the workloads"
else
	result FAIL "help run lists the workloads" "${all[*]}"
fi

# Operations of churn are cycles, which take long.
short=()
for w in "${all[@]}"; do
	[ "$w" = churn ] || short+=("$w")
done

# sums THREADS SIZE [ARG...]
sums()
{
	local why rc name="$1 threads, $2"

	timeout 200 "$hpctl" compare "${short[@]}" -t "$1" -s "$2" -r 1 --ops 20000 --seed 5 \
		-j "${@:3}" >"$tmp/json" 2>"$tmp/err"
	rc=$?
	# Figures that are not to be trusted, or huge pages that were not to be had: no
	# matter here. Wrong data is found below.
	case $rc in
	0|6|7) ;;
	*) result FAIL "$name" "exit $rc: $(tail -n 1 "$tmp/err")"; return ;;
	esac
	why=$("$python" "$tmp/check.py" "$tmp/json" "${short[@]}" 2>&1 | tail -n 1)
	if [ -z "$why" ]; then result OK "$name"; else result FAIL "$name" "$why"; fi
}

# Hugetlb pages too, where the pools can be filled.
reserve=()
if [ "$(id -u)" = 0 ] &&
   timeout 60 "$hpctl" run get -b hugetlb-2m -s 32M -r 1 --ops 1000 --reserve -q >/dev/null 2>&1; then
	reserve=(--reserve)
fi
sums 1 24M "${reserve[@]}"
sums 2 24M "${reserve[@]}"
sums 3 10M "${reserve[@]}"
sums 3 12345678 -b anon-4k

# with WORKLOAD CONTROL
with()
{
	timeout 60 "$hpctl" run "$1" -s 4M -r 1 --ops 1000 -j >"$tmp/json" 2>/dev/null
	if [ -z "$("$python" "$tmp/check.py" "$tmp/json" "$1" "$2")" ]; then
		result OK "$1 has $2 beside it"
	else
		result FAIL "$1 has $2 beside it" "no row"
	fi
}

with rand-fill rand-gen
with index index-range

# refused CODE NAME ARG...
refused()
{
	local want=$1 name=$2 rc from=${EPOCHREALTIME/[.,]/} took

	shift 2
	timeout 10 "$hpctl" run "$@" >"$tmp/out" 2>&1
	rc=$?
	took=$((${EPOCHREALTIME/[.,]/} - from))
	if [ $rc = "$want" ] && [ $took -lt 1000000 ]; then
		result OK "$name exits $want at once"
	else
		result FAIL "$name exits $want at once" "exit $rc after $took us"
	fi
}

avail=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
for size in 160G 1T; do
	if [ "$avail" -gt $((160 << 20)) ]; then
		skipped "matrix of $size" "there is memory for it"
		continue
	fi
	for backing in anon-4k hugetlb-2m; do
		refused 3 "matrix of $size on $backing" matrix -s $size -b $backing
	done
done
refused 2 "an index in 100 bytes" index -s 100
refused 2 "a hash table of 3 elements" hash -s 15

finish
