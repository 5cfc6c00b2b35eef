// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/proc.h"
#include "measure/stop.h"
#include "workload/data.h"

#define TARGET_NS	UINT64_C(300000000)
#define PROBE_NS	UINT64_C(5000000)
#define SHARE		0.95
/* Bytes a nanosecond that no memory reaches: 1 TB/s. */
#define CEILING		1000.0

/* ---- memory ---- */

struct populate_job {
	const struct mapping *m;
	unsigned int threads;
	struct hp_error *errors;
};

/* Each member takes whole pages, none of them another's. */
static void populate_part(unsigned int me, void *arg)
{
	struct populate_job *job = arg;
	const struct mapping *m = job->m;
	uint64_t page = backing_page(m->b), pages = (m->bytes + page - 1) / page;
	uint64_t a = pages / job->threads * me + pages % job->threads * me / job->threads;
	uint64_t b = pages / job->threads * (me + 1) +
		     pages % job->threads * (me + 1) / job->threads;
	uint64_t end = b * page < m->bytes ? b * page : m->bytes;

	if (b > a)
		m->b->ops->populate(m, m->addr + a * page, end - a * page, &job->errors[me]);
}

static int populate(struct bench *bn, const struct mapping *m, struct stages *st,
		    struct hp_error *e)
{
	unsigned int threads = crew_size(bn->crew);
	struct hp_error errors[threads];
	struct populate_job job = { m, threads, errors };

	memset(errors, 0, sizeof(errors));
	crew_run(bn->crew, 0, populate_part, &job, st, "populate");
	for (unsigned int i = 0; i < threads; i++) {
		if (errors[i].code) {
			*e = errors[i];
			return e->code;
		}
	}
	return HP_OK;
}

static int destroy(struct mapping *m, struct stages *st, struct hp_error *e)
{
	struct stage_clock c;
	int ret = HP_OK;

	if (!m->b->ops->destroy)
		return HP_OK;
	stage_begin(&c);
	ret = m->b->ops->destroy(m, e);
	stage_end(&c, st, "free");
	return ret;
}

static int acquire(const struct bench *bn, const struct backing *b, struct mapping *m,
		   struct stages *st, struct hp_error *e)
{
	struct hp_error ignored = { 0 };
	struct stages dropped = { 0 };
	struct stage_clock c;
	int ret;

	memset(m, 0, sizeof(*m));
	m->b = b;
	m->fd = -1;
	m->asked = bn->plan->bytes;
	if (!backing_round(b, m->asked, &m->bytes))
		return hp_fail(e, HP_USAGE, 0, "%s: size too large", b->label);
	ret = plan_room(bn->plan, plan_need(bn->plan, b), b->label, e);
	if (!ret && b->ops->create) {
		stage_begin(&c);
		ret = b->ops->create(m, e);
		stage_end(&c, st, "create");
	}
	if (ret)
		return ret;
	stage_begin(&c);
	ret = b->ops->map(m, e);
	stage_end(&c, st, "map");
	if (ret)
		destroy(m, &dropped, &ignored);
	return ret;
}

static int release(struct mapping *m, struct stages *st, struct hp_error *e)
{
	struct stage_clock c;
	int ret, gone;

	stage_begin(&c);
	ret = m->b->ops->unmap(m, e);
	stage_end(&c, st, "unmap");
	gone = destroy(m, st, e);
	return ret ? ret : gone;
}

/* ---- work ---- */

struct job {
	const struct workload *w;
	struct shard *shards;
};

static void job_run(unsigned int me, void *arg)
{
	struct job *job = arg;

	job->w->run(&job->shards[me]);
}

static void job_prepare(unsigned int me, void *arg)
{
	struct job *job = arg;

	job->w->prepare(&job->shards[me]);
}

static void job_settle(unsigned int me, void *arg)
{
	struct job *job = arg;

	job->w->settle(&job->shards[me]);
}

