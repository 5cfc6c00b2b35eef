// SPDX-License-Identifier: GPL-2.0
/*
 * Filling the pools, in a thread of its own: one call into the page allocator may
 * take seconds, and only SIGKILL to the thread that makes it ends it.
 *
 * What an administrator asks for is worked at as fast as it goes. What pressure has
 * taken comes back slowly, and only while memory is plenty.
 */
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/wait.h>
#include <linux/hpbuf.h>

#include "collect.h"
#include "contig.h"
#include "limit.h"
#include "pool.h"
#include "pool_fill.h"

/* The most pages that are got before they are handed to the pool. */
#define BATCH_2M	64
#define BATCH_1G	1

/* After pressure; then a batch each second; after failures up to five minutes. */
#define LATER		(10 * HZ)
#define PACE		HZ
#define BACKOFF_MAX	(300 * HZ)

static struct task_struct *fill_task;
static DECLARE_WAIT_QUEUE_HEAD(fill_wait);
static bool fill_kicked;
static bool fill_stop;	/* end the attempt under way */
static bool fill_asleep;	/* begin none, as the machine is going to sleep */

bool fill_is_current(void)
{
	return current == READ_ONCE(fill_task);
}

/* Wake the thread; with @abort out of what it is at. */
static void fill_kick(bool abort)
{
	WRITE_ONCE(fill_kicked, true);
	if (abort) {
		WRITE_ONCE(fill_stop, true);
		send_sig(SIGKILL, fill_task, 1);
	}
	wake_up(&fill_wait);
}

void fill_set(struct pool *p, u64 want, u64 least, bool partial)
{
	spin_lock(&p->lock);
	if (!p->filling) {
		p->back_want = p->want;
		p->back_min = p->min;
	}
	p->want = want;
	p->min = min(least, want);
	p->partial = partial;
	p->filling = true;
	p->failing = false;
	p->error = 0;
	p->got = 0;
	p->backoff = 0;
	p->setting++;
	spin_unlock(&p->lock);
	/* Whatever is under way, this goes first. */
	fill_kick(true);
}

void fill_want(struct pool *p, u64 want)
{
	spin_lock(&p->lock);
	p->want = want;
	p->min = min(p->min, want);
	p->filling = false;
	p->failing = false;
	p->error = 0;
	p->got = 0;
	p->next = jiffies;
	p->backoff = 0;
	p->setting++;
	spin_unlock(&p->lock);
	fill_kick(true);
}

void fill_look_again(void)
{
	fill_kick(false);
}

void fill_later(struct pool *p)
{
	spin_lock(&p->lock);
	p->next = jiffies + LATER;
	spin_unlock(&p->lock);
	fill_kick(false);
}

/* ---- one pool ---- */

/* Up to @nr pages into @pfn; how many in @got. Returns why not all, or 0. */
static int get_pages(struct pool *p, unsigned int nr, bool gentle, unsigned long *pfn,
		     unsigned int *got)
{
	struct collect c = {
		.shift = p->shift,
		.nr = nr,
		.home = p->nid,
		.nodes = nodemask_of_node(p->nid),
		.gentle = gentle,
		.pfn = pfn,
	};
	int ret;

	*got = 0;
	ret = limit_pool_charge((u64)nr << p->shift);
	if (ret)
		return ret;
	ret = collect_here(&c, &fill_stop);
	limit_pool_uncharge((u64)(nr - c.got) << p->shift);
	*got = c.got;
	return ret;
}

static unsigned int batch_of(const struct pool *p)
{
	return p->shift == HPBUF_SHIFT_1G ? BATCH_1G : BATCH_2M;
}

/* Get a batch, or what is missing if that is less. */
static int fill_batch(struct pool *p, u64 missing, bool gentle)
{
	unsigned int nr = min_t(u64, missing, batch_of(p));
	unsigned long *pfn = kmalloc_array(nr, sizeof(*pfn), GFP_KERNEL);
	unsigned int got, i;
	int ret;

	if (!pfn)
		return -ENOMEM;
	/* Near a limit a part of the batch may still do. */
	for (;; nr /= 2) {
		ret = get_pages(p, nr, gentle, pfn, &got);
		if (!ret || got || nr == 1 || ret == -EINTR)
			break;
	}
	for (i = 0; i < got; i++)
		pool_add(p, pfn[i], contig_zeroed_by_kernel());
	kfree(pfn);
	return got ? 0 : ret;
}

/*
 * struct fill_plan - what a pool wants
 * @setting: that of the pool when it was looked at; what came of an attempt counts for
 *	no other
 * @excess, @missing: pages to give back, or to get
 * @busy: more are too many, but are being zeroed
 * @now: an administrator waits for it
 * @undo: after a failure nothing more is got
 * @delay: jiffies until pages may be got
 */
struct fill_plan {
	unsigned int setting;
	u64 excess, missing, want;
	bool busy, now, undo;
	unsigned long delay;
};

/* A setting is done: all is there, or what was too much is gone. */
static void fill_done(struct pool *p, const struct fill_plan *plan)
{
	spin_lock(&p->lock);
	if (p->setting == plan->setting) {
		if (p->filling && !p->error)
			p->got = pool_all(p);
		p->filling = false;
		p->failing = false;
	}
	spin_unlock(&p->lock);
}

