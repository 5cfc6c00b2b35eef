// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk_row.h"

#include <math.h>
#include <stdio.h>

#include "hold.h"
#include "measure/stop.h"
#include "walk.h"
#include "walk_estimate.h"
#include "walk_model.h"

/**
 * struct walked - what one backing gave
 * @sample: how the memory is mapped, before and after
 * @walk, @walk_why: by the module, or why not
 * @est, @estimated, @est_why: by paired chases, or why not
 */
struct walked {
	struct sample sample;
	json_t *walk;
	char walk_why[200];
	struct walk_estimate est;
	bool estimated;
	char est_why[120];
};

/* Real data: a page that nobody wrote may be the one zero page. */
static void fill(const struct plan *p, const struct mapping *m)
{
	struct shard s;

	if (!shard_split(&s, 1, m->addr, p->n))
		return;
	s.pass = 0;
	s.ops = workload_fill.ops(&s, 0);
	workload_fill.run(&s);
}

static int by_module(struct bench *bn, const struct walk_plan *wp, const struct mapping *m,
		     const char *no_module, struct walked *out, struct hp_error *e)
{
	struct hpbuf_nl_walk_req req = {
		.samples = wp->samples,
		.seed = wp->plan.seed,
		.cold = wp->cold,
		.hist = wp->hist,
	};
	struct hp_error bad = { 0 };

	if (!bn->nl) {
		snprintf(out->walk_why, sizeof(out->walk_why), "%s", no_module);
		return HP_OK;
	}
	if (!walk_run(bn->nl, m->addr, m->bytes, &req, &out->walk, &bad))
		return HP_OK;
	/* A machine that cannot is no failure: the estimate is left. */
	if (bad.code != HP_UNSUPPORTED) {
		*e = bad;
		return bad.code;
	}
	snprintf(out->walk_why, sizeof(out->walk_why), "%.190s", bad.message);
	return HP_OK;
}

static void by_chases(const struct walk_plan *wp, const struct mapping *m, struct walked *out)
{
	/* The chases write, and somebody's data is in there. */
	if (m->b->buffer)
		snprintf(out->est_why, sizeof(out->est_why),
			 "it would overwrite the buffer's content");
	else if (!stop_pending())
		out->estimated = walk_estimate(m, wp->plan.seed, &out->est, out->est_why,
					       sizeof(out->est_why));
}

static int measure(struct bench *bn, const struct walk_plan *wp, const struct mapping *m,
		   const char *no_module, struct walked *out, struct hp_error *e)
{
	struct stages st = { 0 };
	int ret = hold_populate(bn->crew, m, &st, e);

	if (ret || stop_pending())
		return ret;
	if (!m->b->buffer)
		fill(&wp->plan, m);
	timing_verify_before(bn, m, &out->sample, e);
	if (e->code)
		return e->code;
	ret = by_module(bn, wp, m, no_module, out, e);
	if (!ret)
		by_chases(wp, m, out);
	timing_verify_after(bn, m, &out->sample);
	out->sample.complete = !ret && !stop_pending();
	return ret;
}

static json_t *text_or_null(const char *text)
{
	return *text ? out_string(text) : json_null();
}

static void put_memory(const struct walk_plan *wp, const struct backing *b,
		       const struct sample *s, json_t *o)
{
	json_object_set_new(o, "workload", json_string("walk"));
	json_object_set_new(o, "label", json_string("walk"));
	json_object_set_new(o, "backing", out_string(b->label));
	json_object_set_new(o, "page_bytes_asked", json_integer((json_int_t)backing_page(b)));
	json_object_set_new(o, "bytes_asked", json_integer((json_int_t)wp->plan.bytes));
	json_object_set_new(o, "bytes", json_integer((json_int_t)s->mapped));
	json_object_set_new(o, "leaf", census_json(&s->before));
	json_object_set_new(o, "leaf_share", s->before.by ?
			    json_real(census_share(&s->before, b->page_shift)) : json_null());
	json_object_set_new(o, "nodes", placement_json(&s->place));
	json_object_set_new(o, "nodes_by", s->place.by ? json_string(s->place.by) : json_null());
	json_object_set_new(o, "verified", json_boolean(!(s->flags & (SAMPLE_SHARE | SAMPLE_NODE |
								      SAMPLE_UNVERIFIED))));
	json_object_set_new(o, "verified_by", text_or_null(s->by));
}

static double cost_of(const json_t *walk)
{
	const json_t *cost = json_object_get(walk, "cost_ns");

	return json_is_number(cost) ? json_number_value(cost) : NAN;
}

static void add(const struct walk_plan *wp, const struct backing *b, struct walked *got,
		json_t *doc, struct tally *t)
{
	const json_t *levels = json_object_get(got->walk, "levels");
	json_t *o = json_object();

	put_memory(wp, b, &got->sample, o);
	trust_row(t, got->sample.flags, o);
	json_object_set_new(o, "model", walk_model_json(levels ?
			    (unsigned int)json_integer_value(levels) : walk_levels_here(),
			    b->page_shift));
	json_object_set_new(o, "estimate", got->estimated ?
			    walk_estimate_json(&got->est, cost_of(got->walk)) : json_null());
	json_object_set_new(o, "estimate_why", text_or_null(got->est_why));
	json_object_set_new(o, "walk_why", text_or_null(got->walk_why));
	json_object_set_new(o, "walk", got->walk ? got->walk : json_null());
	json_array_append_new(json_object_get(doc, "results"), o);
}

int walk_row(struct bench *bn, const struct walk_plan *wp, const struct backing *b,
	     const char *no_module, json_t *doc, struct tally *t, struct hp_error *e)
{
	struct walked got = { .walk = NULL };
	struct hp_error bad = { 0 };
	struct stages st = { 0 };
	struct mapping m;
	int ret = hold_acquire(&wp->plan, b, &m, &st, e);

	if (ret)
		return ret;
	measure(bn, wp, &m, no_module, &got, &bad);
	hold_release(&m, &st, e);
	if (bad.code)
		*e = bad;
	/* Whatever was measured to its end is shown. */
	if (got.sample.mapped && got.sample.complete)
		add(wp, b, &got, doc, t);
	else
		json_decref(got.walk);
	return e->code;
}
