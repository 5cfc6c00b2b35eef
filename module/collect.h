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
 * @home: node to begin with, if it is in @nodes
 * @nodes: nodes they may come from
 * @timeout_ms: time limit
 * @pfn: out: first page frame of each, room for @nr
 * @time: out: where the time went
 */
struct collect {
	unsigned int shift;
	unsigned int nr;
	int home;
	nodemask_t nodes;
	unsigned int timeout_ms;
	unsigned long *pfn;
	struct contig_time time;
};

/*
 * All the pages or none: 0, -ENOMEM, -EBUSY, -ETIMEDOUT, or -EINTR on a fatal
 * signal to the caller. Sleeps; holds no lock.
 */
int collect_pages(struct collect *c);

/* Give back @nr pages that collect_pages() got. */
void collect_put(unsigned int shift, unsigned int nr, const unsigned long *pfn);

#endif
