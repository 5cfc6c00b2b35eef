// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts as JSON: what is unknown, or divided by nothing, is null and never 0. */
#include "measure/perf.h"

static json_t *count(int64_t v)
{
	return v < 0 ? json_null() : json_integer(v);
}

static json_t *ratio(int64_t a, int64_t b)
{
	return a < 0 || b <= 0 ? json_null() : json_real((double)a / (double)b);
}

static json_t *part(double running)
{
	return running > 0 ? json_real(running) : json_null();
}

void perf_add(struct perf_counts *to, const struct perf_counts *one)
{
	if (!to->taken) {
		*to = *one;
		return;
	}
	for (int id = 0; id < PERF_IDS; id++)
		to->v[id] = to->v[id] < 0 || one->v[id] < 0 ? -1 : to->v[id] + one->v[id];
	for (int g = 0; g < PERF_GROUPS; g++)
		if (one->running[g] < to->running[g])
			to->running[g] = one->running[g];
}

json_t *perf_json(const struct perf_counts *c)
{
	int64_t user = c->v[PERF_USER_CYCLES], kernel = c->v[PERF_KERNEL_CYCLES];
	/* Walks are counted in both modes, where they are. */
	int64_t cycles = user < 0 || kernel < 0 ? -1 : user + kernel;
	bool any = false;

	for (int id = 0; id < PERF_PAGE_FAULTS; id++)
		any = any || (c->taken && c->v[id] >= 0);
	if (!any)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "dtlb_loads", count(c->v[PERF_DTLB_LOADS]),
			 "dtlb_misses", count(c->v[PERF_DTLB_MISSES]),
			 "dtlb_miss_share", ratio(c->v[PERF_DTLB_MISSES], c->v[PERF_DTLB_LOADS]),
			 "walks", count(c->v[PERF_WALKS]),
			 "walk_cycles", count(c->v[PERF_WALK_CYCLES]),
			 "cycles_per_walk", ratio(c->v[PERF_WALK_CYCLES], c->v[PERF_WALKS]),
			 "walk_cycle_share", ratio(c->v[PERF_WALK_CYCLES], cycles),
			 "user_cycles", count(user),
			 "kernel_cycles", count(kernel),
			 "page_faults", count(c->v[PERF_PAGE_FAULTS]),
			 "running_cycles", part(c->running[PERF_GROUP_CYCLES]),
			 "running_dtlb", part(c->running[PERF_GROUP_TLB]));
}

json_t *perf_faults_json(const struct perf_counts *c)
{
	return c->taken ? count(c->v[PERF_PAGE_FAULTS]) : json_null();
}
