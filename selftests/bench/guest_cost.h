/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that guest_cost.c measures: one function for each kind, which goes through
 * a life and fills in what each step cost.
 */
#ifndef HPBUF_BENCH_GUEST_COST_H
#define HPBUF_BENCH_GUEST_COST_H

#include <stddef.h>
#include <stdint.h>
#include <x86intrin.h>

enum step { STEP_ALLOC, STEP_MAP, STEP_TOUCH, STEP_UNMAP, STEP_FREE, NR_STEPS };

/** struct life - TSC ticks of each step; @has: the kind has that step */
struct life {
	uint64_t ticks[NR_STEPS];
	unsigned int has;
};

/**
 * struct kind
 * @name: as the table has it
 * @live: through all steps once, @bytes in pages of 2^@shift. What has to be there
 *	before, such as a filled pool, is made before the first step and undone behind
 *	the last one, untimed. 0, or a negative errno.
 */
struct kind {
	const char *name;
	int (*live)(size_t bytes, unsigned int shift, struct life *l);
};

extern const struct kind kinds[];

enum { READY, COLD, HUGETLB, HUGETLB_NEW, ANON, ANON_THP, NR_KINDS };

/** The ticks between two of these are those of what is in between. */
static inline uint64_t bench_ticks(void)
{
	uint64_t t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
}

#endif
