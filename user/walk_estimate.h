/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a page walk without the module, from user space: an estimate.
 *
 * Two chases over the same number of cache lines, in turns: one line a page over
 * many pages, and the lines packed into as few pages as hold them. Data misses
 * are alike, since the lines are as many and meet the same cache sets; what a load
 * costs more in the first is the TLB's. It is less than what the module measures:
 * there every walk starts at the top, here the CPU remembers the upper levels; and
 * packed 4 KiB pages may miss a first-level TLB as well.
 */
#ifndef HPCTL_WALK_ESTIMATE_H
#define HPCTL_WALK_ESTIMATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "backing/backing.h"
#include "measure/stats.h"

/** Pages below which there is nothing to estimate. */
#define ESTIMATE_PAGES	32U

/** Pairs of chases. */
#define ESTIMATE_PAIRS	15

/**
 * struct walk_estimate
 * @lines: of either chase; also the pages of the spread one
 * @packed_pages: pages of the packed one
 * @pairs: that were timed; fewer when stopped
 * @spread_ns, @packed_ns: medians, a load
 * @diff: of the differences by pair, ns a load
 * @shown: the interval of @diff lies above 0
 * @few: a TLB may hold all the pages: more than this is the cost of a walk
 */
struct walk_estimate {
	uint64_t lines, packed_pages;
	unsigned int pairs;
	double spread_ns, packed_ns;
	struct stats diff;
	bool shown, few;
};

/**
 * estimate_lines - lines of a chase on an array of @pages pages
 * 0 when that is fewer than ESTIMATE_PAGES.
 */
uint64_t estimate_lines(uint64_t pages, unsigned int page_shift);

/**
 * walk_estimate - run the chases on @m, which is populated and gets overwritten
 * @seed: of the order of the lines
 * @why: set to why there is none, when there is none
 * Returns false then. The caller is pinned to a CPU.
 */
bool walk_estimate(const struct mapping *m, uint64_t seed, struct walk_estimate *est,
		   char *why, size_t size);

/**
 * walk_estimate_json
 * @cost_ns: what the module measured, NaN: nothing
 */
json_t *walk_estimate_json(const struct walk_estimate *est, double cost_ns);

#endif
