/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of a plan: all backings in every run, in an order that is shuffled anew
 * each time, so that what drifts (clock rate, other load) meets them alike.
 */
#ifndef HPCTL_BENCH_H
#define HPCTL_BENCH_H

#include <jansson.h>

#include "plan.h"
#include "session.h"

/**
 * struct bench_result - every sample
 * @missing: by backing: why it could not be had; code HP_OK: it could
 * @samples: [run][backing][workload]; run 0 is the warm-up
 * @order: [run][place]: number of a backing
 * @done: runs that were begun, with the warm-up
 * @perf_why: see perf_why()
 */
struct bench_result {
	struct bench bench;
	struct hp_error missing[PLAN_BACKINGS];
	struct sample *samples;
	unsigned char (*order)[PLAN_BACKINGS];
	unsigned int done;
	char perf_why[128];
};

/** bench_sample - of run @run, backing @b, workload @w */
static inline struct sample *bench_sample(const struct bench_result *r, unsigned int run,
					  unsigned int b, unsigned int w)
{
	const struct plan *p = r->bench.plan;

	return &r->samples[((size_t)run * p->nr_b + b) * p->nr_w + w];
}

/**
 * bench_main - all of run and compare behind the command line
 * @doc: gets results, warnings and what the plan was
 * Returns with @e filled if something went wrong; rows may be there all the same.
 */
void bench_main(struct plan *p, const struct out_opts *o, json_t *doc, struct hp_error *e);

#endif
