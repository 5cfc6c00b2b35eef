#!/bin/bash
# stop_anytime.sh - Ctrl-C at whatever moment ends a run within a second, with exit 130
# and a document that parses and says that it is partial; nothing is left behind.
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

doc = json.load(open(sys.argv[1]))
assert doc["error"]["code"] == 130, doc["error"]
# Every row has fewer runs than were asked for, or all of them.
for r in doc["results"]:
    assert r["partial"] == (len(r["samples_ns"]) < doc["env"]["runs"]), r["label"]
    assert r["median_ns"] is not None or not r["samples_ns"], r["label"]
P

pools()
{
	cat /sys/kernel/mm/hugepages/hugepages-*/nr_hugepages 2>/dev/null
}

before=$(pools)
reserve=
[ "$(id -u)" = 0 ] && reserve=--reserve
# From the first page table to the middle of the third run or so.
for ms in 5 40 120 250 400 700 1100 1600 2300 3100; do
	env --default-signal=INT "$hpctl" compare touch fill get set chase -s 256M $reserve -j \
		-t 2 >"$tmp/json" 2>"$tmp/err" &
	pid=$!
	sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
	from=$(date +%s%N)
	kill -INT $pid
	wait $pid
	rc=$?
	took=$((($(date +%s%N) - from) / 1000000))
	why=
	# Before the handler is there, the signal itself ends it.
	[ $rc = 130 ] || why="exit $rc"
	# An emulated machine gets a multiple of it.
	[ $took -lt $((1000 * ${HPBUF_TIMEOUT_SCALE:-1})) ] || why="$why, took $took ms"
	if [ -z "$why" ] && [ -s "$tmp/json" ]; then
		why=$("$python" "$tmp/check.py" "$tmp/json" 2>&1 | tail -n 1)
	fi
	[ "$(pools)" = "$before" ] || why="$why, pools changed"
	[ ! -e /run/hpctl/pools ] || why="$why, a journal is left"
	if [ -z "$why" ]; then
		result OK "after $ms ms"
	else
		result FAIL "after $ms ms" "${why#, }: $(tail -n 1 "$tmp/err" | cut -c -150)"
	fi
done
finish
