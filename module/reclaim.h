/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_RECLAIM_H
#define HPBUF_RECLAIM_H

#include <linux/types.h>

/*
 * struct reclaim_set - tracing of the kernel's reclaim
 * @enabled: probes are registered
 * @threshold_ns: longer ones are sent to the group "reclaim"; 0: none
 * @tgid: only this process; 0: all
 * @cgroup: only this cgroup and those below; 0: all
 */
struct reclaim_set {
	bool enabled;
	u64 threshold_ns;
	u32 tgid;
	u64 cgroup;
};

void reclaim_init(void);
void reclaim_exit(void);

void reclaim_get(struct reclaim_set *set);

/* What to change: NULL, nothing. */
struct reclaim_change {
	const bool *enabled;
	const u64 *threshold_ns;
	const u32 *tgid;
	const u64 *cgroup;
};

/*
 * All of it or nothing. Sleeps until probes that were on are gone. -ESHUTDOWN
 * after reclaim_exit().
 */
int reclaim_change(const struct reclaim_change *c);

/* Operations not timed, and stalls not sent, for want of room. */
u64 reclaim_untracked(void);
u64 reclaim_lost(void);

#endif
