#!/bin/bash
# stop_anytime.sh - Ctrl-C at whatever moment ends a run within a second's work, with exit
# 130 and a document that parses and says that it is partial; nothing is left behind.
# The time is the CPU's, so that other load on the machine is not taken for ours: a second
# of two threads, and as much again as memory is slower with such load.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
if ! "$python" -c '' 2>/dev/null; then
	echo "1..0 # SKIP needs $python"
	exit 4
fi

cat >"$tmp/stop.py" <<'P'
import json
import os
import signal
import subprocess
import sys
import time

# stop.py SECONDS OUT LIMIT CMD...: prints what is wrong
after, out, limit, cmd = float(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4:]
signal.signal(signal.SIGINT, signal.SIG_DFL)
child = subprocess.Popen(cmd, stdout=open(out, "wb"), stderr=subprocess.DEVNULL)
time.sleep(after)
# User and system time, behind the name in brackets.
stat = open("/proc/%d/stat" % child.pid).read().rsplit(")", 1)[1].split()
before = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
os.kill(child.pid, signal.SIGINT)
_, status, ru = os.wait4(child.pid, 0)
spent = ru.ru_utime + ru.ru_stime - before
if os.WIFSIGNALED(status):
    # Before there was a handler, and anything to be put back.
    if os.WTERMSIG(status) != signal.SIGINT or before > 0.02:
        print("signal", os.WTERMSIG(status))
    sys.exit()
if os.WEXITSTATUS(status) != 130:
    print("exit", os.WEXITSTATUS(status))
if spent > limit:
    print("worked on for %.2f s" % spent)
doc = json.load(open(out))
if doc["error"]["code"] != 130:
    print(doc["error"])
# Every row has fewer runs than were asked for, or all of them.
for r in doc["results"]:
    if r["partial"] != (len(r["samples_ns"]) < doc["env"]["runs"]):
        print(r["label"], "partial")
    if (r["median_ns"] is None) != (not r["samples_ns"]):
        print(r["label"], "median")
P

pools()
{
	cat /sys/kernel/mm/hugepages/hugepages-*/nr_hugepages 2>/dev/null
}

# stopped NAME SECONDS ARG...
stopped()
{
	local name=$1 after=$2 why

	shift 2
	why=$(timeout 100 "$python" "$tmp/stop.py" "$after" "$tmp/json" \
		$((4 * ${HPBUF_TIMEOUT_SCALE:-1})) "$hpctl" "$@" -j -t 2 2>&1 | tr '\n' ' ')
	[ -z "$reserve" ] || [ "$(pools)" = "$before" ] || why="$why, pools changed"
	[ ! -e /run/hpctl/pools ] || why="$why, a journal is left"
	if [ -z "$why" ]; then result OK "$name"; else result FAIL "$name" "$why"; fi
}

before=$(pools)
reserve=
[ "$(id -u)" = 0 ] && reserve=--reserve
# From the first page table to the middle of the third run or so.
for s in 0.005 0.04 0.12 0.25 0.4 0.7 1.1 1.6 2.3 3.1; do
	stopped "after $s s" $s compare touch fill get set chase -s 256M $reserve
done
# In the timed part or in the loop that works out what it should have read.
for s in 1.5 4 6; do
	stopped "of many operations, after $s s" $s run get -s 4M -r 1 --ops 2000000000
done
finish
