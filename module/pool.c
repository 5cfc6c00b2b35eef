// SPDX-License-Identifier: GPL-2.0
/* Ready pages: the lists they are on. */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/hpbuf.h>

#include "contig.h"
#include "limit.h"
#include "poison.h"
#include "pool.h"
#include "pool_fill.h"
#include "pool_zero.h"

/* An allocation waits so long for pages that are being zeroed. */
#define WAIT_MS		200

static struct pool (*pools)[2];	/* by node; the shift is 0 where there is no memory */

struct pool *pool_of(unsigned int shift, int nid)
{
	struct pool *p = &pools[nid][shift == HPBUF_SHIFT_1G];

	return p->shift ? p : NULL;
}

/* ---- taking ---- */

/* A batch for each time the lock is held. */
#define BATCH	64

/* Under the lock. From the end: what has been there the longest is given up first. */
static unsigned int take_list(struct list_head *list, unsigned int max, unsigned long *pfn)
{
	unsigned int nr = 0;
	struct page *page;

	while (nr < min(max, BATCH) && !list_empty(list)) {
		page = list_last_entry(list, struct page, lru);
		list_del(&page->lru);
		pfn[nr++] = page_to_pfn(page);
	}
	return nr;
}

static unsigned int take_batch(struct pool *p, bool dirty, unsigned int max, unsigned long *pfn)
{
	unsigned int nr;

	spin_lock(&p->lock);
	nr = take_list(dirty ? &p->dirty : &p->ready, max, pfn);
	if (dirty)
		p->nr_dirty -= nr;
	else
		p->nr_ready -= nr;
	p->lent += nr;
	p->taken += nr;
	spin_unlock(&p->lock);
	return nr;
}

/* Let go of those with a memory failure in them; returns how many are left. */
static unsigned int drop_poisoned(struct pool *p, unsigned int nr, unsigned long *pfn)
{
	unsigned int i, good = 0;

	if (!poison_seen())
		return nr;
	for (i = 0; i < nr; i++) {
		if (poison_in(p->shift, pfn[i]))
			contig_put(p->shift, pfn[i]);
		else
			pfn[good++] = pfn[i];
		cond_resched();
	}
	return good;
}

/* Some may turn out to be bad: then there are fewer, down to none, in *@good. */
static unsigned int take_good(struct pool *p, bool dirty, unsigned int max, unsigned long *pfn,
			      unsigned int *good)
{
	unsigned int nr = 0, n;

	while (nr < max) {
		n = take_batch(p, dirty, max - nr, pfn + nr);
		if (!n)
			break;
		nr += n;
		cond_resched();
	}
	limit_pool_uncharge((u64)nr << p->shift);
	*good = drop_poisoned(p, nr, pfn);
	if (*good < nr) {
		spin_lock(&p->lock);
		p->lent -= nr - *good;
		p->taken -= nr - *good;
		spin_unlock(&p->lock);
		fill_look_again();
	}
	return nr;
}

unsigned int pool_take(struct pool *p, bool dirty, unsigned int max, unsigned long *pfn)
{
	unsigned int good;

	/* Seen without the lock: nobody waits for a pool that is not used. */
	if (!(dirty ? READ_ONCE(p->nr_dirty) : READ_ONCE(p->nr_ready)))
		return 0;
	while (take_good(p, dirty, max, pfn, &good) && !good)
		cond_resched();
	return good;
}

bool pool_wait(struct pool *p)
{
	if (!READ_ONCE(p->nr_zeroing))
		return false;
	return wait_event_killable_timeout(p->wait, READ_ONCE(p->nr_ready) ||
					   READ_ONCE(p->nr_dirty) || !READ_ONCE(p->nr_zeroing),
					   msecs_to_jiffies(WAIT_MS)) > 0;
}

u64 pool_bytes(unsigned int shift, const nodemask_t *mask)
{
	struct pool *p;
	u64 pages = 0;
	int nid;

	for_each_node_mask(nid, *mask) {
		p = pool_of(shift, nid);
		if (!p)
			continue;
		spin_lock(&p->lock);
		pages += pool_held(p);
		spin_unlock(&p->lock);
	}
	return pages << shift;
}

/* ---- giving ---- */

/* Under the lock. */
static void list_page(struct pool *p, struct page *page, bool zero)
{
	if (zero) {
		list_add_tail(&page->lru, &p->ready);
		p->nr_ready++;
	} else {
		list_add_tail(&page->lru, &p->dirty);
		p->nr_dirty++;
	}
}

bool pool_give(struct pool *p, unsigned long pfn, bool lent, bool zero)
{
	struct page *page = pfn_to_page(pfn);
	bool keep, bad;

	if (!lent && !READ_ONCE(p->want))
		return false;
	bad = poison_in(p->shift, pfn);
	spin_lock(&p->lock);
	if (lent)
		p->lent--;
	/* One that somebody else holds for a moment goes the kernel's way. */
	keep = !bad && pool_all(p) < p->want && page_count(page) == 1 && !limit_over();
	if (keep)
		list_page(p, page, zero);
	spin_unlock(&p->lock);
	if (keep && !zero)
		pool_zero_wake(p->nid);
	/* Another one is to be got in its place. */
	if (lent && bad)
		fill_look_again();
	return keep;
}

