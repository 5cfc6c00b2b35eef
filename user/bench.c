// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backing/pool.h"
#include "backing/reserve.h"
#include "measure/clock.h"
#include "measure/guard.h"
#include "measure/perf.h"
#include "measure/stop.h"
#include "packed.h"
#include "reach.h"
#include "rows.h"

/* ---- which backings there are ---- */

/* A message without the backing's name in front: what several have in common. */
static const char *tail_of(const struct bench_result *r, unsigned int b)
{
	const char *label = r->bench.plan->b[b].label, *text = r->missing[b].message;
	size_t len = strlen(label);

	return !strncmp(text, label, len) && !strncmp(text + len, ": ", 2) ? text + len + 2 : text;
}

void bench_missing(const struct bench_result *r, json_t *doc, struct hp_error *e)
{
	const struct plan *p = r->bench.plan;
	bool told[PLAN_BACKINGS] = { false };

	for (unsigned int i = 0; i < p->nr_b; i++) {
		bool alone = true;
		char names[256];
		size_t len;

		if (!r->missing[i].code || told[i])
			continue;
		len = (size_t)snprintf(names, sizeof(names), "%.100s", p->b[i].label);
		for (unsigned int k = i + 1; k < p->nr_b; k++) {
			if (!r->missing[k].code || strcmp(tail_of(r, i), tail_of(r, k)))
				continue;
			told[k] = true;
			alone = false;
			if (len < sizeof(names))
				len += (size_t)snprintf(names + len, sizeof(names) - len,
							", %.60s", p->b[k].label);
		}
		if (p->explicit_b && !e->code) {
			*e = r->missing[i];
			/* The error says it. */
			if (alone)
				continue;
		}
		out_warn(doc, "backing-missing", r->missing[i].hint, "%s: %s", names,
			 tail_of(r, i));
	}
}

static unsigned int probe_all(struct bench_result *r, struct plan *p)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < p->nr_b; i++) {
		p->b[i].ops->probe(&p->b[i], p->bytes, &r->missing[i]);
		found += !r->missing[i].code;
	}
	return found;
}

/* ---- pools ---- */

static uint64_t pool_pages(const struct plan *p, unsigned int shift)
{
	uint64_t most = 0, bytes;

	for (unsigned int i = 0; i < p->nr_b; i++) {
		const struct backing *b = &p->b[i];

		if (b->ops->pool && b->page_shift == shift && backing_round(b, p->bytes, &bytes) &&
		    bytes >> shift > most)
			most = bytes >> shift;
	}
	return most;
}

static int fill_pools(struct reserve *rv, struct plan *p, json_t *doc, struct hp_error *e)
{
	static const unsigned int shifts[] = { 30, 21 };
	uint64_t need = 0, most = 0;
	json_t *list = json_array();
	struct hp_error ignored;
	int ret = HP_OK;

	/* Pages of a mounted hugetlbfs are known after a look at it. */
	for (unsigned int i = 0; i < p->nr_b; i++) {
		if (p->b[i].ops->pool)
			p->b[i].ops->probe(&p->b[i], p->bytes, &ignored);
		if (plan_need(p, &p->b[i]) > most)
			most = plan_need(p, &p->b[i]);
	}
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t avail = pool_avail_on(shifts[i], p->nodes_set ? p->nodes : NULL);

		if (pool_pages(p, shifts[i]) > avail)
			need += (pool_pages(p, shifts[i]) - avail) << shifts[i];
	}
	if (need)
		ret = plan_room(p, need + most, "--reserve", e);
	for (unsigned int i = 0; i < 2 && !ret && !stop_pending(); i++) {
		uint64_t pages = pool_pages(p, shifts[i]), from = clock_ns();

		if (!pages)
			continue;
		ret = reserve_fill(rv, shifts[i], pages, p->nodes_set ? p->nodes : NULL, e);
		json_array_append_new(list, json_pack("{s:I, s:I, s:I}",
			"page_bytes", (json_int_t)1 << shifts[i], "pages", (json_int_t)pages,
			"ns", (json_int_t)(clock_ns() - from)));
	}
	json_object_set_new(json_object_get(doc, "env"), "reserved", list);
	return ret;
}

/* ---- runs ---- */

/* The warm-up begins with the reference, by which operations are calibrated. */
static void shuffle(struct bench_result *r, unsigned int run, uint64_t *state)
{
	const struct plan *p = r->bench.plan;
	unsigned int n = p->nr_b, fixed = 0;
	unsigned char *order = r->order[run];

	for (unsigned int i = 0; i < n; i++)
		order[i] = (unsigned char)i;
	while (!run && fixed < n && r->missing[fixed].code)
		fixed++;
	if (!run)
		fixed++;
	for (unsigned int i = n; i > fixed + 1; i--) {
		unsigned int k = fixed + (unsigned int)packed_index(packed_random(state), i - fixed);
		unsigned char t = order[i - 1];

		order[i - 1] = order[k];
		order[k] = t;
	}
}

