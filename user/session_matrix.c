// SPDX-License-Identifier: GPL-2.0-or-later
#include "array.h"
#include "session.h"

#include "hold.h"
#include "measure/stop.h"

/* Of all steps; the clock rate is the last one's. */
static void add_host(struct host_state *to, const struct host_state *one)
{
	to->steal_ns = one->steal_ns < 0 ? -1 : to->steal_ns + one->steal_ns;
	to->moved += one->moved;
	to->khz = one->khz;
	to->cpus = one->cpus;
}

static bool matrix_step(struct bench *bn, const struct mapping *m, const struct workload *w,
			unsigned int threads, unsigned int step, const char *name,
			struct sample *out)
{
	const struct plan *p = bn->plan;
	struct job job = { w, bn->shards };
	struct perf_counts counted;
	struct sample one = { 0 };
	unsigned int flags;
	struct stage *s;
	uint64_t wanted = p->ops ? p->ops / threads + 1 : bn->wanted[PLAN_WORKLOADS - 1];

	if (stop_pending())
		return false;
	out->ops += timing_deal(bn, m, w, threads, wanted, timing_seed(p, 0, 100 + step), 0);
	s = timing_timed(bn, threads, &job, &out->stages, name, &counted);
	perf_add(&out->perf, &counted);
	add_host(&out->host, &bn->host);
	flags = timing_judge(bn, s, w, 0, threads);
	/* The first fill meets untouched memory. */
	out->flags |= step ? flags : flags & ~(unsigned int)SAMPLE_FAULTS;
	if (!timing_finished(bn, threads))
		return false;
	timing_add_up(bn, threads, &job, &one);
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

	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		if (!matrix_step(bn, m, steps[i].w, steps[i].all ? all : 1, i, steps[i].name,
				 out))
			return;
		if (!i)
			timing_verify_before(bn, m, out, e);
	}
	timing_verify_after(bn, m, out);
	out->complete = true;
}

int matrix_run(struct bench *bn, const struct backing *b, struct sample *out,
		      struct hp_error *e)
{
	struct hp_error bad = { 0 };
	struct stage_clock c;
	struct mapping m;
	int ret;

	stage_begin(&c);
	stage_end(&c, &out->stages, "before");
	ret = hold_acquire(bn->plan, b, &m, &out->stages, e);
	if (ret)
		return ret;
	if (!bn->wanted[PLAN_WORKLOADS - 1])
		bn->wanted[PLAN_WORKLOADS - 1] = 1 << 20;
	matrix_steps(bn, &m, out, &bad);
	hold_release(&m, &out->stages, e);
	if (bad.code)
		*e = bad;
	return e->code;
}
