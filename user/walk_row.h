/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One backing for hpctl walk: mapped, verified, timed, estimated; as a row. */
#ifndef HPCTL_WALK_ROW_H
#define HPCTL_WALK_ROW_H

#include "timing.h"
#include "trust.h"

/**
 * struct walk_plan
 * @plan: backings, size, seed; no workloads
 * @samples, @cold, @hist: as in struct hpbuf_nl_walk_req
 */
struct walk_plan {
	struct plan plan;
	uint64_t samples;
	bool cold, hist;
};

/**
 * walk_row - measure on @b and append a row to @doc's results
 * @bn: plan, crew of one, module or NULL
 * @no_module: why there is none
 * @t: gets what is wrong with the memory
 * @e: why there is no row, or not all of it
 */
int walk_row(struct bench *bn, const struct walk_plan *wp, const struct backing *b,
	     const char *no_module, json_t *doc, struct tally *t, struct hp_error *e);

#endif
