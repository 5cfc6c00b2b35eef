// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own reclaim, compaction and migration, seen through its
 * tracepoints. While tracing is off nothing is registered and nothing is paid.
 *
 * Reclaim sleeps and moves between CPUs, so what is under way is kept by task,
 * in a table of fixed size: within reclaim nothing can be allocated.
 */
#include <linux/atomic.h>
#include <linux/cgroup.h>
#include <linux/compaction.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "hist.h"
#include "reclaim.h"
#include "stall.h"

/* ---- operations under way ---- */

#define SLOT_BITS	9
#define SLOT_PROBES	16

/* @task: whose operation it is, NULL when free. The rest is the owner's. */
struct slot {
	struct task_struct *task;
	u64 start;
	int order;
};

struct slot_table {
	struct slot slot[1 << SLOT_BITS];
};

enum { DIRECT, MEMCG, COMPACT, MIGRATE, TABLES };

static struct slot_table tables[TABLES];
static u64 kswapd_start[MAX_NUMNODES];
static atomic64_t untracked;

static struct slot *slot_probe(struct slot_table *t, unsigned int i)
{
	return &t->slot[(hash_ptr(current, SLOT_BITS) + i) & ((1 << SLOT_BITS) - 1)];
}

static struct slot *slot_find(struct slot_table *t)
{
	unsigned int i;

	for (i = 0; i < SLOT_PROBES; i++)
		if (READ_ONCE(slot_probe(t, i)->task) == current)
			return slot_probe(t, i);
	return NULL;
}

static struct slot *slot_take(struct slot_table *t)
{
	struct slot *s = slot_find(t);
	unsigned int i;

	/* One whose end was never seen, since tracing began in its middle. */
	if (s)
		return s;
	for (i = 0; i < SLOT_PROBES; i++)
		if (!cmpxchg(&slot_probe(t, i)->task, NULL, current))
			return slot_probe(t, i);
	return NULL;
}

/* ---- what is wanted ---- */

static DEFINE_MUTEX(reclaim_lock);	/* changes */
static struct reclaim_set now;
static bool reclaim_closed;

static bool in_cgroup(u64 id)
{
	struct cgroup *c;
	bool in = false;

	rcu_read_lock();
	for (c = task_dfl_cgroup(current); c && !in; c = cgroup_parent(c))
		in = cgroup_id(c) == id;
	rcu_read_unlock();
	return in;
}

static bool wanted(void)
{
	u32 tgid = READ_ONCE(now.tgid);
	u64 cgroup = READ_ONCE(now.cgroup);

	return (!tgid || tgid == (u32)current->tgid) && (!cgroup || in_cgroup(cgroup));
}

static void ended(enum hpbuf_stat_source source, u64 start, int order, u64 pages, u64 failed)
{
	u64 threshold = READ_ONCE(now.threshold_ns);
	u64 ns = ktime_get_ns() - start;

	hist_kernel_end(source, ns, pages == STALL_NO_PAGES ? 0 : pages, failed);
	if (threshold && ns > threshold)
		stall_report(source, ns, order, pages);
}

static void task_begin(int table, enum hpbuf_stat_source source, int order)
{
	struct slot *s;

	if (!wanted())
		return;
	hist_kernel_begin(source);
	s = slot_take(&tables[table]);
	if (!s) {
		atomic64_inc(&untracked);
		return;
	}
	s->order = order;
	s->start = ktime_get_ns();
}

static void task_end(int table, enum hpbuf_stat_source source, u64 pages, u64 failed)
{
	struct slot *s = slot_find(&tables[table]);
	u64 start;
	int order;

	if (!s)
		return;
	start = s->start;
	order = s->order;
	/* Whoever takes it next must not see it change after that. */
	smp_store_release(&s->task, NULL);
	ended(source, start, order, pages, failed);
}

/* ---- probes ---- */

static void on_direct_begin(void *data, COMPAT_RECLAIM_BEGIN)
{
	task_begin(DIRECT, HPBUF_STAT_SOURCE_DIRECT_RECLAIM, order);
}

static void on_direct_end(void *data, COMPAT_RECLAIM_END)
{
	task_end(DIRECT, HPBUF_STAT_SOURCE_DIRECT_RECLAIM, pages, !pages);
}

static void on_memcg_begin(void *data, COMPAT_RECLAIM_BEGIN)
{
	task_begin(MEMCG, HPBUF_STAT_SOURCE_MEMCG_RECLAIM, order);
}

static void on_memcg_end(void *data, COMPAT_RECLAIM_END)
{
	task_end(MEMCG, HPBUF_STAT_SOURCE_MEMCG_RECLAIM, pages, !pages);
}

static void on_compact_begin(void *data, struct compact_control *cc, unsigned long zone_start,
			     unsigned long zone_end, bool sync)
{
	task_begin(COMPACT, HPBUF_STAT_SOURCE_COMPACTION, STALL_NO_ORDER);
}

static void on_compact_end(void *data, struct compact_control *cc, unsigned long zone_start,
			   unsigned long zone_end, bool sync, int status)
{
	task_end(COMPACT, HPBUF_STAT_SOURCE_COMPACTION, STALL_NO_PAGES,
		 status != COMPACT_SUCCESS);
}

static void on_migrate_begin(void *data, COMPAT_MIGRATE_BEGIN)
{
	task_begin(MIGRATE, HPBUF_STAT_SOURCE_MIGRATION, STALL_NO_ORDER);
}