static void job_expect(unsigned int me, void *arg)
{
	struct job *job = arg;

	/* Kept where no workload looks: the shard's operations are over. */
	job->shards[me].seed = job->w->expect(&job->shards[me]);
}

/* Outside the timed part; all threads of the job. */
static void untimed(struct bench *bn, unsigned int threads, struct job *job,
		    void (*fn)(unsigned int me, void *arg))
{
	struct stages dropped = { 0 };

	crew_run(bn->crew, threads, fn, job, &dropped, "");
}

/* Shards of @threads, with the same index streams on every backing. */
static uint64_t deal(struct bench *bn, const struct mapping *m, const struct workload *w,
		     unsigned int threads, uint64_t wanted, uint64_t seed, unsigned int pass)
{
	uint64_t total = 0;

	shard_split(bn->shards, threads, m->addr, bn->plan->n);
	for (unsigned int i = 0; i < threads; i++) {
		struct shard *s = &bn->shards[i];

		s->seed = packed_random(&seed);
		s->pass = pass;
		s->ops = w->ops(s, wanted);
		total += s->ops;
	}
	return total;
}

static bool finished(const struct bench *bn, unsigned int threads)
{
	for (unsigned int i = 0; i < threads; i++)
		if (bn->shards[i].done < bn->shards[i].ops)
			return false;
	return true;
}

/* Sums of the shards, and what they should be. The shards are used up. */
static void add_up(struct bench *bn, unsigned int threads, struct job *job,
		   struct sample *out)
{
	if (job->w->settle)
		untimed(bn, threads, job, job_settle);
	out->sum = 0;
	out->expected = 0;
	for (unsigned int i = 0; i < threads; i++)
		out->sum += bn->shards[i].sum;
	untimed(bn, threads, job, job_expect);
	for (unsigned int i = 0; i < threads; i++)
		out->expected += bn->shards[i].seed;
	if (out->sum != out->expected && !stop_pending())
		out->flags |= SAMPLE_CHECKSUM;
}

static uint64_t swapped(void)
{
	uint64_t in = 0, out = 0;

	proc_field("/proc/vmstat", "pswpin ", &in);
	proc_field("/proc/vmstat", "pswpout ", &out);
	return in + out;
}

/* What a timed stage says about itself. */
static void judge(const struct bench *bn, const struct stage *s, const struct workload *w,
		  uint64_t ops, bool faults_allowed, struct sample *out)
{
	int64_t ns = s->v[STAGE_NS];

	if (s->v[STAGE_MINFLT] && !faults_allowed)
		out->flags |= SAMPLE_FAULTS;
	if (s->v[STAGE_MAJFLT])
		out->flags |= SAMPLE_MAJOR;
	if (s->v[STAGE_SWAP] > 0)
		out->flags |= SAMPLE_SWAP;
	if (ns < (int64_t)(100 * bn->step_ns) ||
	    (double)ops * w->op_bytes / (double)ns > CEILING)
		out->flags |= SAMPLE_IMPLAUSIBLE;
}

static void verify_before(struct bench *bn, const struct mapping *m, struct sample *out,
			  struct hp_error *e)
{
	const char *how = NULL;

	backing_census(m, bn->nl, &out->before);
	out->mapped = m->bytes;
	if (m->b->ops->verify && m->b->ops->verify(m, &how, e))
		out->flags |= SAMPLE_SHARE;
	if (out->before.by)
		snprintf(out->by, sizeof(out->by), "%s%s%s", out->before.by, how ? "+" : "",
			 how ? how : "");
}

static void verify_after(struct bench *bn, const struct mapping *m, struct sample *out)
{
	unsigned int shift = m->b->page_shift;
	double a, b;

	backing_census(m, bn->nl, &out->after);
	if (!out->before.by || !out->after.by) {
		out->flags |= SAMPLE_UNVERIFIED;
		return;
	}
	a = census_share(&out->before, shift);
	b = census_share(&out->after, shift);
	if (a < SHARE || b < SHARE)
		out->flags |= SAMPLE_SHARE;
	if (fabs(a - b) > 0.01)
		out->flags |= SAMPLE_LEAF_CHANGED;
}

