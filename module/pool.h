/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ready pages: got from the system and zeroed before anybody asks for them.
 *
 * There is a pool for each page size on each node with memory. It has @want pages,
 * which are ready, dirty (came back, or were just got, and are not zero yet), being
 * zeroed, or lent to buffers. A page is ready only after all of it has
 * been zeroed.
 */
#ifndef HPBUF_POOL_H
#define HPBUF_POOL_H

#include <linux/list.h>
#include <linux/nodemask.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

/*
 * struct pool - of one size on one node
 * @lock: guards all but @shift and @nid
 * @ready, @dirty: pages, by page->lru; the first has been there the longest
 * @nr_ready, @nr_dirty, @nr_zeroing: how many there are
 * @lent: in buffers
 * @want, @min: as pool-set has it; @min are not given up under pressure
 * @back_want, @back_min: what to go back to when not all can be had
 * @setting: changes with each setting
 * @filling: what was set is being collected or given back
 * @partial: what can be had is enough
 * @failing: a filling that failed is being undone
 * @error: why the last one ended short, a positive errno, or 0
 * @got: the most pages it had; 0: there was none
 * @next: jiffies when the pool may be filled up again, in the background
 * @backoff: how long to wait after the next failure, in jiffies
 * @taken, @shrunk: pages that allocations and memory pressure took
 * @wait: woken when a page becomes ready
 */
struct pool {
	spinlock_t lock;	/* for a few list steps */
	unsigned int shift;
	int nid;
	struct list_head ready, dirty;
	u64 nr_ready, nr_dirty, nr_zeroing;
	u64 lent;
	u64 want, min;
	u64 back_want, back_min;
	unsigned int setting;
	bool filling, partial, failing;
	int error;
	u64 got;
	unsigned long next, backoff;
	u64 taken, shrunk;
	wait_queue_head_t wait;
};

int pool_init(void);

/* Nobody takes or gives any more. */
void pool_exit(void);

/* NULL where the node has no memory. */
struct pool *pool_of(unsigned int shift, int nid);

/* Pages that it holds, and those together with the lent. Under the lock. */
static inline u64 pool_held(const struct pool *p)
{
	return p->nr_ready + p->nr_dirty + p->nr_zeroing;
}

static inline u64 pool_all(const struct pool *p)
{
	return pool_held(p) + p->lent;
}

/*
 * Lend up to @max pages to a buffer: ready ones, or with @dirty such as the taker
 * must zero. Returns how many.
 */
unsigned int pool_take(struct pool *p, bool dirty, unsigned int max, unsigned long *pfn);

/*
 * Wait a while for a page that is being zeroed. False when there is none, or it
 * takes too long; then there is no sense in asking again.
 */
bool pool_wait(struct pool *p);

/* Bytes that the pools of @shift on @nodes hold. */
u64 pool_bytes(unsigned int shift, const nodemask_t *nodes);

/*
 * A page leaves a buffer; @lent: the pool had lent it. True when the pool has it
 * now, to be zeroed unless it is @zero; else it is the caller's to put. The caller
 * also charges it to the pool, by limit_pool_add() or limit_uncharge().
 */
bool pool_give(struct pool *p, unsigned long pfn, bool lent, bool zero);

/* A page that was just got from the system, and charged by limit_pool_charge(). */
void pool_add(struct pool *p, unsigned long pfn, bool zero);

/*
 * Take up to @max dirty pages to zero them, and give them back, @zero or still dirty.
 * They are the pool's all the time.
 */
unsigned int pool_zero_begin(struct pool *p, unsigned int max, unsigned long *pfn);
void pool_zero_end(struct pool *p, unsigned int nr, const unsigned long *pfn, bool zero);

/*
 * Give up to @max held pages to the system, dirty ones first, then the oldest, while
 * there are more than @keep, the lent included. Returns how many.
 */
u64 pool_trim(struct pool *p, u64 max, u64 keep);

/*
 * Give up what is not protected until the module holds no more than it may, or *@stop.
 * It comes back later, when there is room. Sleeps.
 */
void pool_trim_to_limit(const bool *stop);

#endif
