/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pool of ready pages, for its tests: read, set, and waited for.
 *
 * "Settled" is a pool that is not being filled or emptied and has no page left to
 * zero. Waiting is bounded and says what it found.
 */
#ifndef HPBUF_POOL_H
#define HPBUF_POOL_H

#include "hpbuf_test.h"

#include <libhpbuf.h>

#define POOL_TRIES	(1200 * hpt_env("HPBUF_TIMEOUT_SCALE", 1))
#define POOL_PAUSE	50000	/* us */

struct pool_wanted {
	uint32_t node, page_shift;
	bool found;
	struct hpbuf_nl_pool *pool;
};

static inline int pool_match(const struct hpbuf_nl_pool *p, void *arg)
{
	struct pool_wanted *w = arg;

	if (p->node == w->node && p->page_shift == w->page_shift) {
		*w->pool = *p;
		w->found = true;
	}
	return 0;
}

/* The pool of one node and size; -ENOENT: there is none, -EPROTO: fields missing. */
static inline int pool_get(struct hpbuf_nl *nl, uint32_t node, uint32_t shift,
			   struct hpbuf_nl_pool *pool)
{
	struct pool_wanted w = { .node = node, .page_shift = shift, .pool = pool };
	int ret = hpbuf_nl_pools(nl, pool_match, &w);

	if (ret)
		return ret;
	if (!w.found)
		return -ENOENT;
	return pool->has_want && pool->has_min && pool->has_dirty && pool->has_lent &&
	       pool->has_taken && pool->has_shrunk ? 0 : -EPROTO;
}

static inline int pool_set(struct hpbuf_nl *nl, uint32_t node, uint32_t shift, uint64_t want,
			   uint64_t min, bool partial)
{
	struct hpbuf_nl_pool_set set = { .node = node, .page_shift = shift, .want = want,
					 .min = min, .has_min = true, .partial = partial };

	return hpbuf_nl_pool_set(nl, &set);
}

static inline void pool_print(const struct hpbuf_nl_pool *p)
{
	fprintf(stderr, "# node %u, 2^%u: want %llu min %llu ready %llu dirty %llu lent %llu used %llu%s error %u got %llu\n",
		p->node, p->page_shift, (unsigned long long)p->want,
		(unsigned long long)p->min, (unsigned long long)p->ready,
		(unsigned long long)p->dirty, (unsigned long long)p->lent,
		(unsigned long long)p->used, p->filling ? " filling" : "", p->error,
		(unsigned long long)p->got);
}

/* Wait until it is settled: 0, or -ETIMEDOUT. *pool is as it was seen last. */
static inline int pool_settle(struct hpbuf_nl *nl, uint32_t node, uint32_t shift,
			      struct hpbuf_nl_pool *pool)
{
	unsigned long i = 0;
	int ret;

	do {
		ret = pool_get(nl, node, shift, pool);
		if (ret || (!pool->filling && !pool->dirty))
			return ret;
		usleep(POOL_PAUSE);
	} while (++i < POOL_TRIES);
	pool_print(pool);
	return -ETIMEDOUT;
}

/* The same, and so many are ready: freed pages take a moment to be dirty. */
static inline int pool_ready(struct hpbuf_nl *nl, uint32_t node, uint32_t shift,
			     uint64_t ready, struct hpbuf_nl_pool *pool)
{
	unsigned long i;
	int ret;

	for (i = 0; i < POOL_TRIES; i++) {
		ret = pool_settle(nl, node, shift, pool);
		if (ret || pool->ready == ready)
			return ret;
		usleep(POOL_PAUSE);
	}
	pool_print(pool);
	return -ETIMEDOUT;
}

/* Set and wait. */
static inline int pool_fill(struct hpbuf_nl *nl, uint32_t node, uint32_t shift, uint64_t want,
			    struct hpbuf_nl_pool *pool)
{
	int ret = pool_set(nl, node, shift, want, 0, false);

	return ret ? ret : pool_settle(nl, node, shift, pool);
}

/* As hpt_alloc(), from node 0: where there are more, that is where the pool is. */
static inline int pool_alloc(int dev, uint64_t bytes, unsigned int shift, struct hpbuf_alloc *a)
{
	*a = (struct hpbuf_alloc){ .bytes = bytes, .page_shift = shift, .nodes = { 1 } };
	return hpt_alloc_req(dev, a);
}

static inline uint64_t pool_pages(const struct hpbuf_nl_pool *p)
{
	return p->ready + p->dirty + p->lent;
}

#endif
