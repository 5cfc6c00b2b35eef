// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <string.h>

#include "hold.h"
#include "measure/stop.h"

#define TARGET_NS	UINT64_C(300000000)
#define PROBE_NS	UINT64_C(5000000)

/* ---- workloads on a mapping of their own ---- */

static int run_fresh(struct bench *bn, const struct backing *b, unsigned int run,
		     unsigned int wi, struct sample *out, struct hp_error *e)
{
	const struct workload *w = bn->plan->w[wi];
	unsigned int threads = crew_size(bn->crew);
	struct job job = { w, bn->shards };
	struct hp_error bad = { 0 };
	struct mapping m;
	struct stage *s;
	int ret = hold_acquire(bn->plan, b, &m, &out->stages, e);

	if (ret)
		return ret;
	out->first_ops = timing_deal(bn, &m, w, threads, 0, timing_seed(bn->plan, run, wi), 1);
	s = timing_timed(bn, 0, &job, &out->stages, "first", &out->first_perf);
	/* It is there for the page faults. */
	out->first_host = bn->host;
	out->first_flags = timing_judge(bn, s, w, out->first_ops, threads) &
			   ~(unsigned int)SAMPLE_FAULTS;
	if (timing_finished(bn, threads)) {
		timing_verify_before(bn, &m, out, &bad);
		out->ops = timing_deal(bn, &m, w, threads, 0, timing_seed(bn->plan, run, wi), 2);
		s = timing_timed(bn, 0, &job, &out->stages, "second", &out->perf);
		out->host = bn->host;
		out->flags |= timing_judge(bn, s, w, out->ops, threads);
		out->complete = timing_finished(bn, threads);
		timing_verify_after(bn, &m, out);
		if (out->complete)
			timing_add_up(bn, threads, &job, out);
	}
	ret = hold_release(&m, &out->stages, e);
	if (!ret && bad.code) {
		*e = bad;
		ret = bad.code;
	}
	return ret;
}

/* ---- workloads that share a mapping ---- */

static void init_array(struct bench *bn, const struct mapping *m, struct stages *st)
{
	struct job job = { &workload_fill, bn->shards };

	timing_deal(bn, m, job.w, crew_size(bn->crew), 0, 0, 0);
	crew_run(bn->crew, 0, timing_run, &job, st, "init");
}

/* As timing_deal(), and each shard with what the workload chose on this backing. */
static uint64_t deal(struct bench *bn, const struct mapping *m, unsigned int wi,
		     uint64_t wanted, uint64_t seed)
{
	unsigned int threads = crew_size(bn->crew);
	uint64_t total = timing_deal(bn, m, bn->plan->w[wi], threads, wanted, seed, 0);

	for (unsigned int i = 0; i < threads; i++)
		bn->shards[i].tuned = bn->tuned[m->b - bn->plan->b][wi];
	return total;
}

/*
 * What the array is to hold, and the workload's choice. @before: the sample of who
 * built the same last, and nobody has written since; NULL: the array is as filled.
 */
static void build(struct bench *bn, const struct mapping *m, unsigned int wi,
		  const struct sample *before, struct sample *out)
{
	const struct workload *w = bn->plan->w[wi];
	unsigned int threads = crew_size(bn->crew);
	struct job job = { w, bn->shards };
	uint64_t *tuned = &bn->tuned[m->b - bn->plan->b][wi];

	deal(bn, m, wi, 1, bn->plan->seed);
	if (w->build && !before)
		timing_untimed(bn, threads, &job, timing_build);
	memset(out->figure, 0, sizeof(out->figure));
	for (unsigned int i = 0; i < threads && !before; i++)
		for (unsigned int k = 0; k < WORKLOAD_FIGURES; k++)
			out->figure[k] += bn->shards[i].figure[k];
	if (before)
		memcpy(out->figure, before->figure, sizeof(out->figure));
	if (w->tune && !*tuned)
		*tuned = w->tune(&bn->shards[0]);
	out->tuned = *tuned;
}

/* How many operations of a thread take about TARGET_NS. Once for all backings. */
static void calibrate(struct bench *bn, const struct mapping *m, unsigned int wi)
{
	const struct workload *w = bn->plan->w[wi];
	unsigned int threads = crew_size(bn->crew);
	struct job job = { w, bn->shards };
	uint64_t wanted = 1 << 12, total, ns;

	if (bn->plan->ops) {
		bn->wanted[wi] = (bn->plan->ops + threads - 1) / threads;
		return;
	}
	for (;;) {
		struct stages st = { 0 };

		total = deal(bn, m, wi, wanted, bn->plan->seed);
		if (w->prepare)
			timing_untimed(bn, threads, &job, timing_prepare);
		ns = (uint64_t)crew_run(bn->crew, 0, timing_run, &job, &st, "")->v[STAGE_NS];
		if (ns >= PROBE_NS || stop_pending() || wanted > UINT64_C(1) << 40)
			break;
		wanted = total / threads * 4;
	}
	bn->wanted[wi] = (uint64_t)((double)total / threads * TARGET_NS / (double)(ns + 1));
	if (bn->wanted[wi] < 1 << 10)
		bn->wanted[wi] = 1 << 10;
}

