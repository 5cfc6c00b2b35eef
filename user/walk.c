// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk.h"

#include <stdlib.h>

#include "module.h"

static const char *const level_names[HPBUF_NL_LEVELS] = { "pte", "pmd", "pud" };

static double to_ns(const struct hpbuf_nl_walk_time *w, double ticks)
{
	return ticks * 1e6 / w->tsc_khz;
}

static json_t *hist_json(const struct hpbuf_nl_ticks *t)
{
	json_t *list;

	if (!t->nr_hist)
		return json_null();
	list = json_array();
	for (uint32_t i = 0; i < t->nr_hist; i++)
		json_array_append_new(list, json_integer(t->hist[i]));
	return list;
}

static json_t *ticks_json(const struct hpbuf_nl_ticks *t)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
			 "p0", (json_int_t)t->p0, "p10", (json_int_t)t->p10,
			 "p50", (json_int_t)t->p50, "p90", (json_int_t)t->p90,
			 "p99", (json_int_t)t->p99, "p100", (json_int_t)t->p100,
			 "hist", hist_json(t));
}

static json_t *level_json(const struct hpbuf_nl_walk_time *w, int i)
{
	const struct hpbuf_nl_level *l = &w->level[i];

	if (!l->samples)
		return json_null();
	return json_pack("{s:I, s:o, s:o, s:o}", "samples", (json_int_t)l->samples,
			 "hit_ticks", ticks_json(&l->hit),
			 "warm_ticks", ticks_json(&l->warm),
			 "cold_ticks", w->has_cold ? ticks_json(&l->cold) : json_null());
}

static void put_real(json_t *o, const char *key, bool known, double value)
{
	json_object_set_new(o, key, known ? json_real(value) : json_null());
}

static void put_ticks(json_t *o, const char *key, bool known, uint32_t ticks)
{
	json_object_set_new(o, key, known ? json_integer(ticks) : json_null());
}

/* A miss at the p50 and p90 less a hit at the same. */
static void put_cost(json_t *o, const char *p50, const char *p90, bool known,
		     const struct hpbuf_nl_walk_time *w, const struct hpbuf_nl_ticks *miss,
		     const struct hpbuf_nl_ticks *hit)
{
	put_real(o, p50, known, to_ns(w, (double)miss->p50 - hit->p50));
	put_real(o, p90, known, to_ns(w, (double)miss->p90 - hit->p90));
}

static void put_figures(json_t *o, const struct hpbuf_nl_walk_time *w)
{
	const struct hpbuf_nl_level *l;
	bool known, cold;
	int main = 0;

	for (int i = 1; i < HPBUF_NL_LEVELS; i++)
		if (w->level[i].samples > w->level[main].samples)
			main = i;
	l = &w->level[main];
	known = l->samples;
	cold = known && w->has_cold;
	json_object_set_new(o, "leaf", known ? json_string(level_names[main]) : json_null());
	put_ticks(o, "hit_ticks", known, l->hit.p50);
	put_ticks(o, "warm_ticks", known, l->warm.p50);
	put_ticks(o, "cold_ticks", cold, l->cold.p50);
	put_real(o, "hit_ns", known, to_ns(w, l->hit.p50));
	put_real(o, "warm_ns", known, to_ns(w, l->warm.p50));
	put_real(o, "cold_ns", cold, to_ns(w, l->cold.p50));
	put_cost(o, "cost_ns", "cost_p90_ns", known, w, &l->warm, &l->hit);
	put_cost(o, "cold_cost_ns", "cold_cost_p90_ns", cold, w, &l->cold, &l->hit);
}

json_t *walk_json(const struct hpbuf_nl_walk_time *w)
{
	json_t *o = json_object(), *levels = json_object();
	/* Beyond 63 bits a number would turn negative. */
	json_int_t seed = (json_int_t)(w->seed & INT64_MAX);

	json_object_set_new(o, "method", json_string("module (timed loads)"));
	json_object_set_new(o, "samples", json_integer(w->samples));
	json_object_set_new(o, "skipped", json_integer(w->skipped));
	json_object_set_new(o, "seed", json_integer(seed));
	json_object_set_new(o, "tsc_khz", json_integer(w->tsc_khz));
	json_object_set_new(o, "hypervisor", json_boolean(w->hypervisor));
	json_object_set_new(o, "levels", json_integer(w->census.levels));
	json_object_set_new(o, "table_bytes", json_integer((json_int_t)w->census.table_bytes));
	put_figures(o, w);
	for (int i = 0; i < HPBUF_NL_LEVELS; i++)
		json_object_set_new(levels, level_names[i], level_json(w, i));
	json_object_set_new(o, "by_level", levels);
	return o;
}

int walk_run(struct hpbuf_nl *nl, const void *addr, size_t len,
	     const struct hpbuf_nl_walk_req *req, json_t **walk, struct hp_error *e)
{
	struct hpbuf_nl_walk_time *w = malloc(sizeof(*w));
	int err;

	*walk = NULL;
	if (!w)
		return hp_fail(e, HP_RESOURCE, 0, "out of memory");
	err = hpbuf_nl_walk_time(nl, addr, len, req, w);
	if (!err)
		*walk = walk_json(w);
	free(w);
	return err ? module_nl_failed(nl, err, "time page walks", e) : HP_OK;
}
