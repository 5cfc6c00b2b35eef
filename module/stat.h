/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_STAT_H
#define HPBUF_STAT_H

#include <linux/atomic.h>
#include <linux/types.h>

/* Pages of one size on one node, since the module was loaded. Times in ns. */
struct stat_pool {
	atomic64_t used;
	atomic64_t allocated;
	atomic64_t freed;
	atomic64_t kept;	/* never to be used again */
	atomic64_t alloc_ns;
	atomic64_t free_ns;
};

int stat_init(void);
void stat_exit(void);

/* @shift is HPBUF_SHIFT_2M or HPBUF_SHIFT_1G, @nid a node below nr_node_ids. */
struct stat_pool *stat_pool(unsigned int shift, int nid);

/* One page came from, or went to, the system. */
void stat_page_got(unsigned int shift, int nid, u64 ns);
void stat_page_put(unsigned int shift, int nid, u64 ns);

/* One page is kept out of use. */
void stat_page_kept(unsigned int shift, int nid);

/* @nr pages came into buffers, or left them when it is negative. */
void stat_pages_used(unsigned int shift, int nid, s64 nr);

#endif
