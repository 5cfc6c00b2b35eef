#!/bin/bash
# reserve_journal.sh - the journal of --reserve: one that is damaged is neither
# followed nor removed, and a new --reserve is refused; one of a run that changed
# nothing, or of another boot, ends without a change; --dry-run changes nothing.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
journal=/run/hpctl/pools
if [ "$(id -u)" != 0 ] || [ ! -w $pool ]; then
	echo "1..0 # SKIP needs root and hugetlb pages of 2 MiB"
	exit 4
fi
if [ -e $journal ]; then
	echo "1..0 # SKIP a run holds $journal, or was killed"
	exit 4
fi
former=$(cat $pool)
boot=$(cat /proc/sys/kernel/random/boot_id)
node=0
[ -d /sys/devices/system/node/node0/hugepages ] || node=-1
mkdir -p /run/hpctl
trap 'echo $former >$pool; rm -rf "$tmp" $journal' EXIT

# write BOOT TEXT
write()
{
	printf "%b" "hpctl-pools 1 $1\\n$2" >$journal
}

# same NAME: the pool is as it was when it was last set
same()
{
	if [ "$(cat $pool)" = "$held" ]; then result OK "$1"; else result FAIL "$1" "$held became $(cat $pool)"; fi
}

# told NAME WORDS, in the last message
told()
{
	if grep -q "$2" "$tmp/err"; then result OK "$1"; else result FAIL "$1" "$(head -n 1 "$tmp/err")"; fi
}

# Two pages that a killed run could have added.
echo $((former + 2)) >$pool
held=$(cat $pool)
if [ "$held" != $((former + 2)) ]; then
	echo "1..0 # SKIP needs 2 more hugetlb pages, got $((held - former))"
	exit 4
fi
whole="pool 21 $former $((former + 4))\nnode $node $former\nend 21\n"

for torn in "pool 21 $former" "pool 21 $former 99\nnode $node $former\n" \
	"${whole%\\n}" "${whole}pool 30" "${whole}got 21 $node" "${whole}got 30 $node 4\n" \
	"${whole/node/mode}" "pool 22 0 4\nnode $node 0\nend 22\n" "junk\n"; do
	write "$boot" "$torn"
	timeout 10 "$hpctl" version >"$tmp/out" 2>"$tmp/err"
	name=${torn//\\n/ | }
	if [ "$(cat $pool)" = "$held" ] && [ -e $journal ] && grep -q damaged "$tmp/err"; then
		result OK "damaged: $name"
	else
		result FAIL "damaged: $name" "pool $(cat $pool), $(ls $journal 2>&1), $(head -n 1 "$tmp/err")"
	fi
done
timeout 10 "$hpctl" run get -b hugetlb-2m -s 64M --reserve -q >"$tmp/out" 2>"$tmp/err"
rc=$?
if [ $rc = 1 ] && [ -e $journal ]; then
	result OK "--reserve is refused"
else
	result FAIL "--reserve is refused" "exit $rc, $(ls $journal 2>&1)"
fi
same "and changes nothing"

write "$boot" "$whole"
timeout 10 "$hpctl" walk -b anon-4k --dry-run >"$tmp/out" 2>"$tmp/err"
told "--dry-run says what would be done" "would be put back"
same "and does not do it"
timeout 10 "$hpctl" >"$tmp/out" 2>"$tmp/err"
told "hpctl alone does it" "1 hugetlb pool(s) put back"
held=$former
same "the pool has what it had"

write "$boot" "$whole"
timeout 10 "$hpctl" version >"$tmp/out" 2>"$tmp/err"
told "killed before the change" "nothing to put back"
same "nothing is put back"

echo $((former + 2)) >$pool
held=$((former + 2))
write 00000000-0000-0000-0000-000000000000 "$whole"
timeout 10 "$hpctl" version >"$tmp/out" 2>"$tmp/err"
same "a journal of another boot is not followed"
if [ ! -e $journal ]; then result OK "and is removed"; else result FAIL "and is removed" "it is there"; fi
write "$boot" "${whole}got 21 $node $((former + 3))\n"
timeout 10 "$hpctl" version >"$tmp/out" 2>"$tmp/err"
told "other than it was filled to" "is left alone"
same "it is not ours"

rm -f $journal
mkfifo $journal
timeout 10 "$hpctl" version >"$tmp/out" 2>"$tmp/err"
rc=$?
told "a pipe is not read" "no regular file"
if [ $rc = 0 ]; then result OK "nor waited for"; else result FAIL "nor waited for" "exit $rc"; fi
finish
