// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/proc.h"

#define POOL_FREE(kb)	"/sys/kernel/mm/hugepages/hugepages-" #kb "kB/free_hugepages"

static const char *const field_names[STAGE_FIELDS] = {
	[STAGE_NS] = "ns",
	[STAGE_MINFLT] = "minor_faults",
	[STAGE_MAJFLT] = "major_faults",
	[STAGE_USER] = "user_ns",
	[STAGE_SYSTEM] = "system_ns",
	[STAGE_PTE] = "pte_bytes",
	[STAGE_RSS] = "rss_bytes",
	[STAGE_SWAP] = "swap_bytes",
	[STAGE_HUGETLB] = "hugetlb_bytes",
	[STAGE_ANON_HUGE] = "system_anon_huge_bytes",
	[STAGE_POOL_2M] = "pool_2m_free_bytes",
	[STAGE_POOL_1G] = "pool_1g_free_bytes",
};

static int64_t tv_ns(const struct timeval *a, const struct timeval *b)
{
	return (int64_t)(b->tv_sec - a->tv_sec) * 1000000000 +
	       (int64_t)(b->tv_usec - a->tv_usec) * 1000;
}

/* Nothing here walks this process's page tables: see proc_smaps(). */
static void put_memory(struct stage *s)
{
	struct proc_status ps;
	uint64_t v;

	proc_status(&ps);
	s->v[STAGE_PTE] = ps.pte;
	s->v[STAGE_RSS] = ps.rss;
	s->v[STAGE_SWAP] = ps.swap;
	s->v[STAGE_HUGETLB] = ps.hugetlb;
	s->v[STAGE_ANON_HUGE] = proc_field("/proc/meminfo", "AnonHugePages:", &v) ?
				(int64_t)(v * 1024) : -1;
	s->v[STAGE_POOL_2M] = proc_u64(POOL_FREE(2048), &v) ? (int64_t)v << 21 : -1;
	s->v[STAGE_POOL_1G] = proc_u64(POOL_FREE(1048576), &v) ? (int64_t)v << 30 : -1;
}

void stage_begin(struct stage_clock *c)
{
	getrusage(RUSAGE_SELF, &c->ru);
	c->ns = clock_ns();
}

struct stage *stage_end(struct stage_clock *c, struct stages *to, const char *name)
{
	uint64_t end = clock_ns();
	struct rusage ru;
	struct stage *s;

	getrusage(RUSAGE_SELF, &ru);
	if (to->nr == STAGE_MAX)
		return NULL;
	s = &to->s[to->nr++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->v[STAGE_NS] = (int64_t)(end - c->ns);
	s->v[STAGE_MINFLT] = ru.ru_minflt - c->ru.ru_minflt;
	s->v[STAGE_MAJFLT] = ru.ru_majflt - c->ru.ru_majflt;
	s->v[STAGE_USER] = tv_ns(&c->ru.ru_utime, &ru.ru_utime);
	s->v[STAGE_SYSTEM] = tv_ns(&c->ru.ru_stime, &ru.ru_stime);
	put_memory(s);
	return s;
}

const struct stage *stage_find(const struct stages *st, const char *name)
{
	for (unsigned int i = 0; i < st->nr; i++)
		if (!strcmp(st->s[i].name, name))
			return &st->s[i];
	return NULL;
}

static int cmp_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static json_t *median_json(const struct stages *runs, unsigned int nr, unsigned int st,
			   unsigned int field)
{
	int64_t v[nr], mid;

	for (unsigned int r = 0; r < nr; r++)
		v[r] = runs[r].s[st].v[field];
	/* cppcheck-suppress uninitvar ; stages_json() asks for no median of no runs */
	qsort(v, nr, sizeof(v[0]), cmp_i64);
	/* The lower one of two: a figure that was really read. */
	mid = v[(nr - 1) / 2];
	return mid < 0 ? json_null() : json_integer(mid);
}

json_t *stages_json(const struct stages *runs, unsigned int nr)
{
	json_t *list = json_array();

	for (unsigned int st = 0; nr && st < runs[0].nr; st++) {
		json_t *o = json_object(), *samples = json_array();

		json_object_set_new(o, "name", json_string(runs[0].s[st].name));
		for (unsigned int f = 0; f < STAGE_FIELDS; f++)
			json_object_set_new(o, field_names[f], median_json(runs, nr, st, f));
		for (unsigned int r = 0; r < nr; r++)
			json_array_append_new(samples,
					      json_integer(runs[r].s[st].v[STAGE_NS]));
		json_object_set_new(o, "samples_ns", samples);
		json_array_append_new(list, o);
	}
	return list;
}
