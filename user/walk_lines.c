// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk_lines.h"

#include "packed.h"

static uint64_t *index_at(const struct lines *l, uint64_t i)
{
	return lines_at(l, i);
}

/* Sattolo's shuffle, in the lines themselves. */
void lines_link(const struct lines *l, uint64_t seed)
{
	for (uint64_t i = 0; i < l->n; i++)
		*index_at(l, i) = i;
	/* Swapping with a smaller one only leaves a single cycle. */
	for (uint64_t i = l->n; i-- > 1;) {
		uint64_t k = packed_index(packed_random(&seed), i);
		uint64_t v = *index_at(l, i);

		*index_at(l, i) = *index_at(l, k);
		*index_at(l, k) = v;
	}
	for (uint64_t i = 0; i < l->n; i++)
		*(void **)lines_at(l, i) = lines_at(l, *index_at(l, i));
}

void *lines_chase(void *p, uint64_t steps)
{
	/* The next address is what the last load gave: nothing overlaps. */
#pragma GCC unroll 8
	for (; steps; steps--)
		p = *(void **)p;
	/* Also when nobody looks at where it ended. */
	asm volatile("" : "+r" (p));
	return p;
}
