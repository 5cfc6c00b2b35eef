#!/bin/bash
# thp_inherited_off.sh - a parent that switched huge pages off for itself hands
# that on over fork and exec, and madvise() succeeds all the same. Nothing measured
# there may carry the name anon-thp, nor may 1 GiB buffers be tried.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
if [ ! -r /sys/kernel/mm/transparent_hugepage/enabled ] || ! "$python" -c '' 2>/dev/null; then
	echo "1..0 # SKIP needs transparent huge pages in the kernel, and $python"
	exit 4
fi

# off [FLAGS] CMD...: with PR_SET_THP_DISABLE
off()
{
	"$python" - "$@" <<'P'
import ctypes
import os
import sys

flags = int(sys.argv.pop(1)) if sys.argv[1].isdigit() else 0
if ctypes.CDLL(None).prctl(41, 1, flags, 0, 0):
    sys.exit(99)
os.execv(sys.argv[1], sys.argv[1:])
P
}

off "$hpctl" run get -b anon-thp -s 4M -r 1 --ops 1000 >"$tmp/out" 2>"$tmp/err"
rc=$?
if [ $rc = 4 ]; then result OK "anon-thp exits 4"; else result FAIL "anon-thp exits 4" "$rc"; fi
if [ -s "$tmp/out" ]; then
	result FAIL "no figure is printed" "$(head -n 1 "$tmp/out")"
else
	result OK "no figure is printed"
fi
if grep -q PR_SET_THP_DISABLE "$tmp/err"; then
	result OK "the reason is named"
else
	result FAIL "the reason is named" "$(head -n 1 "$tmp/err")"
fi

off "$hpctl" compare get -s 4M -r 1 --ops 1000 -j >"$tmp/json" 2>/dev/null
if grep -q '"backing": "anon-4k"' "$tmp/json" && ! grep -q '"backing": "anon-thp"' "$tmp/json"; then
	result OK "compare runs the others and leaves it out"
else
	result FAIL "compare runs the others and leaves it out" "see its results"
fi

# From 6.18 on it may except memory that asks for huge pages, as anon-thp does.
off 2 "$hpctl" run get -b anon-thp -s 4M -r 1 --ops 100000 >"$tmp/out" 2>"$tmp/err"
rc=$?
case $rc in
0|6|7) result OK "switched off but where advised: runs" ;;
99) skipped "switched off but where advised: runs" "this kernel has no such exception" ;;
*) result FAIL "switched off but where advised: runs" "exit $rc: $(head -n 1 "$tmp/err")" ;;
esac
finish
