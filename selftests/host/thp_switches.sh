#!/bin/bash
# thp_switches.sh - transparent huge pages that are switched off for the whole machine,
# by the old switch or by the one of their size, are found before anything runs: exit
# 4, the file named, no figure called anon-thp. A switch of the size outweighs the old.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

thp=/sys/kernel/mm/transparent_hugepage
size=$thp/hugepages-2048kB/enabled
if [ ! -r $thp/enabled ] || ! unshare -m true 2>/dev/null; then
	echo "1..0 # SKIP needs transparent huge pages, and root for a mount namespace"
	exit 4
fi

# with "FILE=MODE..." ARG...: hpctl that reads other modes there; the kernel's stay
with()
{
	local modes=$1

	shift
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -c '
		n=0
		for one in $1; do
			n=$((n + 1))
			echo "[${one#*=}] other" >"$2/mode.$n"
			mount --bind "$2/mode.$n" "${one%%=*}" || exit 99
		done
		shift 2
		exec timeout 60 "$@"' - "$modes" "$tmp" "$hpctl" "$@" >"$tmp/out" 2>"$tmp/err"
}

# refused NAME MODES FILE
refused()
{
	local rc

	with "$2" run get -b anon-thp -s 4M -r 1 --ops 100000
	rc=$?
	if [ $rc = 4 ] && [ ! -s "$tmp/out" ] && grep -q "$3 is \"never\"" "$tmp/err"; then
		result OK "$1"
	else
		result FAIL "$1" "exit $rc: $(head -n 1 "$tmp/err")"
	fi
}

# runs NAME MODES
runs()
{
	local rc

	with "$2" run get -b anon-thp -s 4M -r 1 --ops 100000
	rc=$?
	# 6: memory may be too fragmented for huge pages, and the row says so.
	case $rc in
	0|6|7) result OK "$1" ;;
	*) result FAIL "$1" "exit $rc: $(head -n 1 "$tmp/err")" ;;
	esac
}

if [ -r $size ]; then
	refused "never, and the size inherits it" "$thp/enabled=never $size=inherit" $thp/enabled
	refused "never for the size" "$thp/enabled=always $size=never" $size
	runs "madvise for the size, never before" "$thp/enabled=never $size=madvise"
	runs "the size inherits madvise" "$thp/enabled=madvise $size=inherit"
else
	refused "never" "$thp/enabled=never" $thp/enabled
	runs "madvise" "$thp/enabled=madvise"
fi

with "$thp/enabled=never${size:+ $size=never}" compare get -b anon-4k,anon-thp -s 4M -r 1 --ops 100000 -j
if grep -q '"backing": "anon-4k"' "$tmp/out" && ! grep -q '"backing": "anon-thp"' "$tmp/out" &&
   grep -q '"backing-missing"\|"error": {' "$tmp/out"; then
	result OK "compare runs the others and says what is left out"
else
	result FAIL "compare runs the others and says what is left out" "$(head -n 1 "$tmp/err")"
fi
finish
