/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: one backing, one run, every workload of the plan. Workloads that want
 * untouched memory get a mapping each, the others share one.
 */
#ifndef HPCTL_SESSION_H
#define HPCTL_SESSION_H

#include "timing.h"

/**
 * session_run - all workloads on @b
 * @run: 0 is the warm-up
 * @samples: one for each workload of the plan, zeroed
 *
 * Returns HP_OK, also when stop_pending() ended it; else what went wrong with the
 * memory, which has been given back.
 */
int session_run(struct bench *bn, const struct backing *b, unsigned int run,
		struct sample *samples, struct hp_error *e);

/** matrix_run - workload "matrix": its own sequence of stages */
int matrix_run(struct bench *bn, const struct backing *b, struct sample *out,
	       struct hp_error *e);

#endif
