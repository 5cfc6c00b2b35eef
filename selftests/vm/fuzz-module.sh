#!/bin/bash
# fuzz-module.sh - the fuzzer of the module (selftests/debug/fuzz_module.c) in a guest.
#
# usage: fuzz-module.sh		(what "make fuzz-module" runs)
#	KERNEL		default 6.12-debug; any cached series
#	FUZZ_SECONDS	default 300
#	HPBUF_SEED	another course
#	HPBUF_TIMEOUT_SCALE, HPBUF_BOOT_LIMIT	as for check.sh
#
# Guarantees: exits 0 only if no program broke anything. What it found, and the corpus
# it made, is in build/fuzz-module/KERNEL/.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

ver=${KERNEL:-6.12-debug}
seconds=${FUZZ_SECONDS:-300}
out=$top/build/fuzz-module/$ver

cd "$top"
"$vm/deps.sh"
"$vm/fetch-kselftest.sh"
"$vm/build-module.sh" "$ver" >&2
make -s -C user >&2
make -s -C selftests install TARGETS=debug INSTALL_PATH="$out/install" >&2
cp "build/$ver/hpbuf.ko" "$out/"
export HPBUF_KO=$out/hpbuf.ko HPBUF_RESULTS=$out/results HPBUF_FUZZ_SECONDS=$seconds
say "results in $HPBUF_RESULTS"
# the saved programs, shortening and the memory's return take longer than the fuzzing
exec "$vm/run.sh" -k "$ver" -t $((seconds + 600)) -s "$HPBUF_RESULTS" -l "$out/serial" -- \
	"$out/install/debug/fuzz_module"
