#!/bin/bash
# reclaim_cli.sh - hpctl reclaim and monitor: what cannot be meant is refused with
# exit code 2, and without the module all of it ends at once with 4, also what would
# otherwise wait for ever.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

# refused CODE ARG...
refused()
{
	local want=$1 rc why="" start=${EPOCHREALTIME/[.,]/} took

	shift
	timeout 10 "$hpctl" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	took=$((${EPOCHREALTIME/[.,]/} - start))
	[ "$rc" = "$want" ] || why="exit $rc, not $want"
	[ ! -s "$tmp/out" ] || why="$why; something on stdout"
	[ "$(grep -cvE '^  hint: [^ ]' "$tmp/err")" = 1 ] || why="$why; not one line"
	[ "$took" -lt 1000000 ] || why="$why; took $took us"
	if [ -z "$why" ]; then
		result OK "$*: $want"
	else
		result FAIL "$*: $want" "${why#; }: $(head -c 300 "$tmp/err" | tr '\n' '|')"
	fi
}

refused 2 reclaim nonsense
refused 2 reclaim show on
refused 2 reclaim on --threshold 0
refused 2 reclaim on --threshold -1s
refused 2 reclaim on --threshold 5x
refused 2 reclaim on --threshold
refused 2 reclaim on --pid 0
refused 2 reclaim on --pid -3
refused 2 reclaim on --pid 4294967296
refused 2 reclaim on --pid self
refused 2 reclaim on --cgroup /nowhere/at/all
refused 2 reclaim on --interval 1s
refused 2 reclaim watch --interval 0
refused 2 reclaim watch --pid 1
refused 2 reclaim watch -o "$tmp/file"
refused 2 reclaim show --threshold 1ms
refused 2 reclaim off --pid 1
refused 2 reclaim reset --cgroup /
refused 2 reclaim --columns NONE
refused 2 monitor nonsense
refused 2 monitor --nonsense
refused 2 monitor -o "$tmp/file"

if [ -n "$module_loaded" ]; then
	skipped "without the module: exit 4" "the module is loaded"
else
	for what in "" show watch reset on off; do
		# shellcheck disable=SC2086
		refused 4 reclaim $what
	done
	refused 4 reclaim on --threshold 5ms --pid 1
	refused 4 monitor
	refused 4 monitor --stalls
	refused 4 monitor --events
	"$hpctl" monitor -j >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	if [ $rc = 4 ] && grep -q '"code": 4' "$tmp/out"; then
		result OK "monitor -j without the module: a document"
	else
		result FAIL "monitor -j without the module: a document" "exit $rc"
	fi
fi

finish
