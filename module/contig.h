/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_CONTIG_H
#define HPBUF_CONTIG_H

#include <linux/types.h>

/*
 * Where the time of getting pages went, in nanoseconds. @zero is meaningful
 * when @zero_known; else the kernel zeroes inside its allocator and the time is
 * part of @migrate.
 */
struct contig_time {
	u64 scan;
	u64 migrate;
	u64 zero;
	bool zero_known;
};

/* Candidates for 1 GiB pages on one node, the best first. */
struct contig_list;

/* The kernel zeroes in its allocator (init_on_alloc=1). */
bool contig_zeroed_by_kernel(void);

/*
 * One page on node @nid, its first page frame in @pfn; zeroed if the kernel does so
 * by itself. All sleep, hold no lock and end soon after a fatal signal to the
 * calling thread.
 * -ENOMEM: not enough free memory. -EBUSY: memory enough, but no contiguous
 * piece. -EINTR: a fatal signal.
 *
 * @gentle: do not reclaim, compact or migrate much
 */
int contig_get_2m(int nid, bool gentle, struct contig_time *t, unsigned long *pfn);

/*
 * @list is from contig_list_make() for @nid. It remembers which candidates were
 * tried, so that several pages cost one scan.
 */
int contig_get_1g(int nid, struct contig_list *list, bool gentle, struct contig_time *t,
		  unsigned long *pfn);

/* Never NULL: an ERR_PTR on failure. An empty list is none. */
struct contig_list *contig_list_make(int nid, struct contig_time *t);
void contig_list_free(struct contig_list *list);

/* Forget which candidates failed of late. */
void contig_exit(void);

/* Candidates that have not been tried. */
unsigned int contig_list_left(const struct contig_list *list);

/* The most that node @nid could give: what is free, and what holds files. */
u64 contig_node_bytes(int nid);

/* Why node @nid has no such page: -ENOMEM, -EBUSY, or -EINTR. */
int contig_why_none(int nid, unsigned int shift);

/*
 * Give a page back to the system, or keep it out of use when it has a memory failure in
 * it that the system would not notice. Counted, and timed.
 */
void contig_put(unsigned int shift, unsigned long pfn);

#endif
