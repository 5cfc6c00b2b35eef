#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# guest-reclaim.sh - what tracing adds to a page that the kernel reclaims, in instructions.
#
# usage: guest-reclaim.sh	(a part of "make bench")
#	BENCH_KERNEL		6.1, 6.12 (default) or 7.3
#	BENCH_ROUNDS		default 3
#
# One emulated CPU counts instructions instead of time (-icount), one a nanosecond. The
# machine is small, so that its memory is soon used up.
#
# Guarantees: changes nothing on this machine; exit status 0 if it was measured,
# whatever came out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
vm=$here/../vm
# shellcheck source=../vm/lib.sh
. "$vm/lib.sh"

ver=${BENCH_KERNEL:-6.12}
program=$top/build/selftests/bench/guest_reclaim
log=$top/build/bench.module.log

"$vm/deps.sh"
make -s -C "$top/user" >&2
make -s -C "$here" guest >&2
if ! "$vm/build-module.sh" "$ver" >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	die "the module does not build"
fi
say "instructions, in a guest with kernel $ver (emulated, one CPU)"
exec "$vm/run.sh" -k "$ver" -m 1G -c 1 -t 1800 -q "-icount shift=0,sleep=off" -- \
	"$program" "$top/build/$ver/hpbuf.ko" "${BENCH_ROUNDS:-3}"