static void time_one(struct bench *bn, const struct mapping *m, unsigned int run,
		     unsigned int wi, struct sample *out)
{
	const struct workload *w = bn->plan->w[wi];
	unsigned int threads = crew_size(bn->crew);
	struct job job = { w, bn->shards };
	uint64_t seed = timing_seed(bn->plan, run, wi);
	struct stage *s;

	deal(bn, m, wi, bn->wanted[wi] / 8 + 1, ~seed);
	if (w->prepare)
		timing_untimed(bn, threads, &job, timing_prepare);
	crew_run(bn->crew, 0, timing_run, &job, &out->stages, "warm");
	out->ops = deal(bn, m, wi, bn->wanted[wi], seed);
	if (w->prepare)
		timing_untimed(bn, threads, &job, timing_prepare);
	s = timing_timed(bn, 0, &job, &out->stages, "timed", &out->perf);
	out->host = bn->host;
	out->flags |= timing_judge(bn, s, w, out->ops, threads);
	out->complete = timing_finished(bn, threads);
	timing_verify_after(bn, m, out);
	if (out->complete)
		timing_add_up(bn, threads, &job, out);
}

static bool is_shared(const struct workload *w)
{
	return !w->fresh && !w->stages;
}

static void run_on(struct bench *bn, const struct mapping *m, unsigned int run,
		   const struct stages *head, const struct sample *checked,
		   struct sample *samples)
{
	const struct plan *p = bn->plan;
	const struct sample *before = NULL;
	unsigned int last = 0;
	bool dirty = false;

	for (unsigned int i = 0; i < p->nr_w && !stop_pending(); i++) {
		struct stages dropped = { 0 };

		if (!is_shared(p->w[i]))
			continue;
		samples[i] = *checked;
		samples[i].stages = *head;
		if (before && p->w[i]->build != p->w[last]->build)
			before = NULL;
		if (dirty && !before)
			init_array(bn, m, &dropped);
		build(bn, m, i, before, &samples[i]);
		if (!bn->wanted[i]) {
			calibrate(bn, m, i);
			if (p->w[i]->dirties && !p->w[i]->build)
				init_array(bn, m, &dropped);
		}
		dirty = p->w[i]->dirties;
		/* What is built is only read. */
		before = p->w[i]->build ? &samples[i] : NULL;
		last = i;
		time_one(bn, m, run, i, &samples[i]);
	}
}

static int run_shared(struct bench *bn, const struct backing *b, unsigned int run,
		      struct sample *samples, struct hp_error *e)
{
	const struct plan *p = bn->plan;
	struct stages head = { 0 }, tail = { 0 };
	struct sample checked = { 0 };
	struct hp_error bad = { 0 };
	struct mapping m;
	int ret = hold_acquire(bn->plan, b, &m, &head, e);

	if (ret)
		return ret;
	ret = hold_populate(bn->crew, &m, &head, &bad);
	if (!ret && !stop_pending()) {
		init_array(bn, &m, &head);
		timing_verify_before(bn, &m, &checked, &bad);
		ret = bad.code;
	}
	if (!ret)
		run_on(bn, &m, run, &head, &checked, samples);
	hold_release(&m, &tail, e);
	for (unsigned int i = 0; i < p->nr_w; i++)
		for (unsigned int k = 0; is_shared(p->w[i]) && k < tail.nr; k++)
			if (samples[i].stages.nr && samples[i].stages.nr < STAGE_MAX)
				samples[i].stages.s[samples[i].stages.nr++] = tail.s[k];
	if (bad.code)
		*e = bad;
	return e->code;
}

/*
 * Whether the pages can be had, found out where that is an error and not a
 * signal: fresh mappings are touched by the workload itself.
 */
static int rehearse(struct bench *bn, const struct backing *b, struct hp_error *e)
{
	struct stages dropped = { 0 };
	struct hp_error bad = { 0 };
	struct mapping m;
	int ret = hold_acquire(bn->plan, b, &m, &dropped, e);

	if (ret)
		return ret;
	hold_populate(bn->crew, &m, &dropped, &bad);
	hold_release(&m, &dropped, e);
	if (bad.code)
		*e = bad;
	return e->code;
}

/* What the whole system did meanwhile; all workloads of a session share it. */
static void note_vm(const struct plan *p, const int64_t before[SAMPLE_VM],
		    struct sample *samples)
{
	int64_t after[SAMPLE_VM];

	timing_vm(after);
	for (unsigned int i = 0; i < p->nr_w; i++) {
		for (unsigned int k = 0; k < SAMPLE_VM; k++)
			samples[i].vm[k] = after[k] - before[k];
		if (samples[i].vm[VM_SWAP_IN] || samples[i].vm[VM_SWAP_OUT])
			samples[i].flags |= SAMPLE_SWAP;
	}
}

int session_run(struct bench *bn, const struct backing *b, unsigned int run,
		struct sample *samples, struct hp_error *e)
{
	const struct plan *p = bn->plan;
	bool shared = false, own = false;
	int64_t vm[SAMPLE_VM];
	int ret = HP_OK;

	timing_vm(vm);
	for (unsigned int i = 0; i < p->nr_w; i++) {
		shared = shared || is_shared(p->w[i]);
		own = own || !is_shared(p->w[i]);
	}
	if (own && !run && b->ops->pool)
		ret = rehearse(bn, b, e);
	for (unsigned int i = 0; i < p->nr_w && !ret && !stop_pending(); i++) {
		if (p->w[i]->sequence)
			ret = p->w[i]->sequence(bn, b, &samples[i], e);
		else if (p->w[i]->stages)
			ret = matrix_run(bn, b, &samples[i], e);
		else if (p->w[i]->fresh)
			ret = run_fresh(bn, b, run, i, &samples[i], e);
	}
	if (shared && !ret && !stop_pending())
		ret = run_shared(bn, b, run, samples, e);
	note_vm(p, vm, samples);
	return ret;
}
