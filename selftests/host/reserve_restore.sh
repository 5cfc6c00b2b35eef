#!/bin/bash
# reserve_restore.sh - run --reserve fills a hugetlb pool and puts it back, however
# it ends: normally, by a signal within a second, and after SIGKILL at the next start
# of any command, by the journal.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
journal=/run/hpctl/pools
if [ "$(id -u)" != 0 ] || [ ! -w $pool ]; then
	echo "1..0 # SKIP needs root and hugetlb pages of 2 MiB"
	exit 4
fi
former=$(cat $pool)
# More than there is free, so that something has to be added.
free=$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages)
size=$(((free + 24) * 2))M
args=(run get -b hugetlb-2m --reserve -s "$size" -j)

as_before()
{
	if [ "$(cat $pool)" = "$former" ] && [ ! -e $journal ]; then
		result OK "$1"
	else
		result FAIL "$1" "pool $(cat $pool), was $former; $(ls $journal 2>&1)"
	fi
}

timeout 60 "$hpctl" "${args[@]}" -r 1 --ops 1000 >"$tmp/json" 2>"$tmp/err"
rc=$?
if [ $rc = 3 ]; then
	as_before "pool put back after a shortage"
	skipped "the rest" "$(grep -o 'asked.*' "$tmp/err" | head -n 1)"
	finish
fi
if [ $rc = 0 ] || [ $rc = 7 ]; then
	result OK "runs (exit $rc)"
else
	result FAIL "runs" "exit $rc: $(tail -n 1 "$tmp/err")"
fi
as_before "pool put back at the end"

# start: in the background, until the pool has grown. Background jobs of a shell
# ignore SIGINT and SIGQUIT, and a program that is told to ignore them goes on doing so.
start()
{
	env --default-signal=INT,QUIT,HUP "$hpctl" "${args[@]}" --ops 100000000000 >"$tmp/json" 2>"$tmp/err" &
	pid=$!
	for _ in $(seq 100); do
		[ "$(cat $pool)" != "$former" ] && break
		sleep 0.05
	done
	sleep 0.5
	if [ "$(cat $pool)" = "$former" ]; then
		result FAIL "pool filled for $1" "it is as it was"
	else
		result OK "pool filled for $1"
	fi
}

for sig in INT:130 TERM:143 HUP:129 QUIT:131; do
	start "SIG${sig%:*}"
	from=$(date +%s%N)
	kill "-${sig%:*}" $pid
	wait $pid
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
	[ $rc = "${sig#*:}" ]
	# shellcheck disable=SC2181
	if [ $? = 0 ]; then
		result OK "SIG${sig%:*} exits $rc"
	else
		result FAIL "SIG${sig%:*} exits ${sig#*:}" "$rc"
	fi
	# An emulated machine gets a multiple of it.
	if [ $ms -lt $((1000 * ${HPBUF_TIMEOUT_SCALE:-1})) ]; then
		result OK "SIG${sig%:*} ends it within a second"
	else
		result FAIL "SIG${sig%:*} ends it within a second" "$ms ms"
	fi
	if grep -q "\"code\": ${sig#*:}" "$tmp/json" && grep -q '"partial": true' "$tmp/json"; then
		result OK "SIG${sig%:*}: the document says it is partial"
	else
		result FAIL "SIG${sig%:*}: the document says it is partial" "$(wc -c <"$tmp/json") bytes"
	fi
	as_before "pool put back after SIG${sig%:*}"
done

start SIGKILL
kill -KILL $pid
wait $pid 2>/dev/null
if [ -e $journal ]; then result OK "journal left"; else result FAIL "journal left" "none"; fi
timeout 60 "$hpctl" version --json >"$tmp/out" 2>"$tmp/err"
if grep -q 'put back' "$tmp/err" && grep -q '"code": "pools"' "$tmp/out"; then
	result OK "the next start says that it puts the pool back"
else
	result FAIL "the next start says that it puts the pool back" "$(tail -n 1 "$tmp/err")"
fi
as_before "and does"
finish
