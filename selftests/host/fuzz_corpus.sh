#!/bin/bash
# fuzz_corpus.sh - the seeds of the fuzzers, among them every input that broke
# something once, through their targets built with AddressSanitizer and UBSan.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

skip()
{
	echo "1..0 # SKIP $*"
	exit 4
}

cc=${CC:-gcc}
fuzz=$top/user/fuzz
[ -d "$fuzz/corpus" ] || skip "needs the sources: no $fuzz"
for tool in "$cc" make pkg-config; do
	command -v "$tool" >/dev/null || skip "needs $tool"
done
# The test runner preloads a library for its pipes, and the sanitizer wants to be first.
unset LD_PRELOAD
echo 'int main(void) { return 0; }' >"$tmp/probe.c"
if ! "$cc" -fsanitize=address,undefined -o "$tmp/probe" "$tmp/probe.c" 2>/dev/null ||
	! "$tmp/probe"; then
	skip "$cc has no AddressSanitizer or UBSan that runs here"
fi

# What is inherited from make would be taken for this build's.
unset MAKEFLAGS MFLAGS CFLAGS LDFLAGS OUTPUT
for target in parse report nl proc files line; do
	if ! make -j"$(nproc)" -C "$fuzz" replay CC="$cc" OUTPUT="$tmp" TARGETS=$target >"$tmp/log" 2>&1; then
		result FAIL "$target builds" "$(grep -m 1 -i error "$tmp/log")"
		continue
	fi
	result OK "$target builds"
	number_of=0 bad=
	for seed in "$fuzz/corpus/$target"/*; do
		number_of=$((number_of + 1))
		# a name of its own for each, and an end to one that hangs
		timeout 20 "$tmp/replay-$target" "$seed" >"$tmp/out" 2>&1 ||
			bad+=" $(basename "$seed"): $(grep -m 1 -E 'ERROR|error|not so' "$tmp/out")"
	done
	if [ -z "$bad" ] && [ $number_of -gt 5 ]; then
		result OK "$target: $number_of seeds"
	else
		result FAIL "$target: $number_of seeds" "${bad:-too few}"
	fi
done
finish
