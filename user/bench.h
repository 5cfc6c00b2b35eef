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
 */
struct bench_result {
	struct bench bench;
	struct hp_error missing[PLAN_BACKINGS];
	struct sample *samples;
	unsigned char (*order)[PLAN_BACKINGS];
	unsigned int done;
};

/** bench_sample - of run @run, backing @b, workload @w */
static inline struct sample *bench_sample(const struct bench_result *r, unsigned int run,
					  unsigned int b, unsigned int w)
{
	const struct plan *p = r->bench.plan;

	return &r->samples[((size_t)run * p->nr_b + b) * p->nr_w + w];
}

/** bench_nodes - NUMA nodes of this machine, by the document */
static inline size_t bench_nodes(const json_t *doc)
{
	return json_array_size(json_object_get(json_object_get(doc, "env"), "nodes"));
}

struct reserve;

/**
 * bench_prepare - settle the size, fill pools if asked, and see what can be had
 * @r: its plan is @p; gets missing
 * Returns HP_OK when at least one backing can be had.
 */
int bench_prepare(struct bench_result *r, struct plan *p, struct reserve *rv, json_t *doc,
		  struct hp_error *e);

/**
 * bench_restore - put pools back, with a warning where somebody else changed one
 * An error is not to replace one of the run's.
 */
int bench_restore(struct reserve *rv, json_t *doc, struct hp_error *e);

/**
 * bench_missing - one warning for each cause that backings are missing for
 * What was asked for by name is an error as well: the first becomes the command's.
 */
void bench_missing(const struct bench_result *r, json_t *doc, struct hp_error *e);

/**
 * bench_main - all of run and compare behind the command line
 * @doc: gets results, warnings and what the plan was
 * Returns with @e filled if something went wrong; rows may be there all the same.
 */
void bench_main(struct plan *p, const struct out_opts *o, json_t *doc, struct hp_error *e);

#endif