void pool_add(struct pool *p, unsigned long pfn, bool zero)
{
	spin_lock(&p->lock);
	list_page(p, pfn_to_page(pfn), zero);
	spin_unlock(&p->lock);
	if (zero)
		wake_up_all(&p->wait);
	else
		pool_zero_wake(p->nid);
}

/* ---- zeroing ---- */

static unsigned int zero_some(struct pool *p, unsigned int max, unsigned long *pfn)
{
	unsigned int nr;

	spin_lock(&p->lock);
	nr = take_list(&p->dirty, max, pfn);
	p->nr_dirty -= nr;
	p->nr_zeroing += nr;
	spin_unlock(&p->lock);
	return nr;
}

unsigned int pool_zero_begin(struct pool *p, unsigned int max, unsigned long *pfn)
{
	unsigned int nr, good;

	do {
		nr = zero_some(p, max, pfn);
		good = drop_poisoned(p, nr, pfn);
		if (good == nr)
			break;
		spin_lock(&p->lock);
		p->nr_zeroing -= nr - good;
		spin_unlock(&p->lock);
		wake_up_all(&p->wait);
		limit_pool_uncharge((u64)(nr - good) << p->shift);
		fill_look_again();
	} while (!good);
	return good;
}

void pool_zero_end(struct pool *p, unsigned int nr, const unsigned long *pfn, bool zero)
{
	unsigned int i;
	bool excess;

	spin_lock(&p->lock);
	for (i = 0; i < nr; i++)
		list_page(p, pfn_to_page(pfn[i]), zero);
	p->nr_zeroing -= nr;
	excess = pool_all(p) > p->want;
	spin_unlock(&p->lock);
	wake_up_all(&p->wait);
	/* Fewer are wanted by now. */
	if (excess)
		fill_look_again();
}

/* ---- giving up ---- */

static struct page *trim_list(struct pool *p)
{
	struct page *page;

	page = list_first_entry_or_null(&p->dirty, struct page, lru);
	if (page) {
		p->nr_dirty--;
	} else {
		page = list_first_entry_or_null(&p->ready, struct page, lru);
		if (!page)
			return NULL;
		p->nr_ready--;
	}
	list_del(&page->lru);
	return page;
}

static bool trim_one(struct pool *p, u64 keep)
{
	struct page *page = NULL;

	spin_lock(&p->lock);
	if (pool_all(p) > keep)
		page = trim_list(p);
	spin_unlock(&p->lock);
	if (!page)
		return false;
	contig_put(p->shift, page_to_pfn(page));
	limit_pool_uncharge(1ULL << p->shift);
	return true;
}

u64 pool_trim(struct pool *p, u64 max, u64 keep)
{
	u64 nr;

	for (nr = 0; nr < max && trim_one(p, keep); nr++)
		cond_resched();
	return nr;
}

static u64 protected(struct pool *p)
{
	u64 min;

	spin_lock(&p->lock);
	min = p->min;
	spin_unlock(&p->lock);
	return min;
}

/* One at a time, so that not each of several gives up a page for the same excess. */
static DEFINE_MUTEX(trim_lock);

static void trim_pool_to_limit(struct pool *p, const bool *stop)
{
	bool some = false;

	while (limit_over() && !READ_ONCE(*stop) && !fatal_signal_pending(current) &&
	       pool_trim(p, 1, protected(p)))
		some = true;
	if (some)
		fill_later(p);
}

void pool_trim_to_limit(const bool *stop)
{
	int nid, i;

	if (mutex_lock_killable(&trim_lock))
		return;
	for_each_node(nid) {
		for (i = 0; i < 2; i++)
			if (pools[nid][i].shift)
				trim_pool_to_limit(&pools[nid][i], stop);
	}
	mutex_unlock(&trim_lock);
}

/* ---- the beginning and the end ---- */

static void init_one(struct pool *p, unsigned int shift, int nid)
{
	spin_lock_init(&p->lock);
	INIT_LIST_HEAD(&p->ready);
	INIT_LIST_HEAD(&p->dirty);
	init_waitqueue_head(&p->wait);
	p->shift = shift;
	p->nid = nid;
	p->next = jiffies;
}

int pool_init(void)
{
	int nid, ret;

	pools = kcalloc(nr_node_ids, sizeof(*pools), GFP_KERNEL);
	if (!pools)
		return -ENOMEM;
	for_each_node_state(nid, N_MEMORY) {
		init_one(&pools[nid][0], HPBUF_SHIFT_2M, nid);
		init_one(&pools[nid][1], HPBUF_SHIFT_1G, nid);
	}
	ret = pool_zero_init();
	if (ret) {
		kfree(pools);
		pools = NULL;
	}
	return ret;
}

void pool_exit(void)
{
	int nid, i;

	pool_zero_exit();
	for_each_node(nid) {
		for (i = 0; i < 2; i++)
			if (pools[nid][i].shift)
				pool_trim(&pools[nid][i], U64_MAX, 0);
	}
	kfree(pools);
	pools = NULL;
}
