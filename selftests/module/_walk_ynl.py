#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Time page walks through the kernel's YNL library, and through libhpbuf.

usage: _walk_ynl.py PYYNL-DIR SPEC LIBHPBUF   (walk_ynl.sh runs it)

Prints one JSON object. The range is this process's own, so that both look at the
same pages: every second 4 KiB page of 4 MiB is there.
"""
import ctypes
import json
import mmap
import sys

sys.path.append(sys.argv[1])
# pylint: disable=wrong-import-position,import-error
from lib import YnlFamily, NlError

SIZE = 4 << 20
PAGE = 4096
MADV_NOHUGEPAGE = 15
SAMPLES = 3000
SEED = 99
U32 = ctypes.c_uint32
U64 = ctypes.c_uint64


class Census(ctypes.Structure):
    """struct hpbuf_nl_walk"""
    _fields_ = [(n, U64) for n in ("pte", "pmd", "pud", "none", "table")] + [("levels", U32)]


class Ticks(ctypes.Structure):
    """struct hpbuf_nl_ticks"""
    _fields_ = [(n, U32) for n in ("p0", "p10", "p50", "p90", "p99", "p100", "nr_hist")] + \
               [("hist", U32 * 104)]


class Level(ctypes.Structure):
    """struct hpbuf_nl_level"""
    _fields_ = [("samples", U32), ("hit", Ticks), ("warm", Ticks), ("cold", Ticks)]


class Request(ctypes.Structure):
    """struct hpbuf_nl_walk_req"""
    _fields_ = [("samples", U64), ("seed", U64), ("cold", ctypes.c_bool),
                ("hist", ctypes.c_bool)]


class Time(ctypes.Structure):
    """struct hpbuf_nl_walk_time"""
    _fields_ = [("census", Census), ("level", Level * 3), ("samples", U32),
                ("skipped", U32), ("tsc_khz", U32), ("seed", U64),
                ("hypervisor", ctypes.c_bool), ("has_cold", ctypes.c_bool)]


def by_lib(path, addr):
    """What libhpbuf, and so hpctl, gets."""
    lib = ctypes.CDLL(path)
    nl, out = ctypes.c_void_p(), Time()
    ret = lib.hpbuf_nl_open(ctypes.byref(nl))
    if not ret:
        ret = lib.hpbuf_nl_walk_time(nl, ctypes.c_void_p(addr), ctypes.c_size_t(SIZE),
                                     ctypes.byref(Request(SAMPLES, SEED, True, False)),
                                     ctypes.byref(out))
    return {"ret": ret, "samples": out.samples, "skipped": out.skipped, "seed": out.seed,
            "levels": out.census.levels, "by_level": [l.samples for l in out.level],
            "census": [getattr(out.census, n) for n in ("pte", "pmd", "pud", "none", "table")],
            "hypervisor": out.hypervisor, "tsc_khz": out.tsc_khz,
            "miss": out.level[0].warm.p50 > out.level[0].hit.p50}


def refused(ynl, what):
    """The kernel's words about a request that it refuses, or None."""
    try:
        ynl.do("walk", what)
    except NlError as err:
        return str(err)
    return None


def main():
    """Print one object with all answers."""
    ynl = YnlFamily(sys.argv[2], schema="")
    area = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area.madvise(MADV_NOHUGEPAGE)
    for at in range(0, SIZE, 2 * PAGE):
        area[at] = 1
    addr = ctypes.addressof(ctypes.c_char.from_buffer(area))
    where = {"addr": addr, "len": SIZE}
    timed = {**where, "samples": SAMPLES, "seed": SEED}
    json.dump({
        "census": ynl.do("walk", where),
        "timed": ynl.do("walk", {**timed, "cold": True}),
        "again": ynl.do("walk", timed),
        "hist": ynl.do("walk", {**timed, "hist": True}),
        "too_many": refused(ynl, {**where, "samples": 65537}),
        "odd": refused(ynl, {"addr": addr + 1, "len": PAGE, "samples": 1}),
        "lib": by_lib(sys.argv[3], addr),
    }, sys.stdout, default=str)


main()
