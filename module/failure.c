// SPDX-License-Identifier: GPL-2.0
/*
 * Memory failures in buffers.
 *
 * memory_failure() finds whom to tell by the LRU or by hugetlb, and our pages are
 * neither: it marks them and lets everybody go on. So its tracepoint tells us; the
 * page is unmapped from wherever it is, and whoever touches it gets SIGBUS.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "buf.h"
#include "compat/trace.h"
#include "event.h"
#include "failure.h"
#include "poison.h"

static unsigned int count_poisoned(const struct buf *b)
{
	unsigned int i, nr = 0;

	for (i = 0; i < b->nr; i++) {
		nr += poison_in(b->shift, b->pfn[i]);
		cond_resched();
	}
	return nr;
}

/* A fault that is under way is waited for; those that come later look for themselves. */
static void set_poisoned(struct buf *b, struct address_space *mapping, unsigned int nr)
{
	filemap_invalidate_lock(mapping);
	WRITE_ONCE(b->poisoned, nr);
	filemap_invalidate_unlock(mapping);
}

static void unmap_poisoned(struct buf *b, struct address_space *mapping)
{
	loff_t size = 1LL << b->shift;
	unsigned int i;

	for (i = 0; i < b->nr; i++) {
		cond_resched();
		if (!poison_in(b->shift, b->pfn[i]))
			continue;
		/* No fault may set a table beside what is being taken away. */
		filemap_invalidate_lock(mapping);
		unmap_mapping_range(mapping, i * size, size, 1);
		filemap_invalidate_unlock(mapping);
	}
}

void failure_check(struct buf *b)
{
	struct address_space *mapping = b->inode->i_mapping;
	unsigned int nr, was;

	if (!poison_seen())
		return;
	/* One look at a time: an older count must not replace a newer one. */
	mutex_lock(&b->check_lock);
	was = b->poisoned;
	nr = count_poisoned(b);
	set_poisoned(b, mapping, nr);
	if (nr)
		unmap_poisoned(b, mapping);
	mutex_unlock(&b->check_lock);
	if (nr <= was)
		return;
	pr_warn("hpbuf: memory failure in buffer %u: %u of %u pages\n", b->id, nr, b->nr);
	event_failure(b, nr - was);
}

/* All buffers, and not a list of pages: failures are rare, and none can be missed. */
static void failure_work_fn(struct work_struct *work)
{
	struct buf *b;
	u32 id = 1;

	while ((b = buf_next(id))) {
		id = b->id + 1;
		failure_check(b);
		buf_put(b);
	}
}

static DECLARE_WORK(failure_work, failure_work_fn);

static void on_memory_failure(void *data, unsigned long pfn, int type, int result)
{
	poison_note();
	queue_work(system_long_wq, &failure_work);
}

static struct tracepoint *failure_tp;

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	compat_check_memory_failure(on_memory_failure);
	if (!strcmp(tp->name, "memory_failure_event"))
		failure_tp = tp;
}

/* A kernel that does not handle memory failures has nothing to tell. */
int failure_init(void)
{
	for_each_kernel_tracepoint(match_tracepoint, NULL);
	if (!failure_tp)
		return 0;
	return tracepoint_probe_register(failure_tp, (void *)on_memory_failure, NULL);
}

void failure_exit(void)
{
	if (!failure_tp)
		return;
	tracepoint_probe_unregister(failure_tp, (void *)on_memory_failure, NULL);
	tracepoint_synchronize_unregister();
	cancel_work_sync(&failure_work);
}
