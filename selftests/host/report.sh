#!/bin/bash
# report.sh - hpctl report: what it is given is in every form it makes, with the
# figures of the JSON and the marks of rows that are not to be trusted; what is
# no saved result is refused in one line; files are there whole or not at all.
# shellcheck disable=SC2016 # what bash -c runs expands there
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
if ! "$python" -c '' 2>/dev/null; then
	echo "1..0 # SKIP needs $python"
	exit 4
fi
helper=$(cd "$(dirname "$0")" && pwd)/_report.py
cd "$tmp" || exit 1
"$python" "$helper" make . || exit 1
gnuplot=$(command -v gnuplot)

# holds NAME COMMAND...: it succeeds; else its last line is the reason
holds()
{
	local name=$1 why

	shift
	if why=$("$@" 2>&1); then
		result OK "$name"
	else
		result FAIL "$name" "$(echo "$why" | tail -n 1)"
	fi
}

# ends CODE NAME ARG...: hpctl report ends with it, saying one line and hints
ends()
{
	local want=$1 name=$2 rc lines

	shift 2
	timeout 20 "$hpctl" report "$@" >out 2>err </dev/null
	rc=$?
	lines=$(grep -cv '^  hint: ' err)
	if [ $rc != "$want" ]; then
		result FAIL "$name exits $want" "$rc: $(head -n 1 err)"
	elif [ "$want" != 0 ] && { [ "$lines" != 1 ] || [ -s out ]; }; then
		result FAIL "$name exits $want" "$lines lines, $(wc -c <out) bytes on stdout"
	else
		result OK "$name exits $want"
	fi
}

# ---- forms ----

for names in plain nasty sweep "plain faster" "plain nasty sweep faster"; do
	files=$(for n in $names; do echo "$n.json"; done)
	# shellcheck disable=SC2086 # lists
	if "$hpctl" report $files --csv c --markdown m -q >table 2>err; then
		# shellcheck disable=SC2086
		holds "CSV of $names" "$python" "$helper" csv c $names
		# shellcheck disable=SC2086
		holds "Markdown of $names" "$python" "$helper" markdown m $names
	else
		result FAIL "report of $names" "$(head -n 1 err)"
	fi
	if [ -z "$gnuplot" ]; then
		skipped "page of $names" "needs gnuplot-nox"
		continue
	fi
	# shellcheck disable=SC2086
	if "$hpctl" report $files --html h -q >/dev/null 2>err; then
		# shellcheck disable=SC2086
		holds "page of $names" "$python" "$helper" html h $names
	else
		result FAIL "page of $names" "$(head -n 1 err)"
	fi
done

if [ -n "$gnuplot" ]; then
	"$python" -c 'import json
d = json.load(open("sweep.json"))
d["env"]["reach"].update(tlbs=[], tlb_from=None, tlb_why="CPUID hides it")
json.dump(d, open("no-tlb.json", "w"))
del d["env"]["reach"]
json.dump(d, open("no-reach.json", "w"))'
	"$hpctl" report no-tlb.json --html h -q >/dev/null
	holds "a TLB that is not known is not drawn, and that is said" \
		bash -c 'grep -q "No TLB is drawn: CPUID hides it" h && ! grep -q ">TLB, " h && grep -q "L3 cache" h'
	"$hpctl" report no-reach.json --html h -q >/dev/null
	holds "nothing known is said too" grep -q 'was not saved with it' h
fi
"$hpctl" report plain.json --csv - >out 2>/dev/null
"$hpctl" report plain.json --csv c >/dev/null 2>&1
holds "--csv - is what --csv FILE holds" cmp out c
marked=$("$hpctl" report plain.json | grep -c 'partial$\|not verified (page-size)$\|untrusted (spread, busy)$')
holds "the table has the three marks" [ "$marked" = 3 ]
"$hpctl" report plain.json faster.json >out
holds "the same of two files stand together, compared with the first" \
	grep -Eq '^faster +two +get +anon-4k .* 2\.00x .*' out
"$hpctl" report plain.json faster.json plain.json --columns file,vs-first -n >out
holds "a file given twice has two names" [ "$(awk '{ print $1 }' out | sort -u | wc -l)" = 3 ]
"$hpctl" report nasty.json --bars >out 2>&1
holds "nothing in a file reaches the terminal as a command" \
	[ "$(tr -d '\n' <out | tr -cd '\000-\037\177' | wc -c)" = 0 ]
holds "a pipe can be read" bash -c 'cat plain.json | "$0" report /dev/stdin >/dev/null' "$hpctl"

# ---- bars ----

