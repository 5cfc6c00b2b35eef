// SPDX-License-Identifier: GPL-2.0
/* Pages with a memory failure in them. */
#include <linux/mm.h>
#include <linux/printk.h>

#include "poison.h"
#include "stat.h"

static bool seen;

void poison_note(void)
{
	WRITE_ONCE(seen, true);
}

bool poison_seen(void)
{
	return READ_ONCE(seen);
}

bool poison_in(unsigned int shift, unsigned long pfn)
{
	unsigned long end = pfn + (1UL << (shift - PAGE_SHIFT));

	if (!poison_seen())
		return false;
	for (; pfn < end; pfn++)
		if (PageHWPoison(pfn_to_page(pfn)))
			return true;
	return false;
}

void poison_keep(unsigned int shift, unsigned long pfn)
{
	stat_page_kept(shift, page_to_nid(pfn_to_page(pfn)));
	pr_warn("hpbuf: %lu MiB with a memory failure are kept out of use\n",
		1UL << (shift - 20));
}
