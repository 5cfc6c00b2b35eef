#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Set and read the pool through the kernel's YNL library and print JSON.

usage: _pool_ynl.py PYYNL-DIR SPEC HPCTL   (pool_ynl.sh runs it)
"""
import json
import subprocess
import sys
import time

sys.path.append(sys.argv[1])
# pylint: disable=wrong-import-position,import-error
from lib import YnlFamily, NlError

NODE, SHIFT = 0, 21
POLLS = 600     # of a tenth of a second


def refused(ynl, what):
    """The kernel's words about a request that it refuses, or None."""
    try:
        ynl.do("pool-set", what)
    except NlError as err:
        return str(err)
    return None


def pool(ynl):
    """The pool this is about."""
    return [p for p in ynl.dump("pool-get", {})
            if p["node"] == NODE and p["page-shift"] == SHIFT][0]


def settle(ynl):
    """Wait until it is neither filling nor zeroing."""
    for _ in range(POLLS):
        now = pool(ynl)
        if not now.get("filling") and not now["dirty"]:
            return now
        time.sleep(0.1)
    return now


def main():
    """Print one object with all answers."""
    spec, hpctl = sys.argv[2:4]
    ynl = YnlFamily(spec, schema="")
    ask = {"node": NODE, "page-shift": SHIFT, "want": 5, "min": 2}
    ynl.do("pool-set", ask)
    settle(ynl)
    subprocess.run([hpctl, "alloc", "-s", "4M", "-p", "2M", "--name", "pooled", "-q"],
                   check=True, capture_output=True)
    answer = {"buf": ynl.do("buf-get", {"name": "pooled"}), "lent": pool(ynl)}
    subprocess.run([hpctl, "free", "pooled", "-q"], check=True, capture_output=True)
    settle(ynl)
    answer |= {
        "pools": ynl.dump("pool-get", {}),
        "refused": refused(ynl, ask | {"min": 6}),
        "bad_page": refused(ynl, ask | {"page-shift": 12}),
    }
    json.dump(answer, sys.stdout, default=str)


main()
