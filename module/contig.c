// SPDX-License-Identifier: GPL-2.0
/* Pages of 2 MiB, and what both sizes share: giving back. */
#include <linux/error-injection.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>
#include <linux/sched/signal.h>
#include <linux/hpbuf.h>

#include "compat/compat.h"
#include "contig.h"
#include "poison.h"
#include "stat.h"

bool contig_zeroed_by_kernel(void)
{
	return want_init_on_alloc(0);
}

/* Pages of a zone beyond what the kernel keeps back. */
static unsigned long zone_spare(struct zone *zone)
{
	unsigned long free = zone_page_state(zone, NR_FREE_PAGES);
	unsigned long kept = high_wmark_pages(zone);

	return free > kept ? free - kept : 0;
}

u64 contig_node_bytes(int nid)
{
	unsigned long pages = 0;
	struct zone *zone;
	int z;

	for (z = 0; z <= ZONE_NORMAL; z++) {
		zone = &NODE_DATA(nid)->node_zones[z];
		pages += zone_spare(zone) + zone_page_state(zone, NR_ZONE_INACTIVE_FILE) +
			 zone_page_state(zone, NR_ZONE_ACTIVE_FILE);
	}
	return (u64)pages << PAGE_SHIFT;
}

int contig_why_none(int nid, unsigned int shift)
{
	unsigned long free = 0;
	int z;

	if (fatal_signal_pending(current))
		return -EINTR;
	for (z = 0; z <= ZONE_NORMAL; z++)
		free += zone_spare(&NODE_DATA(nid)->node_zones[z]);
	return free < 1UL << (shift - PAGE_SHIFT) ? -ENOMEM : -EBUSY;
}

int contig_get_2m(int nid, bool gentle, struct contig_time *t, unsigned long *pfn)
{
	/* No movable zone: those pages are there to be unplugged. */
	const gfp_t gfp = GFP_KERNEL | __GFP_COMP | __GFP_NOWARN | __GFP_THISNODE |
			  (gentle ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL);
	struct page *page;
	u64 start;

	start = ktime_get_ns();
	page = alloc_pages_node(nid, gfp, PMD_ORDER);
	t->migrate += ktime_get_ns() - start;
	if (!page)
		return contig_why_none(nid, HPBUF_SHIFT_2M);
	compat_prepare_page(page);
	*pfn = page_to_pfn(page);
	return 0;
}

/* For tests: lets a kernel that is told to make the n-th page fail. */
ALLOW_ERROR_INJECTION(contig_get_2m, ERRNO);

/* The kernel looks at each of them, and lets no bad one go. */
static void put_single_pages(unsigned int shift, unsigned long pfn)
{
	unsigned long end = pfn + (1UL << (shift - PAGE_SHIFT));

	for (; pfn < end; pfn += 1UL << PMD_ORDER) {
		free_contig_range(pfn, 1UL << PMD_ORDER);
		cond_resched();
	}
}

void contig_put(unsigned int shift, unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);
	int nid = page_to_nid(page);
	u64 start = ktime_get_ns();

	if (!PageHead(page)) {
		put_single_pages(shift, pfn);
	} else if (!poison_in(shift, pfn)) {
		put_page(page);
	} else {
		poison_keep(shift, pfn);
		return;
	}
	stat_page_put(shift, nid, ktime_get_ns() - start);
}
