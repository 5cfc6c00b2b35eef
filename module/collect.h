/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_COLLECT_H
#define HPBUF_COLLECT_H

#include <linux/nodemask.h>
#include <linux/types.h>

#include "contig.h"

/*
 * struct collect - a number of pages to get
 * @shift: their size
 * @nr: how many
 * @home: node to begin with, one of @nodes
 * @nodes: nodes they may come from
 * @timeout_ms: time limit
 * @gentle: do without what disturbs others
 * @id: of the buffer they are for, in events; 0: there are none
 * @pfn: out: first page frame of each, room for @nr
 * @pooled: out: how many the pool of each node has lent; NULL: the pool is not asked
 * @got: out: how many there are
 * @time: out: where the time went
 * @thread_ns: out: CPU time of threads other than the caller
 */
struct collect {
	unsigned int shift;
	unsigned int nr;
	int home;
	nodemask_t nodes;
	unsigned int timeout_ms;
	bool gentle;
	u32 id;
	unsigned long *pfn;
	u32 *pooled;
	unsigned int got;
	struct contig_time time;
	u64 thread_ns;
};

/*
 * All the pages, zeroed, or none: 0, -ENOMEM, -EBUSY, -ENOSPC, -ETIMEDOUT, or -EINTR
 * on a fatal signal to the caller. Sleeps; holds no lock.
 */
int collect_pages(struct collect *c);

/*
 * As many as can be had, in the calling thread, until *@stop; not zeroed but by the
 * kernel. Returns why there are not more than @got, or 0.
 */
int collect_here(struct collect *c, const bool *stop);

/*
 * Give back @nr pages of buffers. @pooled as from collect_pages(), used up; @zero: they
 * are as they were got. Returns the bytes that are the pool's now, to be charged to it.
 */
u64 collect_put(unsigned int shift, unsigned int nr, const unsigned long *pfn, u32 *pooled,
		bool zero);

#endif
