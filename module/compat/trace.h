/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of reclaim and memory failures: what their probes get on this kernel. That a
 * probe fits is checked by the compiler, see check_probes() in reclaim.c.
 */
#ifndef HPBUF_COMPAT_TRACE_H
#define HPBUF_COMPAT_TRACE_H

#include <linux/migrate_mode.h>
#include <linux/types.h>

#include "probed.h"

struct compact_control;
struct mem_cgroup;

#include <trace/events/compaction.h>
#include <trace/events/migrate.h>
#include <trace/events/vmscan.h>

/* Has moved out of the RAS events. */
#ifdef HPBUF_HAVE_TRACE_MEMORY_FAILURE
#include <trace/events/memory-failure.h>
#else
#include <ras/ras_event.h>
#endif

#ifdef HPBUF_HAVE_TRACE_RECLAIM_MEMCG
#define COMPAT_RECLAIM_BEGIN	gfp_t gfp, int order, struct mem_cgroup *memcg
#define COMPAT_RECLAIM_END	unsigned long pages, struct mem_cgroup *memcg
#else
#define COMPAT_RECLAIM_BEGIN	int order, gfp_t gfp
#define COMPAT_RECLAIM_END	unsigned long pages
#endif

#ifdef HPBUF_HAVE_TRACE_MIGRATE_REASON
#define COMPAT_MIGRATE_REASON	enum migrate_reason reason
#else
#define COMPAT_MIGRATE_REASON	int reason
#endif

#ifdef HPBUF_HAVE_TRACE_MIGRATE_LARGE
#define COMPAT_MIGRATE_LARGE	unsigned long large_folio_split,
#else
#define COMPAT_MIGRATE_LARGE
#endif

#define COMPAT_MIGRATE_BEGIN	enum migrate_mode mode, COMPAT_MIGRATE_REASON
#define COMPAT_MIGRATE_END						\
	unsigned long succeeded, unsigned long failed,			\
	unsigned long thp_succeeded, unsigned long thp_failed,		\
	unsigned long thp_split, COMPAT_MIGRATE_LARGE			\
	enum migrate_mode mode, COMPAT_MIGRATE_REASON

/* Does nothing: the compiler holds the probe against the tracepoint. */
static inline void compat_check_memory_failure(void (*probe)(void *data, unsigned long pfn,
							     int type, int result))
{
#ifdef CONFIG_MEMORY_FAILURE
	check_trace_callback_type_memory_failure_event(probe);
#endif
}

#endif
