#!/bin/bash
# check.sh - everything: build, tests on this machine, tests in guests.
#
# usage: check.sh		(what "make check" runs)
#	KERNELS			default "6.1 6.12 7.3"; empty: this machine only
#	HPBUF_TIMEOUT_SCALE	multiplies every time limit, default 1
#	HPBUF_GUEST_MEM		default 6G; the tests of memory pressure have 3G
#	HPBUF_GUEST_LIMIT	seconds for the tests of one guest, default 900
#	HPBUF_HOST		0: no tests on this machine
#	HPBUF_LINT		1: static checks (lint.sh) too
#	HPBUF_BATCH		test programs in one guest, default 20: fresh guests
#				have 1 GiB pages left, and one that dies takes less
#				with it
#	HPBUF_TESTS		which tests in guests (a regular expression), default all
#	HPBUF_JOBS		guests at a time, default 3 or 2 where there is more than
#				one CPU and 22 or 16 GiB are available. The tests here
#				take the place of one
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
batch=${HPBUF_BATCH:-20}
# a guest waits for something for a third of its time
jobs=${HPBUF_JOBS:-$(awk -v cpus="$(nproc)" '/^MemAvailable:/ {
	gib = $2 / 1048576
	print cpus < 2 || gib < 16 ? 1 : gib < 22 ? 2 : 3 }' /proc/meminfo)}
out=$top/build/check
suite=$out/install
extra=()	# failures that no test reports
results=()
labels=()	# of the guests
ram=()		# of the guests that run at a time: a file each

# Of one kernel, programs and pressure run where the kernel does not zero what it
# allocates: as Debian builds them, all of them do, and the module has nothing to zero.
dirty_kernel=6.1
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

# progress NAME: of the results on stdin, only the outermost, on stderr, and what each took.
progress()
{
	local line t=$SECONDS

	while read -r line; do
		case $line in
		"ok "* | "not ok "*)
			printf '  %s: %s (%d s)\n' "$1" "$line" $((SECONDS - t)) >&2
			t=$SECONDS
			;;
		esac
	done
}

run_host()
{
	local HPBUF_RESULTS=$out/host t=$SECONDS

	export HPBUF_RESULTS
	mkdir -p "$HPBUF_RESULTS"
	"$suite/run_kselftest.sh" -c host 2>&1 </dev/null |
		tee "$out/host.ktap" | progress host || true
	say "host: done ($((SECONDS - t)) s)"
}

# Memory for the guests, in files without a name that are gone with the last process
# that has them. A machine that is a guest itself gets memory slowly when it touches it
# first; of these files it keeps it from guest to guest.
make_ram()
{
	local i fd dir=$out/ram

	mkdir -p "$dir"
	mount -t tmpfs -o huge=always,size=100% hpbuf-check "$dir" 2>/dev/null || return 0
	for ((i = 0; i < jobs; i++)); do
		truncate -s 1T "$dir/$i"	# sparse: as much as one wants
		exec {fd}<>"$dir/$i"
		ram+=("$fd")
	done
	umount -l "$dir"
}

# free_ram: set the variable "memory" to the option for a file that no guest has. It is
# this process's until its end.
free_ram()
{
	local fd lock

	memory=()
	for fd in "${ram[@]}"; do
		exec {lock}<"/proc/self/fd/$fd"
		if flock -n "$lock"; then
			memory=(-b "/proc/self/fd/$fd")
			return
		fi
		exec {lock}<&-
	done
}

# run_guest LABEL VER [RUN.SH OPTIONS] -- WHICH...: module tests in one guest.
run_guest()
{
	local label=$1 ver=$2 rc=0 t=$SECONDS options=() wrap=(setarch -R) logs memory
	local HPBUF_KO=$out/hpbuf-$2.ko HPBUF_RESULTS=$out/$1

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	# An emulator translates code for an address: commands that are run again and again
	# are to be where they were. Our programs see to it that they are not.
	[[ $label != *-debug.part-debug* ]] || wrap+=("$vm/scan-leaks.sh")
	export HPBUF_KO HPBUF_RESULTS
	free_ram
	setpriv --pdeathsig TERM "$vm/run.sh" -k "$ver" -m "${HPBUF_GUEST_MEM:-6G}" -t "$limit" \
		"${memory[@]}" -s "$HPBUF_RESULTS" -l "$out/$label.serial" "${options[@]}" -- \
		"${wrap[@]}" "$suite/run_kselftest.sh" "$@" 2>"$out/$label.run" |
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

# group_of TEST: programs; scripts; machine: they leave a mark on it; debug: they make
# allocations fail; or pressure: they take all memory but a little, which is sooner done
# where there is less.
group_of()
{
	case $1 in
	machine:* | debug:*)
		echo "${1%%:*}"
		;;
	module:pool_zero | module:pool_pressure.sh | module:reclaim_toggle)
		echo pressure
		;;
	module:migrate_1g.sh)
		echo machine	# it strews pages over gigabytes that others want
		;;
	*.sh)	echo scripts ;;
	*)	echo programs ;;
	esac
}

