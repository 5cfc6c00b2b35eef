#!/bin/bash
# cli_errors.sh - a mistake ends hpctl with the right exit code, one line and at
# most one hint on stderr, nothing on stdout, and in less than a second; with -j
# the same comes as a document.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

# refused CODE NAME ARG...
refused()
{
	local want=$1 name=$2 rc why="" start=${EPOCHREALTIME/[.,]/} took

	shift 2
	timeout 10 "$hpctl" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	took=$((${EPOCHREALTIME/[.,]/} - start))
	[ "$rc" = "$want" ] || why="exit $rc, not $want"
	[ ! -s "$tmp/out" ] || why="$why; something on stdout"
	grep -qE '^hpctl( [a-z]+)?: [^ ]' "$tmp/err" || why="$why; no message"
	[ "$(grep -cvE '^  hint: [^ ]' "$tmp/err")" = 1 ] || why="$why; not one line"
	[ "$(grep -c '^  hint: ' "$tmp/err")" -le 1 ] || why="$why; several hints"
	[ "$took" -lt 1000000 ] || why="$why; took $took us"
	if [ -z "$why" ]; then
		result OK "$name"
	else
		result FAIL "$name" "${why#; }: $(head -c 300 "$tmp/err" | tr '\n' '|')"
	fi
}

usage()
{
	refused 2 "$*" "$@"
}

usage nonsense
usage --nonsense
usage -Z
usage -o
usage --json=yes list
usage list operand
usage list --columns NONE
usage list --columns ID,,NAME
usage list --color sometimes
usage alloc
usage alloc -s 5M
usage alloc -p 2M
usage alloc -s
usage alloc -s 5M -p 2M operand
usage alloc -s 5M -p 4M
usage alloc -s 5M -p 2M -n 1023
usage alloc -s 5M -p 2M -n x
usage alloc -s 5M -p 2M --count 0
usage alloc -s 5M -p 2M --count 65537
usage alloc -s 5M -p 2M --count 2 --name twice
usage alloc -s 5M -p 2M --name 123
usage alloc -s 5M -p 2M --name "a b"
usage alloc -s 5M -p 2M --name 12345678901234567890123456789012
usage alloc -s 5M -p 2M --timeout 0
usage alloc -s 5M -p 2M --timeout 2000h
usage alloc -s 9223372036854775807 -p 1G
usage alloc -s 1T -p 1G --count 65536 --timeout 1x
for size in "" " " 0 -1 -160G "+ 5" G 12junk "4kb b" 1e3 nan 1GB 17179869184G \
	18446744073709551616 0x40000000 1.5G $'1G\n' "１６G"; do
	refused 2 "alloc -s '${size//$'\n'/\\n}'" alloc -p 2M "-s$size"
done
usage free
usage free --all 3
usage free a/b
usage free ""
usage show
usage show 1 2
usage show 4294967296
usage run nonsense
usage run touch -b nonsense
usage help nonsense
usage version operand

# The first mistake is told, and -j counts wherever it stands.
"$hpctl" alloc --nonsense -s 0 -j >"$tmp/out" 2>"$tmp/err"
rc=$?
if [ $rc = 2 ] && grep -q '"error": {' "$tmp/out" && grep -q -- --nonsense "$tmp/err"; then
	result OK "a document even for a mistake before -j"
else
	result FAIL "a document even for a mistake before -j" "exit $rc"
fi

# What was meant.
"$hpctl" lsit 2>"$tmp/err"
if grep -q 'did you mean list' "$tmp/err"; then
	result OK "the nearest command is named"
else
	result FAIL "the nearest command is named" "$(tr '\n' '|' <"$tmp/err")"
fi

if [ -n "$module_loaded" ]; then
	skipped "without the module: exit 4" "the module is loaded"
else
	refused 4 "list without the module" list
	refused 4 "show without the module" show 1
	refused 4 "free without the module" free 1
	refused 4 "free --all without the module" free --all
	refused 4 "alloc without the module" alloc -s 5M -p 2M
	refused 4 "alloc from another node file" alloc -s 5M -p 2M --device /dev/null
fi

# Output that cannot be written is a failure, also of help.
for command in "version" "help" "version -j" "list --help"; do
	# shellcheck disable=SC2086
	"$hpctl" $command >/dev/full 2>"$tmp/err"
	rc=$?
	if [ $rc = 1 ] && [ "$(wc -l <"$tmp/err")" = 1 ]; then
		result OK "$command to a full disk"
	else
		result FAIL "$command to a full disk" "exit $rc: $(tr '\n' '|' <"$tmp/err")"
	fi
done

# head closed the pipe: no message, no signal.
"$hpctl" version -j 2>"$tmp/err" > >(exec 0<&-; sleep 1) &
pid=$!
wait $pid
rc=$?
if [ $rc -le 1 ] && [ ! -s "$tmp/err" ]; then
	result OK "a closed pipe"
else
	result FAIL "a closed pipe" "exit $rc: $(tr '\n' '|' <"$tmp/err")"
fi

# A file is replaced as a whole or not at all.
echo before >"$tmp/saved"
"$hpctl" version --nonsense -o "$tmp/saved" 2>/dev/null
if [ "$(cat "$tmp/saved")" = before ]; then
	result OK "a mistyped line keeps the file of -o"
else
	result FAIL "a mistyped line keeps the file of -o" "it was replaced"
fi
"$hpctl" version -q -o "$tmp/saved" >/dev/null
rc=$?
left=("$tmp"/saved*)
if [ $rc = 0 ] && grep -q '"schema": "hpctl/1"' "$tmp/saved" && [ ${#left[@]} = 1 ]; then
	result OK "-o replaces the file"
else
	result FAIL "-o replaces the file" "exit $rc, ${#left[@]} files"
fi
"$hpctl" version -o "$tmp/none/file" >/dev/null 2>"$tmp/err"
rc=$?
if [ $rc = 1 ] && grep -q 'cannot save' "$tmp/err"; then
	result OK "-o into nowhere"
else
	result FAIL "-o into nowhere" "exit $rc"
fi

finish
