#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tracing is switched on and off, and the module unloaded and loaded, while the
# kernel reclaims and compacts all the time.
#
# HPBUF_ROUNDS	of each, default 6

# "check" calls functions by name, and shells that expand their own text
# shellcheck disable=SC2317,SC2016 source=_lib.sh
. "$(dirname "$0")/_lib.sh"
need_module
need_hpctl
need_ko
# shellcheck source=_pressure.sh
. "$(dirname "$0")/_pressure.sh"
need_python
rounds=${HPBUF_ROUNDS:-6}
plan 5

swap_on 512
fill_memory 300
limited 32 || msg "no memory cgroup"

# Until $tmp/stop is there. Mostly within a cgroup: a machine without memory has no
# time for what is tested.
busy()
{
	local i=0

	while [ ! -e "$tmp/stop" ]; do
		if [ $((i++ % 8)) = 0 ] || [ ! -d "$tmp/cg/limited" ]; then
			hog 20
		else
			limited_hog 48
		fi
		echo 1 >/proc/sys/vm/compact_memory
	done
}

reclaimed()
{
	awk '/^(pgsteal_(kswapd|direct)|pswpout) / { n += $2 } END { print n }' /proc/vmstat
}

toggle()
{
	local i

	for ((i = 0; i < rounds; i++)); do
		"$hpctl" reclaim on --threshold 1us -q >/dev/null || return 1
		[ $((i % 4)) != 0 ] || "$hpctl" reclaim show -j >/dev/null || return 1
		"$hpctl" reclaim off -q >/dev/null || return 1
	done
}

# unloaded with tracing on
reload()
{
	local i

	for ((i = 0; i < rounds; i++)); do
		"$hpctl" reclaim on --threshold 1us -q >/dev/null || return 1
		sleep 0.05
		unload_module || return 1
		load_module || return 1
	done
}

ended()
{
	touch "$tmp/stop"
	wait "$load_pid"
}

was=$(reclaimed)
busy &
load_pid=$!
lines=$(klog_lines | wc -l)
check "on and off, $rounds times" toggle
check "unload while it is on, $rounds times" reload
check "the load ended well" ended
check "there was reclaim meanwhile" test "$(reclaimed)" -gt "$was"
# what loading says is all that may be said
new=$(klog_lines | tail -n "+$((lines + 1))" | grep -i 'hpbuf' | grep -civE 'loading out-of-tree|verification failed|taints|loaded|unloaded')
check "the module has nothing to complain of" test "$new" = 0
done_testing
