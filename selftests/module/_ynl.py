#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask the family hpbuf through the kernel's YNL library and print JSON.

usage: _ynl.py PYYNL-DIR SPEC HPCTL   (ynl.sh runs it)

One process for all questions: starting it is the slow part in an emulated
machine. The spec is validated against its schema on the host.
"""
import json
import subprocess
import sys

sys.path.append(sys.argv[1])
# pylint: disable=wrong-import-position,import-error
from lib import YnlFamily, NlError

EVENTS_WAIT = 60    # seconds at most for the three events


def refused(ynl, what):
    """The kernel's words about a request that it refuses, or None."""
    try:
        ynl.do("buf-get", what)
    except NlError as err:
        return str(err)
    return None


def events(spec, hpctl):
    """Make an event of each kind and return what arrives, in order."""
    listener = YnlFamily(spec, schema="")
    listener.ntf_subscribe("events")
    for args in (["alloc", "-s", "2M", "-p", "2M", "--name", "event"],
                 ["free", "event"], ["alloc", "-s", "160G", "-p", "1G"]):
        subprocess.run([hpctl, *args, "-q"], check=False, capture_output=True)
    got = []
    for msg in listener.poll_ntf(duration=EVENTS_WAIT):
        got.append(msg["msg"])
        if len(got) == 3:
            break
    return got


def main():
    """Print one object with all answers."""
    spec, hpctl = sys.argv[2:4]
    ynl = YnlFamily(spec, schema="")
    bufs = ynl.dump("buf-get", {})
    named = [b["id"] for b in bufs if b.get("name") == "ynl"]
    json.dump({
        "bufs": bufs,
        "by_id": ynl.do("buf-get", {"id": named[0]}) if named else None,
        "by_name": ynl.do("buf-get", {"name": "ynl"}),
        "neither": refused(ynl, {}),
        "missing": refused(ynl, {"id": 0x7ffffff0}),
        "pools": ynl.dump("pool-get", {}),
        "walk": ynl.do("walk", {"addr": 4096, "len": 4096}),
        "events": events(spec, hpctl),
    }, sys.stdout, default=str)


main()
