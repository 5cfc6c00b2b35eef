// SPDX-License-Identifier: GPL-2.0
/*
 * Getting the pages of a buffer within a time limit.
 *
 * One call into the page allocator may migrate for many seconds, and nothing
 * but SIGKILL to the thread that makes it ends it. So that thread is one of our
 * own: when the limit passes, or its caller is being killed, it gets the signal
 * and the caller does not.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/hpbuf.h>

#include "collect.h"
#include "hist.h"
#include "limit.h"
#include "stat.h"

/*
 * @list: candidates for 1 GiB pages by node; NULL for 2 MiB
 * @stop: set before the signal, which a thread that has just begun may miss
 */
struct collect_job {
	struct collect *c;
	struct contig_list **list;
	struct completion done;
	unsigned int got;
	bool stop;
	int ret;
};

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
	ret = fatal_signal_pending(current) ? -EINTR : -EBUSY;
err_free:
	free_lists(job);
	return ret;
}

static int get_one(struct collect_job *job, int nid, unsigned long *pfn)
{
	struct contig_list *list = job->list ? job->list[nid] : NULL;
	struct collect *c = job->c;
	struct contig_time before = c->time;
	u64 start = ktime_get_ns();
	int ret;

	if (fatal_signal_pending(current) || READ_ONCE(job->stop))
		return -EINTR;
	if (!limit_above_floor())
		return -ENOMEM;
	if (list)
		ret = contig_get_1g(nid, list, &c->time, pfn);
	else
		ret = contig_get_2m(nid, &c->time, pfn);
	if (!ret)
		stat_page_got(c->shift, nid, ktime_get_ns() - start);
	if (c->time.migrate != before.migrate)
		hist_own(HPBUF_STAT_SOURCE_MIGRATE, c->shift, nid,
			 c->time.migrate - before.migrate);
	if (c->time.zero != before.zero)
		hist_own(HPBUF_STAT_SOURCE_ZERO, c->shift, nid, c->time.zero - before.zero);
	return ret;
}

/* As many pages as @nid has, up to what is missing. */
static int get_from_node(struct collect_job *job, int nid)
{
	struct collect *c = job->c;
	int ret = 0;

	while (job->got < c->nr) {
		ret = get_one(job, nid, &c->pfn[job->got]);
		if (ret)
			break;
		job->got++;
		limit_unreserve(1ULL << c->shift);
		cond_resched();
	}
	return ret;
}

static int get_from_nodes(struct collect_job *job)
{
	struct collect *c = job->c;
	int nid, ret = -EBUSY;

	if (node_isset(c->home, c->nodes)) {
		ret = get_from_node(job, c->home);
		if (!ret || ret == -EINTR)
			return ret;
	}
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
	u64 bytes = 0;
	int nid;

	for_each_node_mask(nid, c->nodes)
		bytes += contig_node_bytes(nid);
	return bytes >= (u64)c->nr << c->shift;
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
		if (ret != -EBUSY || pass == PASSES - 1)
			return ret;
		schedule_timeout_killable(msecs_to_jiffies(PASS_PAUSE_MS << pass));
		if (fatal_signal_pending(current) || READ_ONCE(job->stop))
			return -EINTR;
	}
}

static int collect_thread(void *arg)
{
	struct collect_job *job = arg;

	allow_kernel_signal(SIGKILL);
	job->ret = get_all(job);
	complete(&job->done);

	/* Stay until kthread_stop(): the module must not go before this returns. */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* 0 when the job ended by itself, else why it was stopped. */
static int wait_for_job(struct collect_job *job, struct task_struct *thread)
{
	long left;

	left = wait_for_completion_killable_timeout(&job->done,
						    msecs_to_jiffies(job->c->timeout_ms));
	if (left > 0)
		return 0;
	WRITE_ONCE(job->stop, true);
	send_sig(SIGKILL, thread, 1);
	wait_for_completion(&job->done);
	return left ? -EINTR : -ETIMEDOUT;
}

/* On the CPUs and at the priority of the caller, whose work it does. */
static struct task_struct *collect_start(struct collect_job *job)
{
	struct task_struct *thread = kthread_create(collect_thread, job, "hpbuf-collect");

	if (IS_ERR(thread))
		return thread;
	set_user_nice(thread, task_nice(current));
	set_cpus_allowed_ptr(thread, current->cpus_ptr);
	wake_up_process(thread);
	return thread;
}

static int run_job(struct collect_job *job)
{
	struct task_struct *thread;
	int stopped, ret;

	init_completion(&job->done);
	thread = collect_start(job);
	if (IS_ERR(thread))
		return PTR_ERR(thread) == -EINTR ? -EINTR : -ENOMEM;
	stopped = wait_for_job(job, thread);
	kthread_stop(thread);

	ret = job->ret;
	/* A job that was done just as the time ran out is done. */
	if (ret == -EINTR && stopped)
		ret = stopped;
	if (fatal_signal_pending(current))
		ret = -EINTR;
	return ret;
}

int collect_pages(struct collect *c)
{
	struct collect_job job = { .c = c };
	int ret;

	ret = limit_reserve((u64)c->nr << c->shift);
	if (ret)
		return ret;
	ret = run_job(&job);
	limit_unreserve((u64)(c->nr - job.got) << c->shift);
	if (ret)
		collect_put(c->shift, job.got, c->pfn);
	return ret;
}

void collect_put(unsigned int shift, unsigned int nr, const unsigned long *pfn)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		int nid = page_to_nid(pfn_to_page(pfn[i]));
		u64 ns, start = ktime_get_ns();

		contig_put(shift, pfn[i]);
		ns = ktime_get_ns() - start;
		stat_page_put(shift, nid, ns);
		hist_own(HPBUF_STAT_SOURCE_FREE, shift, nid, ns);
		cond_resched();
	}
}
