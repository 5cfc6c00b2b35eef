// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of --dry-run. */
#include "rows.h"

const struct out_col rows_plan_cols[] = {
	{ "WORKLOAD", "workload", OUT_TEXT, true },
	{ "BACKING", "backing", OUT_TEXT, true },
	{ "PAGE", "page_bytes_asked", OUT_BYTES, true },
	{ "ASKED", "bytes_asked", OUT_BYTES, true },
	{ "SIZE", "bytes", OUT_BYTES, true },
	{ "THREADS", "threads", OUT_COUNT, true },
	{ "RUNS", "runs", OUT_COUNT, true },
	{ "MISSING", "missing", OUT_TEXT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

void rows_plan(const struct bench_result *r, json_t *doc)
{
	json_t *env = json_object_get(doc, "env"), *list = json_object_get(env, "plan");
	const struct plan *p = r->bench.plan;

	if (!list) {
		list = json_array();
		json_object_set_new(env, "plan", list);
	}

	for (unsigned int w = 0; w < p->nr_w; w++) {
		for (unsigned int b = 0; b < p->nr_b; b++) {
			uint64_t bytes = 0;

			backing_round(&p->b[b], p->bytes, &bytes);
			json_array_append_new(list, json_pack(
				"{s:s, s:o, s:I, s:I, s:I, s:i, s:i, s:o}",
				"workload", p->w[w]->name,
				"backing", out_string(p->b[b].label),
				"page_bytes_asked", (json_int_t)backing_page(&p->b[b]),
				"bytes_asked", (json_int_t)p->bytes,
				"bytes", (json_int_t)bytes,
				"threads", (int)p->threads,
				"runs", (int)p->runs,
				"missing", r->missing[b].code ?
				out_string(r->missing[b].message) : json_null()));
		}
	}
}