static uint64_t seed_of(const struct plan *p, unsigned int run, unsigned int w)
{
	uint64_t seed = p->seed + run * UINT64_C(0x9e3779b97f4a7c15) + w;

	return packed_random(&seed);
}

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
	int ret = acquire(bn, b, &m, &out->stages, e);

	if (ret)
		return ret;
	out->first_ops = deal(bn, &m, w, threads, 0, seed_of(bn->plan, run, wi), 1);
	s = crew_run(bn->crew, 0, job_run, &job, &out->stages, "first");
	judge(bn, s, w, out->first_ops, true, out);
	if (finished(bn, threads)) {
		verify_before(bn, &m, out, &bad);
		out->ops = deal(bn, &m, w, threads, 0, seed_of(bn->plan, run, wi), 2);
		s = crew_run(bn->crew, 0, job_run, &job, &out->stages, "second");
		judge(bn, s, w, out->ops, false, out);
		out->complete = finished(bn, threads);
		verify_after(bn, &m, out);
		if (out->complete)
			add_up(bn, threads, &job, out);
	}
	ret = release(&m, &out->stages, e);
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

	deal(bn, m, job.w, crew_size(bn->crew), 0, 0, 0);
	crew_run(bn->crew, 0, job_run, &job, st, "init");
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

		total = deal(bn, m, w, threads, wanted, bn->plan->seed, 0);
		if (w->prepare)
			untimed(bn, threads, &job, job_prepare);
		ns = (uint64_t)crew_run(bn->crew, 0, job_run, &job, &st, "")->v[STAGE_NS];
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
	uint64_t seed = seed_of(bn->plan, run, wi);
	struct stage *s;

	deal(bn, m, w, threads, bn->wanted[wi] / 8 + 1, ~seed, 0);
	if (w->prepare)
		untimed(bn, threads, &job, job_prepare);
	crew_run(bn->crew, 0, job_run, &job, &out->stages, "warm");
	out->ops = deal(bn, m, w, threads, bn->wanted[wi], seed, 0);
	if (w->prepare)
		untimed(bn, threads, &job, job_prepare);
	s = crew_run(bn->crew, 0, job_run, &job, &out->stages, "timed");
	judge(bn, s, w, out->ops, false, out);
	out->complete = finished(bn, threads);
	verify_after(bn, m, out);
	if (out->complete)
		add_up(bn, threads, &job, out);
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
	bool dirty = false;

	for (unsigned int i = 0; i < p->nr_w && !stop_pending(); i++) {
		struct stages dropped = { 0 };

		if (!is_shared(p->w[i]))
			continue;
		samples[i] = *checked;
		samples[i].stages = *head;
		if (!bn->wanted[i]) {
			calibrate(bn, m, i);
			dirty = dirty || p->w[i]->dirties;
		}
		if (dirty)
			init_array(bn, m, &dropped);
		dirty = p->w[i]->dirties;
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
	int ret = acquire(bn, b, &m, &head, e);

	if (ret)
		return ret;
	ret = populate(bn, &m, &head, &bad);
	if (!ret && !stop_pending()) {
		init_array(bn, &m, &head);
		verify_before(bn, &m, &checked, &bad);
		ret = bad.code;
	}
	if (!ret)
		run_on(bn, &m, run, &head, &checked, samples);
	release(&m, &tail, e);
	for (unsigned int i = 0; i < p->nr_w; i++)
		for (unsigned int k = 0; is_shared(p->w[i]) && k < tail.nr; k++)
			if (samples[i].stages.nr && samples[i].stages.nr < STAGE_MAX)
				samples[i].stages.s[samples[i].stages.nr++] = tail.s[k];
	if (bad.code)
		*e = bad;
	return e->code;
}

