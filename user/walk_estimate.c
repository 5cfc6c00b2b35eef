// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk_estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/cache.h"
#include "measure/clock.h"
#include "measure/stop.h"
#include "out/out.h"
#include "walk_lines.h"

/* Entries of the largest second-level TLBs today. */
#define TLB_MOST	4096
/* Twice that, so that no TLB holds a useful part of a cycle. */
#define LINES_LEAST	(2 * TLB_MOST)
#define LINES_MOST	(UINT64_C(1) << 16)
/* What a chase should take. */
#define CHASE_NS	UINT64_C(8000000)
#define STEPS_MOST	(UINT64_C(1) << 24)

/*
 * Half of the second-level cache, so that both the lines and the entries of the
 * page tables have room there; but enough pages to miss the TLB, if need be in
 * the third level. Both chases have the same number of them either way.
 */
static uint64_t lines_wanted(void)
{
	uint64_t n = cache_bytes(2) / 2 / LINE_BYTES;

	if (n < LINES_LEAST)
		n = LINES_LEAST;
	return n < LINES_MOST ? n : LINES_MOST;
}

uint64_t estimate_lines(uint64_t pages, unsigned int page_shift)
{
	struct lines l = { .page_shift = page_shift };

	l.n = lines_wanted() < pages ? lines_wanted() : pages;
	/* The packed lines lie in front of the spread ones. */
	while (l.n && lines_pages(&l) + l.n > pages)
		l.n--;
	return l.n < ESTIMATE_PAGES ? 0 : l.n;
}

/* One chase: where it starts, its whole cycles, and the time of a load. */
struct chase {
	struct lines lines;
	uint64_t steps;
	double ns[ESTIMATE_PAIRS];
};

static bool timed(struct chase *c, double *ns)
{
	void *start = lines_at(&c->lines, 0), *end;
	uint64_t from, took;

	/* The other chase has been here: a cycle to put the caches right. */
	lines_chase(start, c->lines.n);
	from = clock_ns();
	end = lines_chase(start, c->steps);
	took = clock_ns() - from;
	*ns = (double)took / (double)c->steps;
	/* Whole cycles end where they began, or something wrote to the memory. */
	return end == start;
}

static void prepare(struct chase *c, uint64_t seed)
{
	double ns;

	lines_link(&c->lines, seed);
	c->steps = c->lines.n;
	timed(c, &ns);
	while (ns * (double)c->steps < (double)CHASE_NS && c->steps < STEPS_MOST)
		c->steps *= 2;
}

/* In turns, and each first as often as the other: what drifts meets both alike. */
static unsigned int run_pairs(struct chase *spread, struct chase *packed)
{
	for (unsigned int i = 0; i < ESTIMATE_PAIRS; i++) {
		struct chase *first = i % 2 ? packed : spread;
		struct chase *second = i % 2 ? spread : packed;

		if (stop_pending() || !timed(first, &first->ns[i]) ||
		    !timed(second, &second->ns[i]))
			return i;
	}
	return ESTIMATE_PAIRS;
}

static bool summarize(const struct chase *spread, const struct chase *packed, uint64_t seed,
		      struct walk_estimate *est)
{
	double diff[ESTIMATE_PAIRS];
	struct stats s, p;

	for (unsigned int i = 0; i < est->pairs; i++)
		diff[i] = spread->ns[i] - packed->ns[i];
	if (!stats_of(spread->ns, est->pairs, seed, &s) ||
	    !stats_of(packed->ns, est->pairs, seed, &p) ||
	    !stats_of(diff, est->pairs, seed, &est->diff))
		return false;
	est->spread_ns = s.median;
	est->packed_ns = p.median;
	/* Without an interval (NaN) nothing is shown. */
	est->shown = est->diff.lo > 0;
	return true;
}

bool walk_estimate(const struct mapping *m, uint64_t seed, struct walk_estimate *est,
		   char *why, size_t size)
{
	unsigned int shift = m->b->page_shift;
	uint64_t pages = m->bytes >> shift;
	struct chase packed = { .lines = { m->addr, estimate_lines(pages, shift), shift, false } };
	struct chase spread = packed;
	char text[32];

	memset(est, 0, sizeof(*est));
	if (!packed.lines.n) {
		snprintf(why, size, "too few pages: %llu of %s, an estimate needs more than %u",
			 (unsigned long long)pages, out_bytes(text, backing_page(m->b)),
			 ESTIMATE_PAGES);
		return false;
	}
	est->lines = packed.lines.n;
	est->packed_pages = lines_pages(&packed.lines);
	est->few = est->lines < TLB_MOST;
	spread.lines.spread = true;
	spread.lines.base += est->packed_pages << shift;
	prepare(&spread, seed);
	prepare(&packed, ~seed);
	est->pairs = run_pairs(&spread, &packed);
	if (est->pairs == ESTIMATE_PAIRS && summarize(&spread, &packed, seed, est))
		return true;
	snprintf(why, size, "%s", stop_pending() ? "stopped" : "the chase left its cycle");
	return false;
}

json_t *walk_estimate_json(const struct walk_estimate *est, double cost_ns)
{
	double v = est->diff.median;
	bool both = isfinite(cost_ns) && cost_ns > 0 && est->shown;

	return json_pack("{s:s, s:I, s:I, s:i, s:f, s:f, s:f, s:[f, f], s:s, s:b, s:o}",
			 "method", "estimate (paired chases)",
			 "pages", (json_int_t)est->lines,
			 "packed_pages", (json_int_t)est->packed_pages,
			 "pairs", (int)est->pairs,
			 "spread_ns", est->spread_ns,
			 "packed_ns", est->packed_ns,
			 "cost_ns", v,
			 "ci95_ns", est->diff.lo, est->diff.hi,
			 "verdict", !est->shown ? "no difference shown" :
			 est->few ? "lower bound" : "shown",
			 "few_pages", est->few,
			 "to_module", both ? json_real(v / cost_ns) : json_null());
}
