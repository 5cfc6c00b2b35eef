/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_WALK_H
#define HPBUF_WALK_H

#include <linux/types.h>

struct mm_struct;

/* Bytes of a range by the leaf that maps them, and of its page tables. */
struct walk_census {
	u64 pte;
	u64 pmd;
	u64 pud;
	u64 none;
	u64 tables;
};

/*
 * Add [@addr, @addr + @len) of @mm, both multiples of PAGE_SIZE, to @c. Takes
 * no lock; what changes meanwhile is seen before or after. Sleeps between
 * steps. -EINVAL for a range that is not user memory, -EINTR on a fatal signal.
 */
int walk_census(struct mm_struct *mm, unsigned long addr, unsigned long len,
		struct walk_census *c);

/* Levels of page tables, 4 or 5. */
unsigned int walk_levels(void);

#endif
