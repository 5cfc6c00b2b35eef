// SPDX-License-Identifier: GPL-2.0
/* Buffers: made, found, and given back when the last reference goes. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "buf.h"
#include "collect.h"
#include "compat/compat.h"
#include "event.h"
#include "failure.h"
#include "fs.h"
#include "hist.h"
#include "limit.h"
#include "stat.h"

/*
 * Guards the ids, the names, and each buffer's state. Held for look-ups only,
 * never while memory is allocated, zeroed, migrated or freed.
 */
static DEFINE_MUTEX(buf_lock);
static DEFINE_XARRAY_ALLOC1(bufs);
static u32 buf_next_id;
static unsigned int buf_changes = 1;

/* Under buf_lock. 0 means to a dump that it has not begun. */
static void buf_changed(void)
{
	if (!++buf_changes)
		buf_changes = 1;
}

void buf_init(void)
{
	buf_next_id = 1;
}

static struct buf *find_name(const char *name)
{
	unsigned long id;
	struct buf *b;

	xa_for_each(&bufs, id, b)
		if ((b->state == BUF_NEW || b->state == BUF_LIVE) && !strcmp(b->name, name))
			return b;
	return NULL;
}

static void buf_unregister(struct buf *b)
{
	mutex_lock(&buf_lock);
	xa_erase(&bufs, b->id);
	buf_changed();
	mutex_unlock(&buf_lock);
}

/* Reserve an id, and then the name. */
static int buf_register(struct buf *b)
{
	int ret;

	/* Not under the mutex: it may wait for memory. */
	ret = xa_alloc_cyclic(&bufs, &b->id, b, XA_LIMIT(1, INT_MAX), &buf_next_id, GFP_KERNEL);
	if (ret < 0)
		return ret;
	ret = 0;
	mutex_lock(&buf_lock);
	if (b->name[0] && find_name(b->name))
		ret = -EEXIST;
	else
		b->state = BUF_NEW;
	mutex_unlock(&buf_lock);
	if (ret)
		buf_unregister(b);
	return ret;
}

static struct buf *buf_new(const struct buf_spec *spec)
{
	struct buf *b = kzalloc(struct_size(b, node, 2 * nr_node_ids), GFP_KERNEL_ACCOUNT);

	if (!b)
		return NULL;
	b->node_pages = b->node;
	b->node_pooled = b->node + nr_node_ids;
	kref_init(&b->ref);
	mutex_init(&b->check_lock);
	b->owner = current_euid();
	b->payer = limit_payer();
	b->shift = spec->shift;
	b->asked = spec->bytes;
	b->nr = DIV_ROUND_UP_ULL(spec->bytes, 1ULL << spec->shift);
	strscpy(b->name, spec->name, sizeof(b->name));
	return b;
}

/* The shell, when the pages are gone or never were. */
static void buf_destroy(struct buf *b)
{
	kvfree(b->pfn);
	kfree(b);
}

static int buf_make_table(struct buf *b)
{
	b->pfn = kvmalloc_array(b->nr, sizeof(*b->pfn), GFP_KERNEL_ACCOUNT);
	return b->pfn ? 0 : -ENOMEM;
}

static int buf_nid(const struct buf *b, u64 index)
{
	return page_to_nid(pfn_to_page(b->pfn[index]));
}

/* @sign: 1 for pages that came, -1 for those that go */
static void buf_count_used(const struct buf *b, int sign)
{
	int nid;

	for_each_node(nid)
		if (b->node_pages[nid])
			stat_pages_used(b->shift, nid, sign * (s64)b->node_pages[nid]);
}

/* Give all pages back; @zero: nobody has seen them. */
static void buf_drain(struct buf *b, bool zero)
{
	u64 kept;

	buf_count_used(b, -1);
	kept = collect_put(b->shift, b->nr, b->pfn, b->node_pooled, zero);
	limit_uncharge(b->payer, buf_size(b), kept);
}

