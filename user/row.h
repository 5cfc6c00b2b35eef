/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One row of a comparison: which samples it is of, and what they say together. */
#ifndef HPCTL_ROW_H
#define HPCTL_ROW_H

#include "bench.h"
#include "measure/stats.h"

/**
 * struct row - one to be written
 * @w, @b, @ref: numbers of workload, backing and reference backing
 * @pass: 0: the only one, else 1 or 2
 * @nr: complete counted runs, whose times are in @ns and numbers in @run
 */
struct row {
	const struct bench_result *r;
	unsigned int w, b, ref, pass, nr;
	unsigned int flags;
	double *ns;
	unsigned int *run;
	struct stats stats;
};

/** row_sample, row_workload - the sample of run @run; what was run */
const struct sample *row_sample(const struct row *row, unsigned int run);
const struct workload *row_workload(const struct row *row);

/** row_sample_ns - time of what the row is about; the whole of it for a sequence of stages */
double row_sample_ns(const struct sample *s, const struct workload *w, unsigned int pass);

/** row_ready_ns - from nothing to written memory; NaN where there is no such thing */
double row_ready_ns(const struct sample *s, const struct workload *w);

/** row_ops - operations of a run, 0: not counted */
uint64_t row_ops(const struct row *row);

/** row_host - what happened to the CPUs */
const struct host_state *row_host(const struct sample *s, unsigned int pass);

/**
 * row_collect - the complete counted runs: times, statistics and flags
 * Returns false when memory is short; the caller frees ns and run in any case.
 */
bool row_collect(struct row *row);

#endif
