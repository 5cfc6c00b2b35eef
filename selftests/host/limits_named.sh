#!/bin/bash
# limits_named.sh - a limit that the array does not fit is found before anything runs,
# and is the one that is named, with figures: address space, data, overcommit, memory
# cgroup, free memory. Exit 3, no figure; without a size one is chosen that fits.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

# refused NAME WORDS: as $rc, $tmp/out and $tmp/err tell of the last run
refused()
{
	if [ $rc = 3 ] && [ ! -s "$tmp/out" ] && grep -q "$2" "$tmp/err" &&
	   [ "$(grep -cv '^  hint: ' "$tmp/err")" = 1 ]; then
		result OK "$1"
	else
		result FAIL "$1" "exit $rc: $(head -n 1 "$tmp/err")"
	fi
}

array=(run get -r 1 --ops 100000 -s)

(ulimit -v 200000; exec timeout 20 "$hpctl" "${array[@]}" 256M) >"$tmp/out" 2>"$tmp/err"
rc=$?
refused "address space" "RLIMIT_AS is 204800000 bytes, used [0-9]*, needs 268435456"
(ulimit -d 200000; exec timeout 20 "$hpctl" "${array[@]}" 256M) >"$tmp/out" 2>"$tmp/err"
rc=$?
refused "data" "RLIMIT_DATA is 204800000 bytes, used [0-9]*, needs 268435456"
(ulimit -v 200000; exec timeout 20 "$hpctl" "${array[@]}" 4M) >"$tmp/out" 2>"$tmp/err"
rc=$?
if [ $rc = 0 ] || [ $rc = 7 ]; then
	result OK "what fits runs"
else
	result FAIL "what fits runs" "exit $rc: $(head -n 1 "$tmp/err")"
fi
timeout 20 "$hpctl" "${array[@]}" 4M --spare 100T >"$tmp/out" 2>"$tmp/err"
rc=$?
refused "what is to be left" "109951162777600 of them are to be left"

# overcommit MODE LIMIT COMMITTED ARG...: kilobytes, as /proc would show them
overcommit()
{
	echo "$1" >"$tmp/mode"
	sed "s/^\(CommitLimit: *\)[0-9]*/\1$2/; s/^\(Committed_AS: *\)[0-9]*/\1$3/" \
		/proc/meminfo >"$tmp/meminfo"
	shift 3
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -c 'mount --bind "$1/mode" /proc/sys/vm/overcommit_memory &&
		mount --bind "$1/meminfo" /proc/meminfo || exit 99
		shift; exec timeout 20 "$@"' - "$tmp" "$hpctl" "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
}

if unshare -m true 2>/dev/null; then
	overcommit 2 500000 300000 "${array[@]}" 256M
	refused "overcommit" "overcommit_memory is 2: of 512000000 bytes that may be promised 307200000 are"
	overcommit 0 500000 300000 "${array[@]}" 16M
	if [ $rc = 0 ] || [ $rc = 7 ]; then
		result OK "where promises are free"
	else
		result FAIL "where promises are free" "exit $rc: $(head -n 1 "$tmp/err")"
	fi
else
	skipped "overcommit" "needs root for a mount namespace"
fi

# A cgroup of either version; the shell that goes in ends with the run.
group=
for root in /sys/fs/cgroup /sys/fs/cgroup/memory; do
	mkdir $root/hpctl-test.$$ 2>/dev/null || continue
	group=$root/hpctl-test.$$
	limit=$group/memory.max
	[ -e $limit ] || limit=$group/memory.limit_in_bytes
	[ -w $limit ] && break
	rmdir $group
	group=
done
if [ -n "$group" ] && echo 64M >"$limit"; then
	# shellcheck disable=SC2016 # for the inner shell
	inside='echo $$ >"$1/cgroup.procs" || exit 99; shift; exec timeout 60 "$@"'
	bash -c "$inside" - "$group" "$hpctl" "${array[@]}" 256M >"$tmp/out" 2>"$tmp/err"
	rc=$?
	refused "memory cgroup" "memory cgroup .*hpctl-test.$$: limit 67108864 bytes"
	echo 600M >"$limit"
	bash -c "$inside" - "$group" "$hpctl" run get -r 1 --ops 100000 -j >"$tmp/out" 2>"$tmp/err"
	rc=$?
	if grep -q '"bytes_asked": 67108864,' "$tmp/out" && { [ $rc = 0 ] || [ $rc = 7 ]; }; then
		result OK "the size chosen is a small part of the cgroup's memory"
	else
		result FAIL "the size chosen is a small part of the cgroup's memory" \
			"exit $rc: $(grep bytes_asked "$tmp/out" | head -n 1)"
	fi
	rmdir "$group"
else
	[ -z "$group" ] || rmdir "$group"
	skipped "memory cgroup" "needs root and a memory controller that can be used from here"
fi
finish
