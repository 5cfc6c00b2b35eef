# SPDX-License-Identifier: GPL-2.0-only
"""Loads for the tests of reclaim and events. Beside python3 it needs nothing.

_load.py hog BYTES      touch that much anonymous memory, page by page, and end
_load.py pieces         take most of the memory by 2 MiB, give every second back,
                        say "ready", and hold the rest until stdin ends
_load.py tables         make 32 MiB of page tables, and end
_load.py fail NUMBER    so many allocations of the module that are refused
"""

import ctypes
import fcntl
import mmap
import sys

MIB = 1 << 20
MADV_POPULATE_WRITE = 23


class Alloc(ctypes.Structure):
    """struct hpbuf_alloc of linux/hpbuf.h."""

    _fields_ = [
        ("bytes", ctypes.c_uint64),
        ("page_shift", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("timeout_ms", ctypes.c_uint32),
        ("fd", ctypes.c_int32),
        ("id", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("size", ctypes.c_uint64),
        ("nodes", ctypes.c_uint64 * 16),
        ("name", ctypes.c_char * 32),
    ]


ALLOC = 3 << 30 | ctypes.sizeof(Alloc) << 16 | 0xBB << 8 | 0x01


def available():
    """Bytes of MemAvailable."""
    with open("/proc/meminfo", encoding="ascii") as f:
        for line in f:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    raise SystemExit("no MemAvailable")


def private(size):
    """Anonymous memory; Python's default is a file in memory, without huge pages."""
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def hog(size):
    """Touch it; more than there is makes the kernel reclaim."""
    m = private(size)
    m.madvise(mmap.MADV_NOHUGEPAGE)
    try:
        # within the kernel, where kswapd hardly keeps up
        m.madvise(MADV_POPULATE_WRITE)
        return
    except OSError:
        pass
    for at in range(0, size, 4096):
        m[at] = 1


def pieces():
    """No gigabyte stays free, and all of it could be moved."""
    size = (available() - 512 * MIB) // (2 * MIB) * 2 * MIB
    m = private(size + 2 * MIB)
    m.madvise(mmap.MADV_HUGEPAGE)
    # To where a huge page begins: part of one would not be given back at once.
    first = -ctypes.addressof(ctypes.c_char.from_buffer(m)) % (2 * MIB)
    for at in range(first, first + size, 2 * MIB):
        m[at] = 1
    for at in range(first, first + size, 4 * MIB):
        m.madvise(mmap.MADV_DONTNEED, at, 2 * MIB)
    print("ready", flush=True)
    sys.stdin.read()


def tables():
    """A page of zeroes in each 2 MiB: a page table for each."""
    m = mmap.mmap(-1, 8192 * 2 * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    m.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, len(m), 2 * MIB):
        if m[at]:
            raise SystemExit("not zero")


def fail(number):
    """An allocation of no bytes is refused, and is an event."""
    refused = 0
    with open("/dev/hpbuf", "rb+", buffering=0) as f:
        for _ in range(number):
            req = Alloc(page_shift=21)
            try:
                fcntl.ioctl(f, ALLOC, req)
            except OSError:
                refused += 1
    if refused != number:
        raise SystemExit(f"{refused} of {number} were refused")


if sys.argv[1] == "hog":
    hog(int(sys.argv[2]))
elif sys.argv[1] == "pieces":
    pieces()
elif sys.argv[1] == "tables":
    tables()
elif sys.argv[1] == "fail":
    fail(int(sys.argv[2]))
else:
    raise SystemExit(__doc__)