/* What was measured is not dropped because memory has become short since: that is shown. */
static void ends_all(struct hp_error *missing, unsigned int run)
{
	if (missing->code != HP_RESOURCE || run < 2)
		return;
	memset(missing, 0, sizeof(*missing));
	stop_because(STOP_SHORT);
}

static void one_run(struct bench_result *r, unsigned int run, const struct out_opts *o)
{
	const struct plan *p = r->bench.plan;
	char size[32] = "";

	if (p->sweep.steps)
		out_bytes(size, p->bytes);
	for (unsigned int i = 0; i < p->nr_b && !stop_pending(); i++) {
		unsigned int b = r->order[run][i];

		if (r->missing[b].code)
			continue;
		out_progress(o, "%s%srun %u of %u: %s", size, *size ? ", " : "", run, p->runs,
			     p->b[b].label);
		session_run(&r->bench, &p->b[b], run, bench_sample(r, run, b, 0),
			    &r->missing[b]);
		ends_all(&r->missing[b], run);
	}
}

static int all_runs(struct bench_result *r, const struct out_opts *o, struct hp_error *e)
{
	const struct plan *p = r->bench.plan;
	uint64_t state = p->seed;
	int ret;

	r->samples = calloc((size_t)(p->runs + 1) * p->nr_b * p->nr_w, sizeof(*r->samples));
	r->order = calloc(p->runs + 1, sizeof(*r->order));
	r->bench.shards = aligned_alloc(128, p->threads * sizeof(*r->bench.shards));
	if (!r->samples || !r->order || !r->bench.shards)
		return hp_fail(e, HP_RESOURCE, 0, "out of memory");
	ret = crew_new(&r->bench.crew, p->threads, e);
	if (ret)
		return ret;
	if (hpbuf_nl_open(&r->bench.nl))
		r->bench.nl = NULL;
	r->bench.step_ns = clock_step_ns();
	for (unsigned int run = 0; run <= p->runs && !stop_pending(); run++) {
		shuffle(r, run, &state);
		r->done = run + 1;
		r->bench.walk = !run;
		one_run(r, run, o);
	}
	out_progress(o, "%s", "");
	crew_free(r->bench.crew);
	if (r->bench.nl)
		hpbuf_nl_close(r->bench.nl);
	return HP_OK;
}

/* ---- the document ---- */

/* [run][place]: in which order the backings took their turns. */
static json_t *orders(const struct bench_result *r)
{
	const struct plan *p = r->bench.plan;
	json_t *list = json_array();

	for (unsigned int run = 0; run < r->done; run++) {
		json_t *one = json_array();

		for (unsigned int i = 0; i < p->nr_b; i++)
			if (!r->missing[r->order[run][i]].code)
				json_array_append_new(one, out_string(
					p->b[r->order[run][i]].label));
		json_array_append_new(list, one);
	}
	return list;
}

static void describe(const struct bench_result *r, json_t *doc)
{
	const struct plan *p = r->bench.plan;
	json_t *env = json_object_get(doc, "env");

	json_object_set_new(env, "seed", json_integer((json_int_t)p->seed));
	json_object_set_new(env, "runs", json_integer(p->runs));
	json_object_set_new(env, "clock_step_ns", json_integer((json_int_t)r->bench.step_ns));
	json_object_set_new(env, "spare_bytes", json_integer((json_int_t)p->spare));
	if (p->sweep.steps)
		json_object_set_new(env, "reach", reach_json());
	else
		json_object_set_new(env, "order", orders(r));
}

/* A signal outweighs all; then what is wrong with the figures; then what is missing. */
static void conclude(struct bench_result *r, const struct tally *t, json_t *doc,
		     struct hp_error *e)
{
	struct hp_error missing = { 0 }, rows = { 0 };

	bench_missing(r, doc, &missing);
	trust_report(t, doc, &rows);
	describe(r, doc);
	if (stop_error(e))
		return;
	if (rows.code == HP_NOT_AS_ASKED || !missing.code)
		missing = rows;
	if (missing.code)
		*e = missing;
}

static void warn_threads(const struct plan *p, json_t *doc)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) ||
	    p->threads <= (unsigned int)CPU_COUNT(&allowed))
		return;
	out_warn(doc, "threads", "no more threads (-t) than CPUs",
		 "%u threads on %d CPUs take turns", p->threads, CPU_COUNT(&allowed));
}

int bench_prepare(struct bench_result *r, struct plan *p, struct reserve *rv, json_t *doc,
		  struct hp_error *e)
{
	int ret = p->nodes_set ? placement_confine(p->nodes, e) : HP_OK;

