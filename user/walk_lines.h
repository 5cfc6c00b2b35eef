/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cycle through cache lines: each line holds the address of the next one, in
 * shuffled order. Either one line a page, or one line behind the other.
 */
#ifndef HPCTL_WALK_LINES_H
#define HPCTL_WALK_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES	64

/**
 * struct lines
 * @base: start, aligned to a page
 * @n: lines, 1 or more
 * @page_shift: of the page
 * @spread: one line a page, else packed
 *
 * Line i is, within its page, at the same place both ways: at i * 64, wrapped at
 * the page's end. So both use the sets of every cache alike as far as the address
 * within a page decides (always in the first level, in all of them for huge
 * pages); lines at the start of each page would all fall into a few sets, and
 * their misses would be taken for the TLB's.
 */
struct lines {
	unsigned char *base;
	uint64_t n;
	unsigned int page_shift;
	bool spread;
};

/** lines_at - address of line @i */
static inline void *lines_at(const struct lines *l, uint64_t i)
{
	uint64_t at = i * LINE_BYTES;

	if (l->spread)
		at = (i << l->page_shift) + (at & ((UINT64_C(1) << l->page_shift) - 1));
	return l->base + at;
}

/** lines_pages - pages that the lines lie in */
static inline uint64_t lines_pages(const struct lines *l)
{
	if (l->spread)
		return l->n;
	return ((l->n * LINE_BYTES - 1) >> l->page_shift) + 1;
}

/** lines_link - write the cycle: one through all; the same for the same @seed */
void lines_link(const struct lines *l, uint64_t seed);

/** lines_chase - follow it @steps times from @p on; where that ends */
void *lines_chase(void *p, uint64_t steps);

#endif
