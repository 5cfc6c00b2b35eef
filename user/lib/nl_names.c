// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* Names of the netlink spec's enumerations. */
#include "nl.h"

#define NAME_OF(names, i)	((i) < sizeof(names) / sizeof((names)[0]) ? (names)[i] : "?")

const char *hpbuf_nl_source_name(uint32_t source)
{
	static const char *const names[] = {
		[HPBUF_STAT_SOURCE_ALLOC] = "alloc",
		[HPBUF_STAT_SOURCE_SCAN] = "scan",
		[HPBUF_STAT_SOURCE_MIGRATE] = "migrate",
		[HPBUF_STAT_SOURCE_ZERO] = "zero",
		[HPBUF_STAT_SOURCE_FAULT] = "fault",
		[HPBUF_STAT_SOURCE_FREE] = "free",
		[HPBUF_STAT_SOURCE_SHRINK] = "shrink",
		[HPBUF_STAT_SOURCE_DIRECT_RECLAIM] = "direct-reclaim",
		[HPBUF_STAT_SOURCE_MEMCG_RECLAIM] = "memcg-reclaim",
		[HPBUF_STAT_SOURCE_COMPACTION] = "compaction",
		[HPBUF_STAT_SOURCE_MIGRATION] = "migration",
		[HPBUF_STAT_SOURCE_KSWAPD] = "kswapd",
		[HPBUF_STAT_SOURCE_FAIL] = "fail",
	};

	return NAME_OF(names, source);
}

const char *hpbuf_nl_kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[HPBUF_EVENT_KIND_ALLOC] = "alloc",
		[HPBUF_EVENT_KIND_FREE] = "free",
		[HPBUF_EVENT_KIND_FAIL] = "fail",
		[HPBUF_EVENT_KIND_PROGRESS] = "progress",
		[HPBUF_EVENT_KIND_MEMORY_FAILURE] = "memory-failure",
	};

	return NAME_OF(names, kind);
}

const char *hpbuf_nl_cause_name(uint32_t cause)
{
	static const char *const names[] = {
		[HPBUF_CAUSE_NONE] = "none",
		[HPBUF_CAUSE_INVALID] = "invalid",
		[HPBUF_CAUSE_UNSUPPORTED] = "unsupported",
		[HPBUF_CAUSE_NO_NODE] = "no-node",
		[HPBUF_CAUSE_NAME_TAKEN] = "name-taken",
		[HPBUF_CAUSE_CAP] = "cap",
		[HPBUF_CAUSE_MEMLOCK] = "memlock",
		[HPBUF_CAUSE_NO_MEMORY] = "no-memory",
		[HPBUF_CAUSE_FRAGMENTED] = "fragmented",
		[HPBUF_CAUSE_TIMEOUT] = "timeout",
		[HPBUF_CAUSE_KILLED] = "killed",
		[HPBUF_CAUSE_OTHER] = "other",
	};

	return NAME_OF(names, cause);
}
