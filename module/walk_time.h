/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_WALK_TIME_H
#define HPBUF_WALK_TIME_H

#include <linux/types.h>

struct mm_struct;

#define WALK_MAX_SAMPLES	65536
#define WALK_BUCKETS		104

enum walk_kind { WALK_HIT, WALK_WARM, WALK_COLD, WALK_KINDS };
enum walk_level { WALK_PTE, WALK_PMD, WALK_PUD, WALK_LEVELS };

/* Ticks of one kind of load over the samples of a level. */
struct walk_ticks {
	u32 p0, p10, p50, p90, p99, p100;
	u32 hist[WALK_BUCKETS];
};

/*
 * struct walk_timing - a request and its result
 * @samples: in: 1 to WALK_MAX_SAMPLES
 * @seed: in: chooses the places
 * @cold: in: measure WALK_COLD too
 * @skipped: out: samples that found nothing to read
 * @count: out: samples of each level
 * @ticks: out: where @count is not 0
 */
struct walk_timing {
	u32 samples;
	u64 seed;
	bool cold;
	u32 skipped;
	u32 count[WALK_LEVELS];
	struct walk_ticks ticks[WALK_LEVELS][WALK_KINDS];
};

/* Whether this machine can be timed: not under Xen PV. */
bool walk_can_time(void);

/*
 * Time loads at random places of [@addr, @addr + @len) of the calling process,
 * a range that walk_census() accepts. -EOPNOTSUPP, -ENOMEM, -EINTR.
 */
int walk_time(unsigned long addr, unsigned long len, struct walk_timing *w);

#endif