static int buf_fill(struct buf *b, const struct buf_spec *spec)
{
	struct collect c = {
		.shift = b->shift,
		.nr = b->nr,
		.home = numa_mem_id(),
		.nodes = spec->nodes,
		.timeout_ms = spec->timeout_ms,
		.id = b->id,
	};
	u64 start = ktime_get_ns();
	unsigned int i;
	int nid, ret;

	if (!node_isset(c.home, c.nodes))
		c.home = first_node(c.nodes);
	c.pfn = b->pfn;
	c.pooled = b->node_pooled;
	ret = collect_pages(&c);
	if (ret)
		return ret;
	for (i = 0; i < b->nr; i++)
		b->node_pages[buf_nid(b, i)]++;
	for_each_node_mask(nid, spec->nodes)
		b->pooled += b->node_pooled[nid];
	buf_count_used(b, 1);
	b->time = c.time;
	b->thread_ns = c.thread_ns;
	b->alloc_ns = ktime_get_ns() - start;
	hist_own(HPBUF_STAT_SOURCE_ALLOC, b->shift, buf_nid(b, 0), b->alloc_ns);
	b->created_ns = ktime_get_boottime_ns();
	return 0;
}

struct buf *buf_make(const struct buf_spec *spec)
{
	struct buf *b;
	int ret;

	b = buf_new(spec);
	if (!b)
		return ERR_PTR(-ENOMEM);
	/* Before the charge: nothing that waits lies between that and collecting. */
	ret = buf_make_table(b);
	if (ret)
		goto err_free;
	ret = buf_register(b);
	if (ret)
		goto err_free;
	ret = limit_charge(b->payer, buf_size(b));
	if (ret)
		goto err_unregister;
	ret = buf_fill(b, spec);
	if (ret)
		goto err_uncharge;
	b->inode = fs_inode(b);
	if (IS_ERR(b->inode)) {
		ret = PTR_ERR(b->inode);
		goto err_pages;
	}
	return b;

err_pages:
	buf_drain(b, true);
	goto err_unregister;
err_uncharge:
	limit_uncharge(b->payer, buf_size(b), 0);
err_unregister:
	buf_unregister(b);
err_free:
	buf_destroy(b);
	return ERR_PTR(ret);
}

void buf_publish(struct buf *b, bool persist)
{
	mutex_lock(&buf_lock);
	if (persist) {
		/* The open device keeps the module here while we take this. */
		__module_get(THIS_MODULE);
		kref_get(&b->ref);
		b->persist = true;
	}
	b->state = BUF_LIVE;
	buf_changed();
	mutex_unlock(&buf_lock);
	event_alloc(b);
	/* What failed before others could see the buffer. */
	failure_check(b);
}

void buf_get(struct buf *b)
{
	kref_get(&b->ref);
}

/*
 * Where folios are mapped, pages can be pinned (a pipe, direct I/O, RDMA), and a
 * pin outlives mappings and descriptors. Without those there can be no new one.
 */
static bool buf_pinned(const struct buf *b)
{
	unsigned int i;

	if (!COMPAT_MAP_FOLIO)
		return false;
	for (i = 0; i < b->nr; i++)
		if (page_count(pfn_to_page(b->pfn[i])) != 1)
			return true;
	return false;
}

/* ---- buffers whose memory cannot be given back here and now ---- */

#define LINGER_POLL	msecs_to_jiffies(100)

static void linger_work_fn(struct work_struct *work);

static DEFINE_SPINLOCK(linger_lock);
static LIST_HEAD(linger_bufs);	/* each with the one reference that is left */
static DECLARE_DELAYED_WORK(linger_work, linger_work_fn);

static void linger_add(struct buf *b, unsigned long delay)
{
	spin_lock(&linger_lock);
	list_add_tail(&b->linger, &linger_bufs);
	spin_unlock(&linger_lock);
	schedule_delayed_work(&linger_work, delay);
}