# wanted TEST VER: what a script finds wrong in hpctl's words and figures, or in what the
# module says, it finds on any kernel, so each of these runs on one of those that are
# tested. Kernels that are made for finding faults run all.
wanted()
{
	local i=0 at

	case $2:$1 in
	*-debug:*) return ;;
	*:module:cli.sh | *:module:monitor_lost.sh)	at=0 ;;
	*:module:walk_hpctl.sh | *:module:progress.sh)	at=1 ;;
	*:module:workloads_guest.sh | *:module:doctor.sh) at=2 ;;
	*)	return ;;
	esac
	while [ "${built[i]}" != "$2" ]; do
		((i += 1))
	done
	[ $((at % ${#built[@]})) = "$i" ]
}

# run_group GROUP VER: these tests of the module, shared out to guests evenly. Kernels
# that are made for finding faults have tests of their own.
run_group()
{
	local group=$1 ver=$2 tests=() which=() options=() append="" sets="module|machine"
	local guests first next i t

	[[ $ver != *-debug ]] || sets+="|debug"
	while read -r t; do
		[ "$(group_of "$t")" = "$group" ] || continue
		wanted "$t" "$ver" || continue
		# it needs memory that nothing immovable is strewn over yet
		if [ "$t" = module:migrate_1g.sh ]; then
			tests=("$t" "${tests[@]}")
		else
			tests+=("$t")
		fi
	done < <(grep -E "^($sets):.*(${HPBUF_TESTS:-.})" "$suite/kselftest-list.txt")
	[ ${#tests[@]} -gt 0 ] || return 0
	# a debug kernel takes a good part for itself
	[ "$group" != pressure ] || [[ $ver == *-debug ]] || options+=(-m 3G)
	# looking for leaks takes minutes a gigabyte
	[ "$group" != debug ] || options+=(-m 4G)
	# Scripts do one thing after another, and a second CPU that is woken for each costs
	# an emulator a quarter more. Some of them fill all memory there is.
	[ "$group" != scripts ] || options+=(-c 1)
	[ "$group" != scripts ] || [[ $ver == *-debug ]] || options+=(-m 4G)
	[ "$group" = scripts ] || [ "$ver" != "$dirty_kernel" ] || append="init_on_alloc=0"
	guests=$(((${#tests[@]} + batch - 1) / batch))
	for ((i = 0, first = 0; i < guests; i++, first = next)); do
		next=$((${#tests[@]} * (i + 1) / guests))
		which=()
		for t in "${tests[@]:first:next - first}"; do
			which+=(-t "$t")
		done
		start_guest "$ver.part-$group$((i + 1))" "$ver" "${options[@]}" -a "$append" -- \
			"${which[@]}"
	done
}

# The tests that need two nodes, once more in a guest that has them.
run_numa()
{
	local ver=${built[0]} mem=6G

	case " ${built[*]} " in
	*" 6.12 "*) ver=6.12 ;;
	*-debug*) mem=8G ;; # a good part of each node is the detectors'
	esac
	if grep -qx module:numa "$suite/kselftest-list.txt"; then
		start_guest "$ver-numa" "$ver" -n -m "$mem" -- -t module:numa -t host:nodes.sh \
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
		# What is tested does not change when somebody builds meanwhile. Debug
		# information is most of it, and read each time it is loaded.
		strip -g -o "$out/hpbuf-$ver.ko" "$top/build/$ver/hpbuf.ko"
		built+=("$ver")
	fi
done
export HPBUF_TOP=$top HPCTL=$top/build/user/hpctl HPBUF_PYTHON=$python
export HPBUF_LINUX_SRC=$cache/linux-src
if step selftests make -j"$(nproc)" -C selftests install INSTALL_PATH="$suite"; then
	make_ram
	if [ "${HPBUF_HOST:-1}" != 0 ]; then
		: >"$out/host.ktap"
		results+=("host=$out/host.ktap")
		run_host &
	fi
	# the longest first, or one is left alone at the end
	for group in pressure debug scripts programs machine; do
		for ver in "${built[@]}"; do
			run_group "$group" "$ver"
		done
		[ "$group" != pressure ] || [ ${#built[@]} = 0 ] || run_numa
	done
	join_guests
fi

say "$((SECONDS - started)) s in all; logs in $out"
"$python" "$vm/ktap.py" "${extra[@]}" "${results[@]}" | tee "$out/summary"
