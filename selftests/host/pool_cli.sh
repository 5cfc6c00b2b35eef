#!/bin/bash
# pool_cli.sh - hpctl pool: what cannot be meant is refused with exit code 2 and
# without touching anything; a file of pools is read strictly, and mistakes in it are
# told with their line; without the module the hugetlb pools are shown all the same.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

# ends CODE TEXT ARG...: that exit code, nothing on stdout, one line on stderr that has
# the text (and perhaps a hint)
ends()
{
	local want=$1 text=$2 rc why=""

	shift 2
	timeout 10 "$hpctl" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	[ "$rc" = "$want" ] || why="exit $rc, not $want"
	[ ! -s "$tmp/out" ] || why="$why; something on stdout"
	[ "$(grep -cvE '^  hint: [^ ]' "$tmp/err")" = 1 ] || why="$why; not one line"
	grep -qF -- "$text" "$tmp/err" || why="$why; no \"$text\""
	if [ -z "$why" ]; then
		result OK "${*//"$tmp/"/}: $want"
	else
		result FAIL "${*//"$tmp/"/}: $want" "${why#; }: $(head -c 300 "$tmp/err" | tr '\n' '|')"
	fi
}

# is NAME FILTER: of the JSON in $tmp/out
is()
{
	if jq -e "$2" "$tmp/out" >/dev/null 2>"$tmp/err"; then
		result OK "$1"
	else
		result FAIL "$1" "$(head -c 200 "$tmp/out" "$tmp/err" | tr '\n' '|')"
	fi
}

# ---- the command line ----

set2m="pool set -p 2M --count"
# shellcheck disable=SC2086 # words
{
	ends 2 nonsense pool nonsense
	ends 2 "did you mean restore" pool restor
	ends 2 extra pool show extra
	ends 2 extra pool set extra -p 2M --count 1
	ends 2 "no page size" pool set --count 1
	ends 2 "no count" pool set -p 2M
	ends 2 '"4K"' pool set -p 4K --count 1
	ends 2 '"3M"' pool set -p 3M --count 1
	ends 2 '"-1"' $set2m -1
	ends 2 '"00x"' $set2m 00x
	ends 2 '"1.5"' $set2m 1.5
	ends 2 '""' $set2m ""
	ends 2 "too large" $set2m 18446744073709551616
	ends 2 "too large" $set2m 9223372036854775807
	ends 2 "too large" pool set -p 1G --count 8589934592
	ends 2 "--min 5 is above --count 4" $set2m 4 --min 5
	ends 2 "exclude each other" $set2m 4 --min 4 --keep
	ends 2 junk $set2m 4 -n junk
	ends 2 1023 $set2m 4 -n 1023
	ends 2 '"0"' $set2m 4 --timeout 0
	ends 2 "takes no --count" pool --count 4
	ends 2 "takes no --partial" pool restore --partial
	ends 2 "takes no --timeout" pool show --timeout 1s
	ends 2 NONE pool --columns NONE
	ends 2 NONE $set2m 4 --columns NONE
}

# ---- the file ----

# line NUMBER TEXT [WORDS]: restore refuses $tmp/conf for that line
line()
{
	ends 2 "conf:$1: " pool restore "$tmp/conf"
	grep -qF -- "$2" "$tmp/err" ||
		result FAIL "says \"$2\"" "$(head -c 200 "$tmp/err" | tr '\n' '|')"
}

conf()
{
	printf '%b' "$1" >"$tmp/conf"
}

conf 'nonsense\n' && line 1 '"nonsense"'
conf '# pools\n\npool 2M 0\n' && line 3 "too few words"
conf 'pool 2M 0 1 1 1\n' && line 1 "too many words"
conf 'pool 2M 0 1 2 3 4 5 6 7 8 9\n' && line 1 "too many words"
conf 'pool 4K 0 1\n' && line 1 '"4K"'
conf 'pool 2M 0 1\npool 2M 0- 1\n' && line 2 '"0-"'
conf 'pool 2M 4096 1\n' && line 1 '"4096"'
conf 'pool 2M 0 -1\n' && line 1 '"-1"'
conf 'pool 2M 0 1x\n' && line 1 '"1x"'
conf 'pool 2M 0 4 5\n' && line 1 '"5"'
conf 'pool 2M 0 4 -5\n' && line 1 '"-5"'
conf 'pool 2M 0 1\npool 1G 0 1\npool 2M 0 2\n' && line 3 "conf:1"
conf 'pool 2M 0-1 1\npool 2M 1 2\n' && line 2 "node 1"
conf 'pool 2M 0 1\0 2\n' && line 1 "zero byte"
conf 'pool 2M 0 1\npool\n' && line 2 "too few words"
conf 'Pool 2M 0 1' && line 1 '"Pool"'
ends 1 "No such file" pool restore "$tmp/none"
ends 1 "directory" pool restore "$tmp"

conf '# nothing\n   \n\t# here\n'
said=$("$hpctl" pool restore "$tmp/conf" 2>&1)
rc=$?
if [ "$rc $said" = "0 $tmp/conf asks for no pool" ]; then
	result OK "a file that asks for nothing: 0"
else
	result FAIL "a file that asks for nothing: 0" "exit $rc: $said"
fi

# ---- without the module ----

if [ -n "$module_loaded" ]; then
	skipped "without the module: exit 4" "the module is loaded"
else
	conf ' pool 2M 0 16 4 # small ones\n\tpool\t1G all 2'
	ends 4 "not loaded" pool restore "$tmp/conf"
	# shellcheck disable=SC2086 # words
	ends 4 "not loaded" $set2m 0
	ends 4 "not loaded" pool set -p 1G --count 1 --dry-run

	"$hpctl" pool -j >"$tmp/out" 2>/dev/null </dev/null
	rc=$?
	if [ $rc = 0 ]; then
		result OK "pool without the module: exit 0"
	else
		result FAIL "pool without the module: exit 0" "exit $rc"
	fi
	is "one warning says why" '[.warnings[] | select(.code == "no-module-pool")] | length == 1'
	is "no row is the module's" 'all(.results[]; .pool == "hugetlb")'
fi

# ---- hugetlb, as the kernel tells it ----

"$hpctl" pool show -j >"$tmp/out" 2>/dev/null </dev/null
for kb in 2048 1048576; do
	dir=/sys/devices/system/node/node0/hugepages/hugepages-${kb}kB
	if [ ! -d $dir ]; then
		skipped "hugetlb pages of $kb KiB on node 0" "needs $dir"
		continue
	fi
	is "hugetlb pages of $kb KiB on node 0" ".results[] | select(.pool == \"hugetlb\" and
		.node == 0 and .page_bytes == $kb * 1024) | .pages == $(cat $dir/nr_hugepages) and
		.free == $(cat $dir/free_hugepages) and .surplus == $(cat $dir/surplus_hugepages)"
done

finish
