// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chase: a chain of dependent loads, one cache line a 4 KiB page, in shuffled
 * order, one cycle through all pages.
 *
 * The next address is what the last load gave, so nothing overlaps: the time of a
 * step is the latency of one access, a miss of the TLB (and, once the array is
 * large enough, of the caches) included. Always whole cycles.
 *
 * Checksum: the indices read. A cycle that leaves pages out, or is more than one,
 * comes to another sum.
 */
#include "workload/chain.h"

#include "measure/stop.h"
#include "workload/data.h"
#include "workload/workload.h"

#define PAGE	4096
#define LINES	64

/* Index of the first element that starts in line @line of page @page or behind. */
static inline uint64_t element_in(uint64_t page, uint64_t line)
{
	return (page * PAGE + line * (PAGE / LINES) + 4) / 5;
}

uint64_t chain_element(const struct chain *c, uint64_t p)
{
	uint64_t page = c->page + p;

	return element_in(page, page * 37 % LINES);
}

void chain_build(const struct chain *c, uint64_t seed)
{
	for (uint64_t p = 0; p < c->pages && !workload_stopped(p); p++)
		packed_put(c->base, chain_element(c, p), p);
	/* Swapping with a smaller one only leaves a single cycle. */
	for (uint64_t p = c->pages; p-- > 1 && !workload_stopped(p);) {
		uint64_t q = packed_index(packed_random(&seed), p);
		uint64_t ep = chain_element(c, p), eq = chain_element(c, q);
		uint64_t v = packed_get(c->base, ep);

		packed_put(c->base, ep, packed_get(c->base, eq));
		packed_put(c->base, eq, v);
	}
	for (uint64_t p = 0; p < c->pages && !workload_stopped(p); p++) {
		uint64_t e = chain_element(c, p);

		packed_put(c->base, e, chain_element(c, packed_get(c->base, e)));
	}
}

uint64_t chain_sum(const struct chain *c)
{
	uint64_t sum = 0;

	for (uint64_t p = 0; p < c->pages; p++)
		sum += chain_element(c, p);
	return sum;
}

/* Whole pages within the shard. */
static void chain_of(const struct shard *s, struct chain *c)
{
	uint64_t a = (s->first * 5 + PAGE - 1) / PAGE;
	uint64_t b = (s->first + s->count) * 5 / PAGE;

	c->base = s->base;
	c->n = s->n;
	c->page = a;
	c->pages = b > a ? b - a : 0;
}

static uint64_t chase_ops(const struct shard *s, uint64_t wanted)
{
	struct chain c;
	uint64_t cycles;

	chain_of(s, &c);
	if (!c.pages)
		return 0;
	cycles = (wanted + c.pages / 2) / c.pages;
	return (cycles ? cycles : 1) * c.pages;
}

static void chase_prepare(struct shard *s)
{
	struct chain c;

	chain_of(s, &c);
	chain_build(&c, s->seed);
}

static void chase_run(struct shard *s)
{
	const unsigned char *const base = s->base;
	const uint64_t n = s->n;
	struct chain c;
	uint64_t e, sum = 0, left = s->ops;

	chain_of(s, &c);
	e = chain_element(&c, 0);
	while (left && !stop_pending()) {
		uint64_t chunk = left < WORKLOAD_CHUNK ? left : WORKLOAD_CHUNK;

		left -= chunk;
		for (; chunk; chunk--) {
			e = packed_get_fast(base, n, e);
			sum += e;
		}
	}
	s->done = s->ops - left;
	s->sum = sum;
}

static uint64_t chase_expect(const struct shard *s)
{
	struct chain c;

	chain_of(s, &c);
	/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no page, no access (chase_ops) */
	return chain_sum(&c) * (s->ops / c.pages);
}

const struct workload workload_chase = {
	.name = "chase",
	.brief = "dependent loads, one line a page, one cycle through all pages",
	.dirties = true,
	.op_bytes = 5,
	.ops = chase_ops,
	.prepare = chase_prepare,
	.run = chase_run,
	.expect = chase_expect,
};
