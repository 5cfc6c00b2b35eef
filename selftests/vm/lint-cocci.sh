#!/bin/bash
# lint-cocci.sh - one of the kernel's coccinelle scripts over the module.
#
# usage: lint-cocci.sh SCRIPT	(lint.sh calls it)
#
# Guarantees: exits 1 with what it reports; or with all it said if it cannot run.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"

script=$1
mapfile -t options < <(sed -n 's/^.*Options: *//p' "$script" | tr -s ' ' '\n' | grep .)
err=$(mktemp)
trap 'rm -f "$err"' EXIT
if ! found=$(spatch --very-quiet --no-show-diff -D report --cocci-file "$script" \
	"${options[@]}" --dir module -I include/uapi -I module 2>"$err"); then
	found="cannot run: $(cat "$err")"
fi
[ -n "$found" ] || exit 0
printf '%s: %s\n' "${script##*/}" "$found"
exit 1
