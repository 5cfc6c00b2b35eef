/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From samples to the rows of the document. */
#ifndef HPCTL_ROWS_H
#define HPCTL_ROWS_H

#include "bench.h"
#include "trust.h"

/**
 * rows_add - a row for each workload (each of its passes) and backing
 * @doc: gets "results"
 * @t: counts what is not to be trusted, for trust_report()
 */
void rows_add(const struct bench_result *r, json_t *doc, struct tally *t);

/** Columns of the plan. */
extern const struct out_col rows_plan_cols[];

/** rows_plan - add the rows of --dry-run, in env's "plan": results are what was measured */
void rows_plan(const struct bench_result *r, json_t *doc);

#endif
