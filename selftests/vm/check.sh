#!/bin/bash
# check.sh - everything: build, tests on this machine, tests in guests.
#
# usage: check.sh		(what "make check" runs)
#	KERNELS			default "6.1 6.12 7.3"; empty: this machine only
#	HPBUF_TIMEOUT_SCALE	multiplies every time limit, default 1
#	HPBUF_GUEST_MEM		default 6G
#	HPBUF_GUEST_LIMIT	seconds for the tests of one guest, default 900
#	HPBUF_HOST		0: no tests on this machine
#	HPBUF_LINT		1: static checks (lint.sh) too
#	HPBUF_BATCH		test programs in one guest, default 9: fresh guests
#				have 1 GiB pages left, and one that dies takes less
#				with it
#	HPBUF_TESTS		which tests in guests (a regular expression), default all
#	HPBUF_JOBS		guests at a time, default 2 if the CPUs and memory
#				are there
#
# Guarantees: the last line is "N passed, N failed, N skipped" over all kernels;
# before it every failed and every skipped test with its reason.  Exit status 0
# only if all was built, every guest booted, something ran, nothing failed and no
# kernel log has a warning.  Logs and raw results stay in build/check/.
#
# Tests find: HPBUF_TOP (the checkout), HPCTL, HPBUF_RESULTS (a directory they
# may write to), HPBUF_PYTHON, HPBUF_LINUX_SRC; in guests also HPBUF_KO and
# HPBUF_GUEST (the series).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

kernels=${KERNELS-$all_kernels}
limit=${HPBUF_GUEST_LIMIT:-900}
batch=${HPBUF_BATCH:-9}
jobs=${HPBUF_JOBS:-$(awk -v cpus="$(nproc)" '/^MemAvailable:/ {
	print (cpus > 1 && $2 > 16 * 1024 * 1024) ? 2 : 1 }' /proc/meminfo)}
out=$top/build/check
suite=$out/install
extra=()	# failures that no test reports
results=()
labels=()	# of the guests
started=$SECONDS

# the guests end with this script
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# shellcheck disable=SC2317 # the trap calls it
stop()
{
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || kill $pids 2>/dev/null || true
}
trap stop EXIT

rm -rf "$out"
mkdir -p "$out"
cd "$top"

# step NAME COMMAND...: run it into a log; a failure is kept and shown.
step()
{
	local name=$1 t=$SECONDS

	shift
	if "$@" >"$out/$name.log" 2>&1 </dev/null; then
		say "$name: ok ($((SECONDS - t)) s)"
		return 0
	fi
	say "$name: FAILED; the end of $out/$name.log:"
	tail -n 30 "$out/$name.log" >&2
	extra+=(-f "$name failed")
	return 1
}

# progress: of the results on stdin, only the outermost, on stderr.
progress()
{
	grep --line-buffered -E '^(not )?ok ' | sed -u "s/^/  $1: /" >&2 || true
}

run_host()
{
	local HPBUF_RESULTS=$out/host

	export HPBUF_RESULTS
	mkdir -p "$HPBUF_RESULTS"
	"$suite/run_kselftest.sh" -c host 2>&1 </dev/null |
		tee "$out/host.ktap" | progress host || true
	results+=("host=$out/host.ktap")
}

# run_guest LABEL VER [RUN.SH OPTIONS] -- WHICH...: module tests in one guest.
run_guest()
{
	local label=$1 ver=$2 rc=0 t=$SECONDS options=() logs
	local HPBUF_KO=$out/hpbuf-$2.ko HPBUF_RESULTS=$out/$1

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	export HPBUF_KO HPBUF_RESULTS
	setpriv --pdeathsig TERM "$vm/run.sh" -k "$ver" -m "${HPBUF_GUEST_MEM:-6G}" -t "$limit" \
		-s "$HPBUF_RESULTS" -l "$out/$label.serial" "${options[@]}" -- \
		"$suite/run_kselftest.sh" "$@" 2>"$out/$label.run" |
		tee "$out/$label.ktap" | progress "$label" || rc=${PIPESTATUS[0]}
	cat "$out/$label.run" >&2
	logs=("$out/$label.serial")
	[ ! -e "$out/$label.serial.dmesg" ] || logs+=("$out/$label.serial.dmesg")
	{
		case $rc in
		0 | 1 | 126) ;; # the results or the log below tell
		124)	echo "guest ran out of time" ;;
		125)	echo "guest died or never came up" ;;
		*)	echo "guest ended with status $rc" ;;
		esac
		"$vm/scan-log.sh" "${logs[@]}" | sed 's/^/kernel log: /' || true
	} >"$out/$label.extra"
	say "$label: guest done ($((SECONDS - t)) s)"
}