	/* A buffer that exists says how large the array can be. */
	if (!ret && p->buffer)
		ret = p->b[0].ops->probe(&p->b[0], p->bytes, e);
	if (!ret)
		ret = plan_size(p, e);
	if (!ret)
		warn_threads(p, doc);
	if (!ret && p->reserve && !p->dry_run)
		ret = fill_pools(rv, p, doc, e);
	if (!ret && !probe_all(r, p)) {
		bench_missing(r, doc, e);
		if (!e->code)
			*e = r->missing[0];
		ret = e->code;
	}
	return ret;
}

int bench_restore(struct reserve *rv, json_t *doc, struct hp_error *e)
{
	struct hp_error note = { 0 };
	int ret = reserve_restore(rv, &note, e);

	if (*note.message)
		out_warn(doc, "pools-changed", note.hint, "%s", note.message);
	return ret;
}

static int check_counters(const struct bench_result *r, struct hp_error *e)
{
	const struct perf *perf = r->bench.perf;

	if (!perf)
		return hp_fail(e, HP_RESOURCE, 0, "out of memory");
	if (!r->bench.plan->counters || perf_hardware(perf))
		return HP_OK;
	return hp_fail(e, HP_UNSUPPORTED, 0, "--require-counters: %s", perf_why(perf));
}

static void free_runs(struct bench_result *r)
{
	const struct plan *p = r->bench.plan;
	size_t nr = (size_t)(p->runs + 1) * p->nr_b * p->nr_w;

	for (size_t i = 0; r->samples && i < nr; i++)
		json_decref(r->samples[i].walk);
	free(r->samples);
	free(r->order);
	free(r->bench.shards);
}

/* All runs at the plan's size, and their rows. */
static int one_size(struct bench_result *r, const struct out_opts *o, json_t *doc,
		    struct tally *t, struct hp_error *e)
{
	int ret = all_runs(r, o, e);

	if (!ret && r->done)
		rows_add(r, doc, t);
	return ret;
}

/*
 * From small to large, each size as if it were the only one: operations are calibrated
 * anew, and all backings take their turns before the next size. What could not be had
 * is not tried with more.
 */
static int all_sizes(struct bench_result *r, struct plan *p, const struct out_opts *o,
		     json_t *doc, struct tally *t, struct hp_error *e)
{
	json_t *list = json_array();
	uint64_t sizes[SWEEP_MAX];
	unsigned int nr = sweep_sizes(&p->sweep, sizes);
	int ret = HP_OK;

	t->sizes = true;
	for (unsigned int i = 0; i < nr && !ret && !stop_pending(); i++) {
		struct bench_result at = { .bench = r->bench };

		memcpy(at.missing, r->missing, sizeof(at.missing));
		plan_at(p, sizes[i]);
		ret = one_size(&at, o, doc, t, e);
		json_array_append_new(list, json_pack("{s:I, s:o}", "bytes",
						      (json_int_t)sizes[i], "order", orders(&at)));
		memcpy(r->missing, at.missing, sizeof(at.missing));
		r->bench.step_ns = at.bench.step_ns;
		free_runs(&at);
	}
	json_object_set_new(json_object_get(doc, "env"), "sweep", list);
	return ret;
}

static void dry_run(const struct bench_result *r, struct plan *p, json_t *doc,
		    struct hp_error *e)
{
	uint64_t sizes[SWEEP_MAX] = { p->bytes };
	unsigned int nr = p->sweep.steps ? sweep_sizes(&p->sweep, sizes) : 1;

	bench_missing(r, doc, e);
	describe(r, doc);
	for (unsigned int i = 0; i < nr; i++) {
		plan_at(p, sizes[i]);
		rows_plan(r, doc);
	}
}

void bench_main(struct plan *p, const struct out_opts *o, json_t *doc, struct hp_error *e)
{
	struct bench_result r = { .bench.plan = p };
	struct reserve rv = { .lock = -1 };
	struct tally t = { .rows = 0 };
	struct guard *guard = NULL;
	struct hp_error back = { 0 };
	int ret;

	stop_install(p->limit_ns);
	ret = guard_start(&guard, 0, e);
	/* Before the crew: threads that are there already are not counted. */
	r.bench.perf = perf_open();
	if (!ret)
		ret = check_counters(&r, e);
	if (!ret)
		ret = bench_prepare(&r, p, &rv, doc, e);
	if (!ret)
		guard_least(guard, p->spare / 2);
	if (!ret && p->dry_run) {
		dry_run(&r, p, doc, e);
	} else if (!ret) {
		ret = p->sweep.steps ? all_sizes(&r, p, o, doc, &t, e) :
		      one_size(&r, o, doc, &t, e);
		if (!ret)
			conclude(&r, &t, doc, e);
	}
	/* What failed may have, as it was to end: filling a pool is cut short, for one. */
	if (ret)
		stop_error(e);
	guard_end(guard);
	bench_restore(&rv, doc, &back);
	if (!e->code)
		*e = back;
	perf_close(r.bench.perf);
	free_runs(&r);
}
