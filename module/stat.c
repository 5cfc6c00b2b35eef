// SPDX-License-Identifier: GPL-2.0
/* Counts and times of pages, by size and node. */
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/hpbuf.h>

#include "stat.h"

static struct stat_pool *stat_pools[2];

int stat_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(stat_pools); i++) {
		stat_pools[i] = kcalloc(nr_node_ids, sizeof(*stat_pools[i]), GFP_KERNEL);
		if (!stat_pools[i]) {
			stat_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void stat_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(stat_pools); i++) {
		kfree(stat_pools[i]);
		stat_pools[i] = NULL;
	}
}

struct stat_pool *stat_pool(unsigned int shift, int nid)
{
	return &stat_pools[shift == HPBUF_SHIFT_1G][nid];
}

void stat_page_got(unsigned int shift, int nid, u64 ns)
{
	struct stat_pool *p = stat_pool(shift, nid);

	atomic64_inc(&p->allocated);
	atomic64_add(ns, &p->alloc_ns);
}

void stat_page_put(unsigned int shift, int nid, u64 ns)
{
	struct stat_pool *p = stat_pool(shift, nid);

	atomic64_inc(&p->freed);
	atomic64_add(ns, &p->free_ns);
}

void stat_page_kept(unsigned int shift, int nid)
{
	atomic64_inc(&stat_pool(shift, nid)->kept);
}

void stat_pages_used(unsigned int shift, int nid, s64 nr)
{
	atomic64_add(nr, &stat_pool(shift, nid)->used);
}
