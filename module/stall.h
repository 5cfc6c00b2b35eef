/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_STALL_H
#define HPBUF_STALL_H

#include <linux/hpbuf_netlink.h>
#include <linux/types.h>

#define STALL_NO_ORDER	(-1)
#define STALL_NO_PAGES	U64_MAX

/*
 * The current task was held up. Callable from a tracepoint in reclaim: copies
 * into a ring, and a worker sends it to the group "reclaim".
 */
void stall_report(enum hpbuf_stat_source source, u64 took_ns, int order, u64 pages);

/* Wait for the worker. */
void stall_flush(void);

/* Stalls that found the ring full. */
u64 stall_lost(void);

#endif
