// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl compare: the same workloads on every backing. */
#include <string.h>

#include "array.h"
#include "bench.h"
#include "cells.h"
#include "cmd.h"
#include "plan.h"
#include "rows.h"

/* Latency, throughput of reads and writes, and the cost of the first touch. */
static const char *const quick[] = { "touch", "fill", "get", "set", "chase", NULL };

static const struct out_col cols[] = {
	{ "WORKLOAD", "label", OUT_TEXT, true },
	{ "BACKING", "backing", OUT_TEXT, true },
	{ "ASKED", "bytes_asked", OUT_BYTES, false },
	{ "SIZE", "bytes", OUT_BYTES, true },
	{ "PAGE", "page_bytes_asked", OUT_BYTES, false },
	{ "LEAF", "leaf", OUT_LEAF, true },
	{ "READY", "ready_ns", OUT_NS, true },
	{ "MEDIAN", "median_ns", OUT_NS, true },
	{ "MAD", "mad_ns", OUT_NS, false },
	{ "OP", "op_ns", OUT_NS, true },
	{ "RATE", "ops_per_s.median", OUT_RATE, false },
	{ "RATIO", "ratio.value", OUT_RATIO, true },
	{ "LOW", "ratio.ci95.0", OUT_RATIO, true },
	{ "HIGH", "ratio.ci95.1", OUT_RATIO, true },
	{ "VERDICT", "ratio.verdict", OUT_TEXT, true },
	{ "VERIFIED", "verified", OUT_BOOL, true },
	{ "NODES", "nodes", OUT_NODES, false },
	{ "BY", "verified_by", OUT_TEXT, false },
	{ "THREADS", "threads", OUT_COUNT, false },
	{ "OPS", "ops", OUT_COUNT, false },
	{ "CHECKSUM", "checksum", OUT_TEXT, false },
	{ "WALK", "walk.cost_ns", OUT_NS, false },
	{ "DTLB-MISS", "dtlb_miss", OUT_TEXT, true },
	{ "FAULTS", "page_faults", OUT_COUNT, false },
	{ "USER/GIB", "churn.per_gib.user_ns", OUT_NS, false },
	{ "SYSTEM/GIB", "churn.per_gib.system_ns", OUT_NS, false },
	{ "COST/BYTE", "sparse.cost_per_byte", OUT_BYTES, false },
	{ "BLOW-UP", "sparse.blow_up", OUT_RATIO, false },
	{ "AHEAD", "batch.depth", OUT_COUNT, false },
	{ "KEYS", "hash.keys", OUT_COUNT, false },
	{ "ROWS", "index.rows", OUT_COUNT, false },
	{ "NOTE", "note", OUT_TEXT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static int print(const struct out_opts *o, const json_t *results, bool nodes,
		 struct hp_error *e)
{
	struct out_col table[ARRAY_SIZE(cols)];
	json_t *rows = cells_rows(results);
	int ret;

	memcpy(table, cols, sizeof(table));
	/* Walks are timed with the module only; others have figures of their own. */
	for (size_t i = 0; table[i].name; i++) {
		if (!strcmp(table[i].path, "walk.cost_ns"))
			table[i].shown = cells_any(results, "walk");
		else if (!strcmp(table[i].path, "nodes"))
			table[i].shown = nodes;
		else if (!strncmp(table[i].path, "churn.", 6))
			table[i].shown = cells_any(results, "churn");
		else if (!strncmp(table[i].path, "sparse.", 7))
			table[i].shown = cells_any(results, "sparse");
		else if (!strcmp(table[i].path, "batch.depth"))
			table[i].shown = cells_any(results, "batch");
	}
	ret = out_table(o, rows, table, e);
	json_decref(rows);
	return ret;
}

int cmd_compare(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 }, bad = { 0 };
	struct plan plan;
	json_t *doc, *rows;

	if (!plan_parse(&plan, ctx, cmd_compare_opts, argc, argv, quick, backing_names, &e))
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	if (!plan.dry_run && out_check_columns(&ctx->out, cols, &e))
		return out_finish(&ctx->out, doc, &e);
	bench_main(&plan, &ctx->out, doc, &e);
	rows = plan.dry_run ? json_object_get(json_object_get(doc, "env"), "plan") :
	       json_object_get(doc, "results");
	if (json_array_size(rows) && plan.dry_run)
		out_table(&ctx->out, rows, rows_plan_cols, &bad);
	else if (json_array_size(rows))
		print(&ctx->out, rows, plan.nodes_set || bench_nodes(doc) > 1, &bad);
	if (!e.code)
		e = bad;
	return out_finish(&ctx->out, doc, &e);
}
