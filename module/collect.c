// SPDX-License-Identifier: GPL-2.0
/*
 * Getting the pages of a buffer: from the pools first, then from the system, node
 * by node, until there are enough or somebody stops it.
 */
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/hpbuf.h>

#include "collect.h"
#include "event.h"
#include "hist.h"
#include "limit.h"
#include "pool.h"
#include "stat.h"
#include "thread.h"
#include "zero.h"

/*
 * @list: candidates for 1 GiB pages by node; NULL for 2 MiB
 * @reserved: what limit_reserve() granted, and was not taken yet
 * @timed: what collect_pages() runs it in
 * @stop: when to stop, @timed's or the caller's own
 */
struct collect_job {
	struct collect *c;
	struct contig_list **list;
	u64 reserved;
	struct timed_work timed;
	const bool *stop;
};

static bool job_stopped(const struct collect_job *job)
{
	return fatal_signal_pending(current) || READ_ONCE(*job->stop);
}

static void free_lists(struct collect_job *job)
{
	int nid;

	if (!job->list)
		return;
	for_each_node_mask(nid, job->c->nodes)
		contig_list_free(job->list[nid]);
	kfree(job->list);
	job->list = NULL;
}

/* Look for candidates on every node; refuse what cannot work. */
static int make_lists(struct collect_job *job)
{
	struct collect *c = job->c;
	unsigned int candidates = 0;
	int nid, ret;

	job->list = kcalloc(nr_node_ids, sizeof(*job->list), GFP_KERNEL);
	if (!job->list)
		return -ENOMEM;
	for_each_node_mask(nid, c->nodes) {
		u64 before = c->time.scan;
		struct contig_list *list = contig_list_make(nid, &c->time);

		if (IS_ERR(list)) {
			ret = PTR_ERR(list);
			goto err_free;
		}
		hist_own(HPBUF_STAT_SOURCE_SCAN, c->shift, nid, c->time.scan - before);
		job->list[nid] = list;
		candidates += contig_list_left(list);
	}
	if (candidates >= c->nr)
		return 0;
	ret = job_stopped(job) ? -EINTR : -EBUSY;
err_free:
	free_lists(job);
	return ret;
}

/* ---- from the pool ---- */

/* @nr pages of @p, which lie behind those that were there, are zero and count now. */
static void count_lent(struct collect *c, const struct pool *p, unsigned int nr)
{
	c->pooled[p->nid] += nr;
	WRITE_ONCE(c->got, c->got + nr);
	limit_keep((u64)nr << c->shift);
}

static unsigned int take_ready(struct collect *c, struct pool *p)
{
	unsigned int nr = pool_take(p, false, c->nr - c->got, c->pfn + c->got);

	count_lent(c, p, nr);
	return nr;
}

/* Pages that are to be zeroed belong to nobody before they are. */
static int take_dirty(struct collect_job *job, struct pool *p)
{
	struct collect *c = job->c;
	unsigned int nr = pool_take(p, true, c->nr - c->got, c->pfn + c->got);
	u64 start = ktime_get_ns();
	unsigned int i;
	int ret;

	if (!nr)
		return 0;
	ret = zero_pages(c->shift, c->pfn + c->got, nr, ZERO_THREADS_MAX, job->stop,
			 &c->thread_ns);
	c->time.zero += ktime_get_ns() - start;
	if (ret) {
		for (i = 0; i < nr; i++) {
			if (pool_give(p, c->pfn[c->got + i], true, false))
				limit_pool_add(1ULL << c->shift);
			else
				contig_put(c->shift, c->pfn[c->got + i]);
		}
		return ret;
	}
	count_lent(c, p, nr);
	return nr;
}

/* What the pool of @nid has, or soon will have. 0 or -EINTR. */
static int get_from_pool(struct collect_job *job, int nid)
{
	struct collect *c = job->c;
	struct pool *p = c->pooled ? pool_of(c->shift, nid) : NULL;
	int ret;

	while (p && c->got < c->nr) {
		if (job_stopped(job))
			return -EINTR;
		if (take_ready(c, p))
			continue;
		ret = take_dirty(job, p);
		if (ret < 0)
			return ret;
		if (!ret && !pool_wait(p))
			break;
	}
	return 0;
}

