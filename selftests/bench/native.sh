#!/bin/bash
# native.sh - the ratios that need no module, on this machine.
#
# usage: native.sh [SIZE]	of the array; also HPBUF_BENCH_SIZE
set -euo pipefail
bench=$(cd "$(dirname "$0")" && pwd)
make -s -C "$bench" all
size=${1:-${HPBUF_BENCH_SIZE:-}}
exec "${HPBUF_BENCH:-$bench/../../build/selftests/bench}/native" ${size:+"$size"}