/* ---- matrix ---- */

static bool matrix_step(struct bench *bn, const struct mapping *m, const struct workload *w,
			unsigned int threads, unsigned int step, const char *name,
			struct sample *out)
{
	const struct plan *p = bn->plan;
	struct job job = { w, bn->shards };
	struct sample one = { 0 };
	uint64_t wanted = p->ops ? p->ops / threads + 1 : bn->wanted[PLAN_WORKLOADS - 1];

	if (stop_pending())
		return false;
	out->ops += deal(bn, m, w, threads, wanted, seed_of(p, 0, 100 + step), 0);
	judge(bn, crew_run(bn->crew, threads, job_run, &job, &out->stages, name), w, 0,
	      w == &workload_fill, out);
	if (!finished(bn, threads))
		return false;
	add_up(bn, threads, &job, &one);
	out->sum += one.sum;
	out->expected += one.expected;
	out->flags |= one.flags;
	return true;
}

static void matrix_steps(struct bench *bn, const struct mapping *m, struct sample *out,
			 struct hp_error *e)
{
	static const struct {
		const struct workload *w;
		bool all;
		const char *name;
	} steps[] = {
		{ &workload_fill, true, "fill-N" }, { &workload_get, false, "get-1" },
		{ &workload_set, false, "set-1" }, { &workload_fill, true, "refill-N" },
		{ &workload_get, true, "get-N" }, { &workload_set, true, "set-N" },
	};
	unsigned int all = crew_size(bn->crew);

	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (!matrix_step(bn, m, steps[i].w, steps[i].all ? all : 1, i, steps[i].name,
				 out))
			return;
		if (!i)
			verify_before(bn, m, out, e);
	}
	verify_after(bn, m, out);
	out->complete = true;
}

static int run_matrix(struct bench *bn, const struct backing *b, struct sample *out,
		      struct hp_error *e)
{
	struct hp_error bad = { 0 };
	struct stage_clock c;
	struct mapping m;
	int ret;

	stage_begin(&c);
	stage_end(&c, &out->stages, "before");
	ret = acquire(bn, b, &m, &out->stages, e);
	if (ret)
		return ret;
	if (!bn->wanted[PLAN_WORKLOADS - 1])
		bn->wanted[PLAN_WORKLOADS - 1] = 1 << 20;
	matrix_steps(bn, &m, out, &bad);
	release(&m, &out->stages, e);
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
	int ret = acquire(bn, b, &m, &dropped, e);

	if (ret)
		return ret;
	populate(bn, &m, &dropped, &bad);
	release(&m, &dropped, e);
	if (bad.code)
		*e = bad;
	return e->code;
}

int session_run(struct bench *bn, const struct backing *b, unsigned int run,
		struct sample *samples, struct hp_error *e)
{
	const struct plan *p = bn->plan;
	bool shared = false, own = false;
	uint64_t swap = swapped();
	int ret = HP_OK;

	for (unsigned int i = 0; i < p->nr_w; i++) {
		shared = shared || is_shared(p->w[i]);
		own = own || !is_shared(p->w[i]);
	}
	if (own && !run && b->ops->pool)
		ret = rehearse(bn, b, e);
	for (unsigned int i = 0; i < p->nr_w && !ret && !stop_pending(); i++) {
		if (p->w[i]->stages)
			ret = run_matrix(bn, b, &samples[i], e);
		else if (p->w[i]->fresh)
			ret = run_fresh(bn, b, run, i, &samples[i], e);
	}
	if (shared && !ret && !stop_pending())
		ret = run_shared(bn, b, run, samples, e);
	for (unsigned int i = 0; swapped() != swap && i < p->nr_w; i++)
		samples[i].flags |= SAMPLE_SWAP;
	return ret;
}
