// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of 1 GiB: every aligned block of a node is a candidate. Those that
 * cannot work (holes, other zones, reserved or hugetlb pages) are left out, the
 * rest is tried with the most free first: that needs the least migration. A
 * candidate with unmovable pages fails within microseconds; one that failed of late
 * is tried after all others, as it is likely to fail again, and some fail slowly.
 */
#include <linux/error-injection.h>
#include <linux/gfp.h>
#include <linux/hugetlb.h>
#include <linux/ktime.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmstat.h>
#include <linux/xarray.h>
#include <linux/hpbuf.h>

#include "compat/compat.h"
#include "contig.h"

#define BLOCK_PAGES	((unsigned long)PTRS_PER_PMD * PTRS_PER_PTE)

struct contig_cand {
	unsigned long pfn;
	bool failed;		/* of late */
	unsigned long free;	/* pages that were free when it was looked at */
};

struct contig_list {
	unsigned int nr;
	unsigned int next;	/* the first that has not been tried */
	struct contig_cand cand[];
};

/* When candidates failed, in seconds of uptime, by number of the block. */
static DEFINE_XARRAY(failed_at);

#define FAILED_SECONDS	60

/* It is a hint, so a failure to keep it is none. */
static void remember_failed(unsigned long pfn)
{
	xa_store(&failed_at, pfn / BLOCK_PAGES, xa_mk_value(ktime_get_seconds()),
		 GFP_KERNEL | __GFP_NOWARN);
}

static bool failed_lately(unsigned long pfn)
{
	void *entry = xa_load(&failed_at, pfn / BLOCK_PAGES);

	return entry && ktime_get_seconds() - (time64_t)xa_to_value(entry) < FAILED_SECONDS;
}

void contig_exit(void)
{
	xa_destroy(&failed_at);
}

/*
 * Pages that are free from @page on, or 0. The order of a free block is read
 * without the zone's lock, so it may be anything by now.
 */
static unsigned long free_run(struct page *page)
{
	unsigned long order;

	if (!PageBuddy(page))
		return 0;
	order = READ_ONCE(page->private);
	return order <= PMD_ORDER + 1 ? BIT(order) : 0;
}

/*
 * Whether the block at @pfn can be a candidate; counts its free pages. One page
 * of each pageblock is looked at: memory goes off line in larger pieces, and
 * reading every page's struct would take seconds for each terabyte. What this
 * misses, the attempt finds out at once.
 */
static bool block_usable(unsigned long pfn, const struct zone *zone, unsigned long *free)
{
	unsigned long end = pfn + BLOCK_PAGES;
	struct page *page;
	unsigned long run;

	*free = 0;
	while (pfn < end) {
		page = pfn_to_online_page(pfn);
		if (!page || page_zone(page) != zone || PageReserved(page) || PageHuge(page))
			return false;
		run = free_run(page);
		*free += run;
		pfn += max(run, pageblock_nr_pages);
	}
	return true;
}

/* ZONE_MOVABLE is left out: it is there to be unplugged. */
static void scan_zone(struct zone *zone, struct contig_list *list, unsigned int max)
{
	unsigned long pfn = ALIGN(zone->zone_start_pfn, BLOCK_PAGES);
	unsigned long free;

	for (; pfn + BLOCK_PAGES <= zone_end_pfn(zone) && list->nr < max; pfn += BLOCK_PAGES) {
		if (fatal_signal_pending(current))
			return;
		cond_resched();
		if (!block_usable(pfn, zone, &free))
			continue;
		list->cand[list->nr].pfn = pfn;
		list->cand[list->nr].free = free;
		list->cand[list->nr].failed = failed_lately(pfn);
		list->nr++;
	}
}

static int best_first(const void *a, const void *b)
{
	const struct contig_cand *x = a, *y = b;

	if (x->failed != y->failed)
		return x->failed ? 1 : -1;
	if (x->free != y->free)
		return x->free > y->free ? -1 : 1;
	return 0;
}

struct contig_list *contig_list_make(int nid, struct contig_time *t)
{
	pg_data_t *node = NODE_DATA(nid);
	unsigned int max = node->node_spanned_pages / BLOCK_PAGES + 1;
	u64 start = ktime_get_ns();
	struct contig_list *list;
	int z;

	list = kvzalloc(struct_size(list, cand, max), GFP_KERNEL);
	if (!list)
		return ERR_PTR(-ENOMEM);
	for (z = 0; z <= ZONE_NORMAL; z++) {
		if (populated_zone(&node->node_zones[z]))
			scan_zone(&node->node_zones[z], list, max);
	}
	sort(list->cand, list->nr, sizeof(list->cand[0]), best_first, NULL);
	t->scan += ktime_get_ns() - start;
	return list;
}

void contig_list_free(struct contig_list *list)
{
	kvfree(list);
}

unsigned int contig_list_left(const struct contig_list *list)
{
	return list->nr - list->next;
}

static int try_cand(const struct contig_cand *c, struct contig_time *t)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL | COMPAT_CONTIG_GFP;
	u64 start = ktime_get_ns();
	int ret;

	ret = compat_alloc_range(c->pfn, PUD_ORDER, gfp);
	t->migrate += ktime_get_ns() - start;
	return ret;
}

/* What is not worth disturbing others for: likely to fail, or much to migrate. */
static bool cand_is_hard(const struct contig_cand *c)
{
	return c->failed || c->free < BLOCK_PAGES / 2;
}

int contig_get_1g(int nid, struct contig_list *list, bool gentle, struct contig_time *t,
		  unsigned long *pfn)
{
	while (list->next < list->nr) {
		const struct contig_cand *c = &list->cand[list->next++];

		if (gentle && cand_is_hard(c))
			continue;
		if (try_cand(c, t)) {
			if (fatal_signal_pending(current))
				return -EINTR;
			remember_failed(c->pfn);
			continue;
		}
		if (c->failed)
			xa_erase(&failed_at, c->pfn / BLOCK_PAGES);
		compat_prepare_page(pfn_to_page(c->pfn));
		*pfn = c->pfn;
		return 0;
	}
	return contig_why_none(nid, HPBUF_SHIFT_1G);
}
ALLOW_ERROR_INJECTION(contig_get_1g, ERRNO);
