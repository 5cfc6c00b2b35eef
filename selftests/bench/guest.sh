#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh - what getting, mapping, touching and giving back a GiB costs, hpbuf against
# hugetlbfs against anonymous memory, in instructions.
#
# usage: guest.sh			(a part of "make bench")
#	BENCH_KERNEL		6.1, 6.12 (default) or 7.3
#	BENCH_ROUNDS		default 3
#	HPBUF_GUEST_MEM		default 6G
#
# One emulated CPU counts instructions instead of time (-icount), so that the figures
# are the same on every machine and under any load. They are instructions, not time:
# what a cache or a TLB does is not in them.
#
# Guarantees: changes nothing on this machine; exit status 0 if it was measured,
# whatever came out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
vm=$here/../vm
# shellcheck source=../vm/lib.sh
. "$vm/lib.sh"

ver=${BENCH_KERNEL:-6.12}
out=$top/build/bench
mkdir -p "$out"

"$vm/deps.sh"
make -s -j"$(nproc)" -C "$top/user" >&2
"$vm/build-module.sh" "$ver" >"$out/module.log" 2>&1 || {
	tail -n 20 "$out/module.log" >&2
	die "the module does not build"
}
# shellcheck disable=SC2046 # flags
${CC:-gcc} -O2 -g -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -I"$top/include/uapi" -I"$top/user/lib" \
	-o "$out/guest" "$here/guest.c" "$here/guest_kinds.c" "$top/build/user/libhpbuf.a" \
	$(pkg-config --libs libmnl)

say "instructions, in a guest with kernel $ver (emulated, one CPU)"
"$vm/run.sh" -k "$ver" -m "${HPBUF_GUEST_MEM:-6G}" -c 1 -t 1800 -q "-icount shift=0,sleep=off" -- \
	"insmod $(printf %q "$top/build/$ver/hpbuf.ko") && $(printf %q "$out/guest") ${BENCH_ROUNDS:-3}"