/* Not all could be had, for the reason @err. */
static void fill_failed(struct pool *p, const struct fill_plan *plan, int err)
{
	spin_lock(&p->lock);
	if (p->setting != plan->setting)
		goto unlock;
	if (!p->filling) {
		p->backoff = clamp_t(unsigned long, 2 * p->backoff, HZ, BACKOFF_MAX);
		p->next = jiffies + p->backoff;
		goto unlock;
	}
	p->error = -err;
	p->got = pool_all(p);
	if (p->partial) {
		p->want = pool_all(p);
		p->min = min(p->min, p->want);
	} else {
		p->want = p->back_want;
		p->min = p->back_min;
		p->failing = true;
	}
unlock:
	spin_unlock(&p->lock);
}

static void fill_look(struct pool *p, struct fill_plan *plan)
{
	u64 all;

	spin_lock(&p->lock);
	all = pool_all(p);
	plan->setting = p->setting;
	plan->want = p->want;
	plan->excess = all > p->want ? min(all - p->want, p->nr_ready + p->nr_dirty) : 0;
	plan->busy = all > p->want && p->nr_zeroing;
	plan->missing = all < p->want ? p->want - all : 0;
	plan->now = p->filling;
	plan->undo = p->failing;
	plan->delay = time_after(p->next, jiffies) ? p->next - jiffies : 0;
	spin_unlock(&p->lock);
}

static void fill_paced(struct pool *p, const struct fill_plan *plan)
{
	spin_lock(&p->lock);
	if (p->setting == plan->setting) {
		p->next = jiffies + PACE;
		p->backoff = 0;
	}
	spin_unlock(&p->lock);
}

/* A step for one pool. Returns the jiffies until the next. */
static unsigned long fill_pool(struct pool *p)
{
	struct fill_plan plan;
	int ret;

	fill_look(p, &plan);
	if (plan.excess) {
		pool_trim(p, min_t(u64, plan.excess, batch_of(p)), plan.want);
		return 0;
	}
	/* Whoever zeroes them says when they are done; that is waited for here too. */
	if (plan.busy)
		return PACE;
	if (!plan.missing || plan.undo) {
		if (plan.now)
			fill_done(p, &plan);
		return plan.missing ? PACE : MAX_SCHEDULE_TIMEOUT;
	}
	if (!plan.now && plan.delay)
		return plan.delay;
	if (!plan.now && !limit_plenty(1ULL << p->shift))
		ret = -ENOMEM;
	else
		ret = fill_batch(p, plan.missing, !plan.now);
	if (ret == -EINTR || READ_ONCE(fill_stop))
		return 0;	/* told to look again */
	if (ret)
		fill_failed(p, &plan, ret);
	else if (!plan.now)
		fill_paced(p, &plan);
	return 0;
}

/* ---- all of them ---- */

static unsigned long fill_pools(void)
{
	static const unsigned int shifts[] = { HPBUF_SHIFT_1G, HPBUF_SHIFT_2M };
	unsigned long delay = MAX_SCHEDULE_TIMEOUT;
	int nid, i;

	if (limit_over())
		pool_trim_to_limit(&fill_stop);
	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		for_each_node(nid) {
			struct pool *p = pool_of(shifts[i], nid);

			if (p)
				delay = min(delay, fill_pool(p));
			cond_resched();
		}
	}
	return delay;
}

static int fill_thread(void *arg)
{
	unsigned long delay;

	set_freezable();
	allow_kernel_signal(SIGKILL);
	while (!kthread_should_stop()) {
		WRITE_ONCE(fill_kicked, false);
		flush_signals(current);
		WRITE_ONCE(fill_stop, false);
		/* A kick from here on is seen below, by the flag. */
		if (kthread_should_stop())
			delay = 0;
		else if (READ_ONCE(fill_asleep))
			delay = MAX_SCHEDULE_TIMEOUT;
		else
			delay = fill_pools();
		wait_event_freezable_timeout(fill_wait, READ_ONCE(fill_kicked) ||
					     kthread_should_stop(), delay);
		try_to_freeze();
	}
	return 0;
}

/* A thread that is in the page allocator for seconds could not be frozen. */
static int fill_pm_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		WRITE_ONCE(fill_asleep, true);
		fill_kick(true);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		WRITE_ONCE(fill_asleep, false);
		fill_kick(false);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block fill_pm = {
	.notifier_call = fill_pm_notify,
};

int fill_init(void)
{
	struct task_struct *task = kthread_create(fill_thread, NULL, "hpbuf-fill");

	if (IS_ERR(task))
		return PTR_ERR(task);
	set_user_nice(task, 10);
	WRITE_ONCE(fill_task, task);
	WRITE_ONCE(fill_asleep, false);
	wake_up_process(task);
	register_pm_notifier(&fill_pm);
	return 0;
}

/* The thread must not begin another attempt once it was told to end this one. */
void fill_exit(void)
{
	int nid;

	unregister_pm_notifier(&fill_pm);
	/* It may be on its way to sleep, but the pools are to give their pages back. */
	WRITE_ONCE(fill_asleep, false);
	for_each_node(nid) {
		if (pool_of(HPBUF_SHIFT_2M, nid))
			fill_want(pool_of(HPBUF_SHIFT_2M, nid), 0);
		if (pool_of(HPBUF_SHIFT_1G, nid))
			fill_want(pool_of(HPBUF_SHIFT_1G, nid), 0);
	}
	fill_kick(true);
	kthread_stop(fill_task);
	WRITE_ONCE(fill_task, NULL);
}
