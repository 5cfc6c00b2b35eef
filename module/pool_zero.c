// SPDX-License-Identifier: GPL-2.0
/*
 * Zeroing what came back to the pools: on the CPUs of the node, at the lowest
 * priority, and with few threads, as memory bandwidth knows no priority.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/hpbuf.h>

#include "pool.h"
#include "pool_zero.h"
#include "zero.h"

#define THREADS		2
#define BATCH		64

/*
 * From a page's coming back to the thread's waking. Without it the scheduler may let
 * the thread go first, and whoever frees waits for the zeroing after all.
 */
#define WAKE_DELAY	msecs_to_jiffies(10)

/*
 * struct zero_node - the zeroing of one node
 * @stop: end what is under way; what is not zero by then is dirty as before
 */
struct zero_node {
	struct task_struct *task;
	wait_queue_head_t wait;
	struct delayed_work wake;
	int nid;
	bool woken, stop;
	unsigned long pfn[BATCH];
};

static struct zero_node **zero_nodes;	/* by node; NULL where there is no memory */

void pool_zero_wake(int nid)
{
	schedule_delayed_work(&zero_nodes[nid]->wake, WAKE_DELAY);
}

static void wake_work_fn(struct work_struct *work)
{
	struct zero_node *z = container_of(work, struct zero_node, wake.work);

	WRITE_ONCE(z->woken, true);
	wake_up(&z->wait);
}

/* A batch of dirty pages. False when there is none, or this is the end. */
static bool zero_batch(struct zero_node *z, unsigned int shift)
{
	struct pool *p = pool_of(shift, z->nid);
	unsigned int nr = pool_zero_begin(p, shift == HPBUF_SHIFT_1G ? 1 : BATCH, z->pfn);
	int ret;

	if (!nr)
		return false;
	ret = zero_pages(shift, z->pfn, nr, THREADS, &z->stop, NULL);
	pool_zero_end(p, nr, z->pfn, !ret);
	return !ret;
}

static int zero_thread(void *arg)
{
	struct zero_node *z = arg;
	bool more;

	set_freezable();
	while (!kthread_should_stop()) {
		WRITE_ONCE(z->woken, false);
		do {
			more = zero_batch(z, HPBUF_SHIFT_2M);
			more |= zero_batch(z, HPBUF_SHIFT_1G);
			try_to_freeze();
		} while (more);
		wait_event_freezable(z->wait, READ_ONCE(z->woken) || kthread_should_stop());
	}
	return 0;
}

static struct zero_node *zero_node_new(int nid)
{
	struct zero_node *z = kzalloc_node(sizeof(*z), GFP_KERNEL, nid);

	if (!z)
		return NULL;
	init_waitqueue_head(&z->wait);
	INIT_DELAYED_WORK(&z->wake, wake_work_fn);
	z->nid = nid;
	z->task = kthread_create_on_node(zero_thread, z, nid, "hpbuf-zero/%d", nid);
	if (IS_ERR(z->task)) {
		kfree(z);
		return NULL;
	}
	set_user_nice(z->task, MAX_NICE);
	/* A node may have memory and no CPU. */
	if (!cpumask_empty(cpumask_of_node(nid)))
		set_cpus_allowed_ptr(z->task, cpumask_of_node(nid));
	wake_up_process(z->task);
	return z;
}

int pool_zero_init(void)
{
	int nid;

	zero_nodes = kcalloc(nr_node_ids, sizeof(*zero_nodes), GFP_KERNEL);
	if (!zero_nodes)
		return -ENOMEM;
	for_each_node(nid) {
		if (!pool_of(HPBUF_SHIFT_2M, nid))
			continue;
		zero_nodes[nid] = zero_node_new(nid);
		if (!zero_nodes[nid]) {
			pool_zero_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void pool_zero_exit(void)
{
	struct zero_node *z;
	int nid;

	for_each_node(nid) {
		z = zero_nodes[nid];
		if (!z)
			continue;
		cancel_delayed_work_sync(&z->wake);
		WRITE_ONCE(z->stop, true);
		kthread_stop(z->task);
		kfree(z);
	}
	kfree(zero_nodes);
	zero_nodes = NULL;
}