LC_ALL=C "$hpctl" report plain.json --bars >out 2>&1
holds "bars in the C locale are ASCII" bash -c 'grep -q "  anon-4k .*####" out && ! LC_ALL=C grep -q "[^ -~]" out'
LC_ALL=C.UTF-8 "$hpctl" report plain.json --bars >out 2>&1
holds "bars in a UTF-8 locale are blocks" grep -q '  anon-4k .*███' out
holds "the longest bar is the slowest" bash -c '
	a=$(grep -o "  anon-4k .*100 ns\|  anon-4k .*102 ns" out | tr -cd "█" | wc -c)
	b=$(grep -o "  anon-thp .*55.5 ns" out | tr -cd "█" | wc -c)
	[ "$a" -gt "$b" ] && [ "$b" -gt 0 ]'
for columns in 1 40 60 100; do
	LC_ALL=C COLUMNS=$columns "$hpctl" report plain.json --bars -q >out
	wide=$(sed -n '/^$/,$p' out | awk '{ if (length > n) n = length } END { print n }')
	most=$((columns < 40 ? 40 : columns))
	holds "bars fit $most columns ($wide)" [ "$wide" -le $most ]
	holds "marks are seen in $most columns" grep -q 'untrusted (spread, busy)$\| \*$' out
done
"$hpctl" report plain.json --bars --color always >out
holds "colours when asked for" grep -q $'\033' out
"$hpctl" report plain.json >out
holds "no bars and no colours where it is no terminal" bash -c '! grep -q "time of one\|$(printf "\033")" out'
if command -v script >/dev/null; then
	script -qec "'$hpctl' report plain.json" /dev/null >out </dev/null
	holds "bars and colours on a terminal" bash -c 'grep -q "time of one" out && grep -q "$(printf "\033")" out'
	NO_COLOR=1 script -qec "'$hpctl' report plain.json" /dev/null >out </dev/null
	holds "bars without colours with NO_COLOR" bash -c \
		'grep -q "time of one" out && ! grep -q "$(printf "\033")\[[0-9;]*m" out'
else
	skipped "bars on a terminal" "needs script(1)"
fi

# ---- files ----

mkdir none
echo old >page
PATH=$tmp/none "$hpctl" report plain.json --html page --csv new >out 2>err
rc=$?
holds "without gnuplot the exit code is 4" [ $rc = 4 ]
holds "the package is named" grep -q gnuplot-nox err
holds "nothing is written then" bash -c '[ "$(cat page)" = old ] && [ ! -e new ]'
for kind in 'exit 1' 'echo partial; exit 1' 'exit 0' 'echo "<svg>"' 'kill -9 $$'; do
	printf '#!/bin/sh\n%s\n' "$kind" >none/gnuplot
	chmod +x none/gnuplot
	PATH=$tmp/none:$PATH "$hpctl" report plain.json --html page >out 2>err
	rc=$?
	holds "a gnuplot that does '$kind' is told (exit $rc)" \
		bash -c "[ $rc = 1 ] && [ \"\$(cat page)\" = old ] && grep -q gnuplot err"
done
ends 1 "a directory that is not there" plain.json --csv no/such/file
ends 1 "a file that is not there" nosuch.json
ends 1 "a directory" .
ends 1 "a device" /dev/zero
ends 1 "results of a run that failed" failed.json
ends 1 "one broken file among good ones" plain.json broken-newer.json --csv untouched
holds "nothing is written then either" [ ! -e untouched ]
ends 2 "no file"
ends 2 "one file for two forms" plain.json --csv x --html x
ends 2 "two forms on stdout" plain.json --csv - --markdown -
ends 2 "a form without a file" plain.json --csv ""
cp plain.json input.json
ln -sf input.json alias.json
ends 2 "a form that would overwrite its input" input.json --csv ./input.json
ends 2 "the same by another name" alias.json -o input.json
holds "the input is untouched" cmp plain.json input.json
ends 2 "an unknown column" plain.json --columns nosuch
holds "nothing half written is left" [ -z "$(find . -name '*.??????' ! -name '*.json')" ]

# ---- what is no saved result ----

for f in broken-*.json; do
	ends 1 "${f%.json}" "$f"
done
truncate -s 40M sparse
ends 1 "a huge file" sparse
size=$(wc -c <plain.json)
bad=
for i in $(seq 0 97); do
	head -c $((size * i / 98)) plain.json >cut.json
	timeout 10 "$hpctl" report cut.json >out 2>err
	[ $? = 1 ] && [ ! -s out ] && [ "$(grep -cv '^  hint: ' err)" = 1 ] || bad+=" $i"
done
holds "truncated in 98 places: refused each time$bad" [ -z "$bad" ]
finish