static void on_migrate_end(void *data, COMPAT_MIGRATE_END)
{
	task_end(MIGRATE, HPBUF_STAT_SOURCE_MIGRATION, succeeded, failed);
}

/* It wakes for more while it is awake: the first one counts. */
static void on_kswapd_wake(void *data, int nid, int zid, int order)
{
	if (!wanted())
		return;
	hist_kernel_begin(HPBUF_STAT_SOURCE_KSWAPD);
	cmpxchg(&kswapd_start[nid], 0, ktime_get_ns());
}

static void on_kswapd_sleep(void *data, int nid)
{
	u64 start = xchg(&kswapd_start[nid], 0);

	if (start)
		ended(HPBUF_STAT_SOURCE_KSWAPD, start, STALL_NO_ORDER, STALL_NO_PAGES, 0);
}

#define PROBE(_name, _probe)						\
	{ .name = #_name, .probe = (void *)(_probe) }

struct reclaim_probe {
	const char *name;
	void *probe;
	struct tracepoint *tp;
};

static struct reclaim_probe probes[] = {
	PROBE(mm_vmscan_direct_reclaim_begin, on_direct_begin),
	PROBE(mm_vmscan_direct_reclaim_end, on_direct_end),
	PROBE(mm_vmscan_memcg_reclaim_begin, on_memcg_begin),
	PROBE(mm_vmscan_memcg_reclaim_end, on_memcg_end),
	PROBE(mm_compaction_begin, on_compact_begin),
	PROBE(mm_compaction_end, on_compact_end),
	PROBE(mm_migrate_pages_start, on_migrate_begin),
	PROBE(mm_migrate_pages, on_migrate_end),
	PROBE(mm_vmscan_kswapd_wake, on_kswapd_wake),
	PROBE(mm_vmscan_kswapd_sleep, on_kswapd_sleep),
};

/* Never runs: the compiler holds each probe against its tracepoint. */
static void __maybe_unused check_probes(void)
{
	check_trace_callback_type_mm_vmscan_direct_reclaim_begin(on_direct_begin);
	check_trace_callback_type_mm_vmscan_direct_reclaim_end(on_direct_end);
#ifdef CONFIG_MEMCG
	check_trace_callback_type_mm_vmscan_memcg_reclaim_begin(on_memcg_begin);
	check_trace_callback_type_mm_vmscan_memcg_reclaim_end(on_memcg_end);
#endif
	check_trace_callback_type_mm_compaction_begin(on_compact_begin);
	check_trace_callback_type_mm_compaction_end(on_compact_end);
	check_trace_callback_type_mm_migrate_pages_start(on_migrate_begin);
	check_trace_callback_type_mm_migrate_pages(on_migrate_end);
	check_trace_callback_type_mm_vmscan_kswapd_wake(on_kswapd_wake);
	check_trace_callback_type_mm_vmscan_kswapd_sleep(on_kswapd_sleep);
}

/* ---- on and off ---- */

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
}

static void probes_unregister(int nr)
{
	while (nr--)
		if (probes[nr].tp)
			tracepoint_probe_unregister(probes[nr].tp, probes[nr].probe, NULL);
	/* Nobody is in a probe after this. */
	tracepoint_synchronize_unregister();
	stall_flush();
	memset(tables, 0, sizeof(tables));
	memset(kswapd_start, 0, sizeof(kswapd_start));
}

/* A kernel without memory cgroups lacks two of them: those stay at zero. */
static int probes_register(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].tp)
			continue;
		ret = tracepoint_probe_register(probes[i].tp, probes[i].probe, NULL);
		if (ret) {
			probes_unregister(i);
			return ret;
		}
	}
	return 0;
}

void reclaim_init(void)
{
	for_each_kernel_tracepoint(match_tracepoint, NULL);
}

void reclaim_get(struct reclaim_set *set)
{
	mutex_lock(&reclaim_lock);
	*set = now;
	mutex_unlock(&reclaim_lock);
}

/* Register or unregister what has changed. */
static int reclaim_switch(bool enable)
{
	int ret = 0;

	if (enable && !now.enabled)
		ret = reclaim_closed ? -ESHUTDOWN : probes_register();
	else if (!enable && now.enabled)
		probes_unregister(ARRAY_SIZE(probes));
	if (!ret)
		now.enabled = enable;
	return ret;
}

int reclaim_change(const struct reclaim_change *c)
{
	int ret = 0;

	mutex_lock(&reclaim_lock);
	if (c->enabled)
		ret = reclaim_switch(*c->enabled);
	if (ret)
		goto out;
	if (c->threshold_ns)
		WRITE_ONCE(now.threshold_ns, *c->threshold_ns);
	if (c->tgid)
		WRITE_ONCE(now.tgid, *c->tgid);
	if (c->cgroup)
		WRITE_ONCE(now.cgroup, *c->cgroup);
out:
	mutex_unlock(&reclaim_lock);
	return ret;
}

void reclaim_exit(void)
{
	mutex_lock(&reclaim_lock);
	reclaim_closed = true;
	reclaim_switch(false);
	mutex_unlock(&reclaim_lock);
}

u64 reclaim_untracked(void)
{
	return atomic64_read(&untracked);
}

u64 reclaim_lost(void)
{
	return stall_lost();
}