static void linger_work_fn(struct work_struct *work)
{
	struct buf *b, *next;
	LIST_HEAD(todo);

	spin_lock(&linger_lock);
	list_splice_init(&linger_bufs, &todo);
	spin_unlock(&linger_lock);
	list_for_each_entry_safe(b, next, &todo, linger) {
		list_del(&b->linger);
		buf_put(b);
	}
}

void buf_put_later(struct buf *b)
{
	if (!refcount_dec_not_one(&b->ref.refcount))
		linger_add(b, 0);
}

void buf_exit(void)
{
	/* It has let go of the module, but may still be on its way out. */
	cancel_delayed_work_sync(&linger_work);
}

/* ---- the end of a buffer ---- */

/* Nobody else can reach it: the last reference is gone. */
static void buf_release(struct buf *b)
{
	u64 start = ktime_get_ns();
	bool told = b->state != BUF_NEW;

	/* Look-ups find its id until here, but take no reference to it. */
	buf_unregister(b);
	buf_drain(b, false);
	b->free_ns = ktime_get_ns() - start ?: 1;
	if (told)
		event_free(b);
	fs_drop(b->inode);
}

/*
 * Pinned pages stay charged, and the buffer listed, until the pins are gone. It
 * can no longer be opened.
 */
static void buf_revive(struct buf *b)
{
	mutex_lock(&buf_lock);
	b->state = BUF_FREED;
	buf_changed();
	kref_init(&b->ref);
	mutex_unlock(&buf_lock);
	linger_add(b, LINGER_POLL);
}

static void buf_last_put(struct kref *ref)
{
	/* What the last reference decides is in buf_put(). */
}

u64 buf_put(struct buf *b)
{
	u64 ns;

	if (!kref_put(&b->ref, buf_last_put))
		return 0;
	if (buf_pinned(b)) {
		buf_revive(b);
		return 0;
	}
	buf_release(b);
	ns = b->free_ns;
	buf_destroy(b);
	return ns;
}

static bool buf_visible(const struct buf *b)
{
	return b->state == BUF_LIVE || b->state == BUF_FREED;
}

struct buf *buf_find(u32 id, const char *name, bool freed_too)
{
	struct buf *b;

	mutex_lock(&buf_lock);
	b = id ? xa_load(&bufs, id) : find_name(name);
	if (b && !(b->state == BUF_LIVE || (freed_too && b->state == BUF_FREED)))
		b = NULL;
	if (b && !kref_get_unless_zero(&b->ref))
		b = NULL;
	mutex_unlock(&buf_lock);
	return b;
}

struct buf *buf_next(u32 id)
{
	unsigned long index = id;
	struct buf *b;

	mutex_lock(&buf_lock);
	xa_for_each_start(&bufs, index, b, id)
		if (buf_visible(b) && kref_get_unless_zero(&b->ref))
			break;
	mutex_unlock(&buf_lock);
	return b;
}

unsigned int buf_generation(void)
{
	return READ_ONCE(buf_changes);
}

bool buf_owned(const struct buf *b)
{
	return uid_eq(b->owner, current_euid()) || capable(CAP_SYS_ADMIN);
}

int buf_unpersist(struct buf *b)
{
	int ret = 0;

	mutex_lock(&buf_lock);
	if (b->state == BUF_FREED)
		ret = -ENOENT;
	else if (!b->persist)
		ret = -EINVAL;
	else
		b->state = BUF_FREED;
	if (!ret)
		b->persist = false;
	mutex_unlock(&buf_lock);
	if (!ret)
		module_put(THIS_MODULE);
	return ret;
}

void buf_account_fault(struct buf *b, u64 index, u64 ns)
{
	s64 max = atomic64_read(&b->fault_max_ns);

	hist_own(HPBUF_STAT_SOURCE_FAULT, b->shift, buf_nid(b, index), ns);
	atomic64_inc(&b->faults);
	atomic64_add(ns, &b->fault_ns);
	while ((s64)ns > max && !atomic64_try_cmpxchg(&b->fault_max_ns, &max, ns))
		;
}
