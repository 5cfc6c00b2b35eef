#!/bin/bash
# scan-leaks.sh - run a command, then look for memory that nobody points to any more.
#
# usage: scan-leaks.sh CMD [ARG...]	(in a guest with CONFIG_DEBUG_KMEMLEAK)
#
# Guarantees: the exit status is CMD's own. What was found is printed, and the kernel says
# so in its log, where scan-log.sh finds it. Without kmemleak this only runs CMD. Each of
# the two scans takes a minute or more.
set -u

leaks=/sys/kernel/debug/kmemleak

"$@"
rc=$?
[ -e "$leaks" ] || exit "$rc"
# Younger objects are not reported, nor those that changed since the scan before.
for _ in 1 2; do
	sleep 6
	echo scan >"$leaks"
done
sed 's/^/# /' "$leaks"
exit "$rc"