# start_guest ...: run_guest beside others, when there is room for it.
start_guest()
{
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n || true
	done
	labels+=("$1")
	run_guest "$@" &
}

# All guests: wait for them and take their results in order.
join_guests()
{
	local label line

	wait
	for label in "${labels[@]}"; do
		results+=("${label%.part*}=$out/$label.ktap")
		[ -e "$out/$label.extra" ] || echo "no result" >"$out/$label.extra"
		[ -e "$out/$label.ktap" ] || : >"$out/$label.ktap"
		while read -r line; do
			extra+=(-f "$label: $line")
		done <"$out/$label.extra"
	done
}

# run_series VER: all tests of the module, a batch to each guest. Kernels that are made
# for finding faults have tests of their own.
run_series()
{
	local tests=() which=() sets=module i t

	[[ $1 != *-debug ]] || sets="module|debug"
	mapfile -t tests < <(grep -E "^($sets):.*(${HPBUF_TESTS:-.})" "$suite/kselftest-list.txt")
	for ((i = 0; i < ${#tests[@]}; i += batch)); do
		which=()
		for t in "${tests[@]:i:batch}"; do
			which+=(-t "$t")
		done
		start_guest "$1.part$((i / batch + 1))" "$1" -- "${which[@]}"
	done
	# What leaves a mark on the machine comes last in a guest that nobody uses after.
	mapfile -t tests < <(grep -E "^machine:.*(${HPBUF_TESTS:-.})" "$suite/kselftest-list.txt")
	which=()
	for t in "${tests[@]}"; do
		which+=(-t "$t")
	done
	[ ${#which[@]} = 0 ] || start_guest "$1.part0" "$1" -- "${which[@]}"
}

# The tests that need two nodes, once more in a guest that has them.
run_numa()
{
	local ver=${built[0]}

	case " ${built[*]} " in
	*" 6.12 "*) ver=6.12 ;;
	esac
	if grep -qx module:numa "$suite/kselftest-list.txt"; then
		start_guest "$ver-numa" "$ver" -n -m 8G -- -t module:numa -t host:nodes.sh \
			-t module:pool_set -t module:pool_partial.sh
	fi
}

step deps "$vm/deps.sh" || true
step framework "$vm/fetch-kselftest.sh" || true
step user make -j"$(nproc)" -C user || true
[ "${HPBUF_LINT:-0}" = 0 ] || step lint "$vm/lint.sh" || true
built=()
for ver in $kernels; do
	if step "kernel-$ver" "$vm/fetch-kernel.sh" "$ver" &&
		step "module-$ver" "$vm/build-module.sh" "$ver" W=1; then
		# what is tested does not change when somebody builds meanwhile
		cp "$top/build/$ver/hpbuf.ko" "$out/hpbuf-$ver.ko"
		built+=("$ver")
	fi
done
export HPBUF_TOP=$top HPCTL=$top/build/user/hpctl HPBUF_PYTHON=$python
export HPBUF_LINUX_SRC=$cache/linux-src
if step selftests make -j"$(nproc)" -C selftests install INSTALL_PATH="$suite"; then
	[ "${HPBUF_HOST:-1}" = 0 ] || run_host
	for ver in "${built[@]}"; do
		run_series "$ver"
	done
	[ ${#built[@]} = 0 ] || run_numa
	join_guests
fi

say "$((SECONDS - started)) s in all; logs in $out"
"$python" "$vm/ktap.py" "${extra[@]}" "${results[@]}" | tee "$out/summary"