/* ---- from the system ---- */

static int may_get(struct collect_job *job)
{
	/* Here nothing is half done. */
	try_to_freeze();
	if (job_stopped(job))
		return -EINTR;
	if (!limit_above_floor())
		return -ENOMEM;
	if (!job->c->pooled || !limit_over())
		return 0;
	/* Idle pages go before an allocation fails for max_bytes. */
	pool_trim_to_limit(job->stop);
	return limit_over() ? -ENOSPC : 0;
}

static int get_page_of(struct collect_job *job, int nid, unsigned long *pfn)
{
	struct contig_list *list = job->list ? job->list[nid] : NULL;
	struct collect *c = job->c;
	u64 before = c->time.migrate;
	u64 start = ktime_get_ns();
	int ret;

	if (list)
		ret = contig_get_1g(nid, list, c->gentle, &c->time, pfn);
	else
		ret = contig_get_2m(nid, c->gentle, &c->time, pfn);
	if (!ret)
		stat_page_got(c->shift, nid, ktime_get_ns() - start);
	if (c->time.migrate != before)
		hist_own(HPBUF_STAT_SOURCE_MIGRATE, c->shift, nid, c->time.migrate - before);
	return ret;
}

static int get_one(struct collect_job *job, int nid)
{
	struct collect *c = job->c;
	unsigned long *pfn = &c->pfn[c->got];
	u64 bytes = min_t(u64, 1ULL << c->shift, job->reserved);
	int ret;

	ret = may_get(job);
	if (ret)
		return ret;
	ret = get_page_of(job, nid, pfn);
	if (ret)
		return ret;
	/* Zeroing was part of that, and cannot be told apart. */
	if (contig_zeroed_by_kernel())
		c->time.zero_known = false;
	job->reserved -= bytes;
	limit_unreserve(bytes);
	if (c->pooled)
		limit_keep(1ULL << c->shift);
	WRITE_ONCE(c->got, c->got + 1);
	return 0;
}

/* Zero the pages from @first on, which is what the caller is promised. */
static int zero_fresh(struct collect_job *job, unsigned int first)
{
	struct collect *c = job->c;
	u64 start = ktime_get_ns();
	int ret;

	if (!c->pooled || contig_zeroed_by_kernel() || first == c->got)
		return 0;
	ret = zero_pages(c->shift, c->pfn + first, c->got - first,
			 ZERO_THREADS_MAX, job->stop, &c->thread_ns);
	c->time.zero += ktime_get_ns() - start;
	if (ret) {
		/* The promise stands; the caller takes it back. */
		limit_promise((u64)(c->got - first) << c->shift);
		while (c->got > first) {
			WRITE_ONCE(c->got, c->got - 1);
			contig_put(c->shift, c->pfn[c->got]);
		}
	}
	return ret;
}

/* As many pages as @nid has, up to what is missing. */
static int get_from_node(struct collect_job *job, int nid)
{
	struct collect *c = job->c;
	unsigned int first;
	int ret, zero;

	ret = get_from_pool(job, nid);
	if (ret)
		return ret;
	first = c->got;
	while (c->got < c->nr && !ret) {
		ret = get_one(job, nid);
		cond_resched();
	}
	zero = zero_fresh(job, first);
	return zero ?: ret;
}

static int get_from_nodes(struct collect_job *job)
{
	struct collect *c = job->c;
	int nid, ret;

	ret = get_from_node(job, c->home);
	if (!ret || ret == -EINTR)
		return ret;
	for_each_node_mask(nid, c->nodes) {
		if (nid == c->home)
			continue;
		ret = get_from_node(job, nid);
		if (!ret || ret == -EINTR)
			return ret;
	}
	return ret;
}

/* Refuse before anything is taken what the nodes asked for do not have. */
static bool nodes_can_have(const struct collect *c)
{
	u64 bytes = c->pooled ? pool_bytes(c->shift, &c->nodes) : 0;
	int nid;

	for_each_node_mask(nid, c->nodes)
		bytes += contig_node_bytes(nid);
	return bytes >= (u64)(c->nr - c->got) << c->shift;
}

