#!/bin/bash
# help_man_completion.sh - for every command, --help, the manual page and the
# completion of bash, zsh and fish know the same options; and the pages of the library
# and of the netlink family know every function and operation there is.
# shellcheck disable=SC2013 # words, one a line
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
made=$(dirname "$hpctl")
if [ ! -e "$made/man/made" ]; then
	echo "1..0 # SKIP needs the pages: scdoc, then make user"
	exit 4
fi
if ! "$python" -c '' 2>/dev/null; then
	echo "1..0 # SKIP needs $python"
	exit 4
fi

cat >"$tmp/names.py" <<'P'
"""The options that one of the texts knows, as sorted lines "-x --name ARG"."""
import re
import sys

kind, path, command = sys.argv[1:4]
text = open(path).read()
found = set()
if kind == "help":
    for m in re.finditer(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:  .*)?$", text, re.M):
        found.add((m[1], m[2], bool(m[3])))
elif kind == "man":
    text = text.replace("\\-", "-").replace("\\%", "")
    for m in re.finditer(r"^(?:\\fB-(\w)\\fR, )?\\fB--([\w-]+)\\fR( \\fI.*)?$", text, re.M):
        found.add((m[1], m[2], bool(m[3])))
elif kind == "zsh":
    name = "_hpctl" if command == "-" else "_hpctl_" + command
    body = re.search(r"^%s\(\)\n\{\n(.*?)^\}" % re.escape(name), text, re.M | re.S)[1]
    for m in re.finditer(r"'\(-(\w) --([\w-]+)\)'\{-\1\+?,--\2(=?)\}'\[|'--([\w-]+)(=?)\[", body):
        found.add((m[1], m[2] or m[4], bool(m[3] or m[5])))
elif kind == "fish":
    when = "__fish_use_subcommand" if command == "-" else \
        "'__fish_seen_subcommand_from %s'" % command
    for m in re.finditer(r"^complete -c hpctl -n (\S+|'[^']*')(?: -s (\w))? -l ([\w-]+)(.*) -d '",
                         text, re.M):
        if m[1] == when:
            found.add((m[2], m[3], " -x" in m[4] or " -r" in m[4]))
for letter, name, arg in sorted(found, key=lambda f: f[1]):
    print("-" + letter if letter else "  ", "--" + name, "ARG" if arg else "")
P

# names KIND FILE COMMAND
names()
{
	"$python" "$tmp/names.py" "$@" 2>&1 | sed 's/ *$//'
}

# What bash really offers: the function is called as the shell calls it.
offered() # WORD... CURRENT
{
	bash --norc -c '
		. "$1"; shift
		COMP_WORDS=(hpctl "$@") COMP_CWORD=$#
		_hpctl
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$made/completion/hpctl.bash" "$@"
}

# same NAME FILE: as the help text has it in $tmp/help
same()
{
	if [ ! -s "$tmp/want" ]; then
		result FAIL "$1" "the help text has no options"
	elif diff "$tmp/want" "$2" >"$tmp/diff"; then
		result OK "$1"
	else
		result FAIL "$1" "$(grep '^[<>]' "$tmp/diff" | head -n 5 | tr '\n' '|')"
	fi
}

# all_equal COMMAND|-
all_equal()
{
	local command=$1 name=hpctl page=hpctl args=()

	if [ "$1" != - ]; then
		name="hpctl $1" page=hpctl-$1 args=("$1")
	fi
	"$hpctl" "${args[@]}" --help >"$tmp/help"
	names help "$tmp/help" "$command" >"$tmp/want"
	names man "$made/man/$page.1" "$command" >"$tmp/man"
	same "$name: manual" "$tmp/man"
	for shell in zsh fish; do
		names $shell "$made/completion/hpctl.$shell" "$command" >"$tmp/$shell"
		same "$name: $shell" "$tmp/$shell"
	done
	offered "${args[@]}" - | sort >"$tmp/bash"
	sed 's/ARG//' "$tmp/want" | tr -s ' ' '\n' | grep . | sort >"$tmp/words"
	if diff "$tmp/words" "$tmp/bash" >"$tmp/diff"; then
		result OK "$name: bash"
	else
		result FAIL "$name: bash" "$(grep '^[<>]' "$tmp/diff" | head -n 5 | tr '\n' '|')"
	fi
}

commands=$("$hpctl" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
all_equal -
for c in $commands; do
	all_equal "$c"
done

# expect NAME WANT GOT
expect()
{
	if [ "$2" = "$3" ]; then result OK "$1"; else result FAIL "$1" "$3, not $2"; fi
}
words()
{
	sort | tr '\n' ' '
}

expect "bash: commands" "$(tr ' ' '\n' <<<"$commands" | words)" "$(offered "" | words)"
expect "bash: backings after a comma" "anon-4k,hugetlb-1g anon-4k,hugetlb-2m " \
	"$(offered compare -b anon-4k,hu | words)"
expect "bash: the argument behind =" "1G " "$(offered alloc --page = 1 | words)"
expect "bash: -n of alloc is not that of list" "-n " "$(offered list -n | words)"
expect "bash: workloads" "chase churn " "$(offered run ch | words)"
expect "bash: words of a command" "off on reset show watch " "$(offered reclaim "" | words)"
expect "bash: a command behind an option with argument" "walk " \
	"$(offered --device /dev/x wal | words)"
expect "man: commands" "$(tr ' ' '\n' <<<"$commands" | words)" \
	"$(sed -n 's/^.*\\fBhpctl-\([a-z]*\)\\fR(1)$/\1/p' "$made/man/hpctl.1" | words)"

for shell in bash zsh fish; do
	if ! command -v $shell >/dev/null; then
		skipped "$shell reads its file" "needs $shell"
	elif $shell -n "$made/completion/hpctl.$shell" 2>"$tmp/err"; then
		result OK "$shell reads its file"
	else
		result FAIL "$shell reads its file" "$(head -n 1 "$tmp/err")"
	fi
done

plain=$(sed 's/\\-/-/g; s/\\fB//g; s/\\fR//g; s/\\fI//g; s/\\&//g' "$made/man/libhpbuf.3")
missing=""
for f in $(grep -oE '^(int|void|const char)[^(]*hpbuf_[a-z_]+\(' "$top/user/lib/libhpbuf.h" |
	grep -oE 'hpbuf_[a-z_]+'); do
	grep -qE "\\b$f\\(" <<<"$plain" || missing+=" $f"
done
expect "libhpbuf(3) has every function" "" "$missing"

missing=""
for o in $(sed -n '/^operations:/,/^mcast/s/^      name: //p' "$top/include/netlink/hpbuf.yaml"); do
	grep -qE "^\\\\fB$o\\\\fR" "$made/man/hpbuf-netlink.7" || missing+=" $o"
done
expect "hpbuf-netlink(7) has every operation" "" "$missing"

missing=""
for o in $(grep -oE '^#define HPBUF_IOC_[A-Z]+' "$top/include/uapi/linux/hpbuf.h" |
	grep -v MAGIC | sed 's/#define //'); do
	grep -q "$o" "$made/man/hpbuf.4" || missing+=" $o"
done
expect "hpbuf(4) has every ioctl" "" "$missing"
finish
