#!/bin/bash
# run.sh - what "make bench" runs: every part in this directory, native ones first.
#
# usage: run.sh [PART...]	names without .sh; all there are
#
# Ratios are shown, not asserted: exit 1 only when a part could not be run or found
# wrong data. A part exits 4 to say that this machine has not what it needs.
set -u
bench=$(cd "$(dirname "$0")" && pwd)
rc=0

parts=("$@")
if [ $# = 0 ]; then
	for file in "$bench"/native*.sh "$bench"/guest-*.sh; do
		[ ! -x "$file" ] || parts+=("$(basename "$file" .sh)")
	done
fi
for part in "${parts[@]}"; do
	echo "== $part"
	"$bench/$part.sh"
	case $? in
	0) ;;
	4) echo "== $part: left out" ;;
	*) rc=1 ;;
	esac
done
exit $rc