/* Once over the candidates, or the nodes. */
static int get_pass(struct collect_job *job)
{
	int ret;

	if (job->c->shift == HPBUF_SHIFT_1G) {
		ret = make_lists(job);
		if (ret)
			return ret;
	}
	ret = get_from_nodes(job);
	free_lists(job);
	return ret;
}

/*
 * A page that is held for a moment makes its gigabyte busy. So "busy" is an
 * answer only after some passes, each a while after the last.
 */
#define PASSES		4
#define PASS_PAUSE_MS	50

static int get_all(struct collect_job *job)
{
	int pass, ret;

	if (!nodes_can_have(job->c))
		return -ENOMEM;
	for (pass = 0; ; pass++) {
		ret = get_pass(job);
		if (ret != -EBUSY || pass == PASSES - 1 || job->c->gentle)
			return ret;
		schedule_timeout_killable(msecs_to_jiffies(PASS_PAUSE_MS << pass));
		if (job_stopped(job))
			return -EINTR;
	}
}

/* Promise to leave floor_bytes, for what the pools are not likely to have. */
static int job_reserve(struct collect_job *job)
{
	struct collect *c = job->c;
	u64 bytes = (u64)(c->nr - c->got) << c->shift;
	u64 pooled = c->pooled ? pool_bytes(c->shift, &c->nodes) : 0;
	int ret;

	if (bytes <= pooled)
		return 0;
	ret = limit_reserve(bytes - pooled);
	if (!ret)
		job->reserved = bytes - pooled;
	return ret;
}

static int get_all_timed(struct timed_work *timed)
{
	return get_all(container_of(timed, struct collect_job, timed));
}

static void tell_progress(const struct timed_work *timed, u64 ns)
{
	const struct collect *c = container_of(timed, const struct collect_job, timed)->c;

	event_progress(c->id, c->shift, (u64)c->nr << c->shift,
		       (u64)READ_ONCE(c->got) << c->shift, ns);
}

int collect_pages(struct collect *c)
{
	struct collect_job job = {
		.c = c,
		.timed = {
			.fn = get_all_timed,
			.tell = tell_progress,
			.timeout_ms = c->timeout_ms,
		},
		.stop = &job.timed.stopped,
	};
	struct pool *p = pool_of(c->shift, c->home);
	int ret;

	/* Known as long as no page is zeroed where it cannot be seen. */
	c->time.zero_known = true;
	limit_promise((u64)c->nr << c->shift);
	if (p)
		take_ready(c, p);
	if (c->got == c->nr)
		return 0;
	ret = job_reserve(&job);
	if (!ret) {
		ret = timed_run(&job.timed, "hpbuf-collect");
		limit_unreserve(job.reserved);
		c->thread_ns += job.timed.cpu_ns;
	}
	if (!ret)
		return 0;
	limit_keep((u64)(c->nr - c->got) << c->shift);
	limit_pool_add(collect_put(c->shift, c->got, c->pfn, c->pooled, true));
	return ret;
}

int collect_here(struct collect *c, const bool *stop)
{
	struct collect_job job = { .c = c, .stop = stop };
	int ret;

	ret = job_reserve(&job);
	if (ret)
		return ret;
	ret = get_all(&job);
	limit_unreserve(job.reserved);
	return ret;
}

/* One page leaves a buffer: to the pool if it is short of it, else to the system. */
static bool put_one(unsigned int shift, unsigned long pfn, u32 *pooled, bool zero)
{
	int nid = page_to_nid(pfn_to_page(pfn));
	struct pool *p = pool_of(shift, nid);
	u64 start = ktime_get_ns();
	bool lent = pooled[nid];
	bool kept;

	if (lent)
		pooled[nid]--;
	kept = p && pool_give(p, pfn, lent, zero);
	if (!kept)
		contig_put(shift, pfn);
	hist_own(HPBUF_STAT_SOURCE_FREE, shift, nid, ktime_get_ns() - start);
	return kept;
}

u64 collect_put(unsigned int shift, unsigned int nr, const unsigned long *pfn, u32 *pooled,
		bool zero)
{
	u64 kept = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		kept += put_one(shift, pfn[i], pooled, zero);
		cond_resched();
	}
	return kept << shift;
}
