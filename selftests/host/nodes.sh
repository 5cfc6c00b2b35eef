#!/bin/bash
# nodes.sh - --nodes binds memory and threads, each page's node is looked up and shown;
# nodes that there are not are a usage error; a machine of one node works. On several
# nodes: memory is where it was asked to be, and a node that is full is found before.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
if ! "$python" -c '' 2>/dev/null; then
	echo "1..0 # SKIP needs $python"
	exit 4
fi
cat >"$tmp/check.py" <<'P'
import json
import sys

# check.py FILE NODES: every page of every row is looked at, and on one of NODES.
doc, nodes = json.load(open(sys.argv[1])), [int(n) for n in sys.argv[2].split(",")]
bad = [] if doc["results"] else ["no rows"]
for r in doc["results"]:
    page = 4096 if r["backing"].startswith("anon") else r["page_bytes_asked"]
    have = sum(n["pages"] for n in r["nodes"] or [])
    if have != min(r["bytes"] // page, 262144) or not r["nodes_by"]:
        bad.append("%s: %d pages looked at" % (r["backing"], have))
    if any(n["node"] not in nodes for n in r["nodes"] or []):
        bad.append("%s: %s" % (r["backing"], r["nodes"]))
    if not r["verified"] and r["backing"] != "anon-thp":
        bad.append(r["backing"] + ": not verified")
print("; ".join(bad))
sys.exit(bool(bad))
P

reserve=
[ "$(id -u)" = 0 ] && reserve=--reserve
with_memory=$(cat /sys/devices/system/node/has_memory 2>/dev/null || echo 0)
last=${with_memory##*[,-]}

# compared NAME NODES OPTION...: runs, and every page is there
compared()
{
	local name=$1 nodes=$2 rc why

	shift 2
	timeout 120 "$hpctl" compare get touch -s 32M -r 1 --ops 100000 $reserve -j "$@" \
		>"$tmp/json" 2>"$tmp/err"
	rc=$?
	why=$("$python" "$tmp/check.py" "$tmp/json" "$nodes" 2>&1 | tail -n 1)
	# 6: memory may be too fragmented for transparent huge pages.
	case $rc in
	0|6|7) ;;
	*) why="exit $rc: $(tail -n 1 "$tmp/err")" ;;
	esac
	if [ -z "$why" ]; then result OK "$name"; else result FAIL "$name" "$why"; fi
}

compared "the pages' nodes are told" "$(seq -s, 0 "$last")"
# a gigabyte has to be written for each, so not in all of them
small=(-b "anon-4k,anon-thp,hugetlb-2m")
[ ! -e /dev/hpbuf ] || small[1]+=,hpbuf-2m
compared "--nodes 0" 0 --nodes 0 "${small[@]}"
for nodes in 1023 1024 -1 x 0-x "" "!0-$last"; do
	timeout 5 "$hpctl" run get --nodes "$nodes" -s 4M >"$tmp/out" 2>"$tmp/err"
	rc=$?
	if [ $rc = 2 ] && [ ! -s "$tmp/out" ] && grep -q nodes "$tmp/err"; then
		result OK "--nodes '$nodes' exits 2"
	else
		result FAIL "--nodes '$nodes' exits 2" "exit $rc: $(head -n 1 "$tmp/err")"
	fi
done
timeout 5 "$hpctl" run get --nodes 1023 -s 4M >"$tmp/out" 2>"$tmp/err"
if grep -q "nodes with memory: $with_memory" "$tmp/err"; then
	result OK "those there are are named"
else
	result FAIL "those there are are named" "$(tr '\n' '|' <"$tmp/err")"
fi
timeout 60 "$hpctl" run get -s 4M -r 1 --ops 100000 --nodes 0 >"$tmp/out" 2>/dev/null
if grep -q '^WORKLOAD.* NODES ' "$tmp/out" && grep -q ' 0:1024 ' "$tmp/out"; then
	result OK "the table shows them"
else
	result FAIL "the table shows them" "$(head -n 1 "$tmp/out")"
fi
timeout 60 "$hpctl" walk -b anon-4k -s 4M --nodes 0 --columns +NODES >"$tmp/out" 2>/dev/null
if grep -q ' 0:1024$' "$tmp/out"; then
	result OK "walk too"
else
	result FAIL "walk too" "$(head -n 2 "$tmp/out" | tr '\n' '|')"
fi
# Threads of a part of the CPUs go where they may.
timeout 60 taskset -c "$(taskset -pc $$ | grep -o '[0-9]*$')" \
	"$hpctl" run get -s 4M -r 1 -t 2 --ops 100000 --nodes "all" -j >"$tmp/json" 2>"$tmp/err"
rc=$?
if grep -q '"migrated": 0' "$tmp/json"; then
	result OK "within the CPUs that may be used (exit $rc)"
else
	result FAIL "within the CPUs that may be used" "exit $rc: $(head -n 1 "$tmp/err")"
fi

if [ "$last" = 0 ]; then
	skipped "the last of several nodes" "the machine has one node with memory"
	finish
fi
compared "--nodes $last" "$last" --nodes "$last"
compared "--nodes all" "$(seq -s, 0 "$last")" --nodes all -t 2 "${small[@]}"
free=$(awk '/MemFree|\(file\)/ { n += $4 } END { print n }' "/sys/devices/system/node/node$last/meminfo")
timeout 20 "$hpctl" run get --nodes "$last" -s $((free + 1024))K --spare 4K >"$tmp/out" 2>"$tmp/err"
rc=$?
if [ $rc = 3 ] && [ ! -s "$tmp/out" ]; then
	result OK "more than the node has exits 3"
else
	result FAIL "more than the node has exits 3" "exit $rc: $(head -n 1 "$tmp/err")"
fi
finish
