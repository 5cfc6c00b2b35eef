// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl run: workloads on one backing, stage by stage. */
#include <string.h>

#include "array.h"
#include "bench.h"
#include "cells.h"
#include "cmd.h"
#include "plan.h"
#include "rows.h"

static const char *const no_workloads[] = { NULL };
static const char *const one_backing[] = { "anon-4k", NULL };

static const struct out_col cols[] = {
	{ "WORKLOAD", "label", OUT_TEXT, true },
	{ "BACKING", "backing", OUT_TEXT, true },
	{ "STAGE", "stage.name", OUT_TEXT, true },
	{ "TIME", "stage.ns", OUT_NS, true },
	{ "USER", "stage.user_ns", OUT_NS, true },
	{ "SYSTEM", "stage.system_ns", OUT_NS, true },
	{ "MINFLT", "stage.minor_faults", OUT_COUNT, true },
	{ "MAJFLT", "stage.major_faults", OUT_COUNT, true },
	{ "PTE", "stage.pte_bytes", OUT_BYTES, true },
	{ "RSS", "stage.rss_bytes", OUT_BYTES, true },
	{ "SWAP", "stage.swap_bytes", OUT_BYTES, false },
	{ "HUGETLB", "stage.hugetlb_bytes", OUT_BYTES, true },
	{ "ANONHUGE", "stage.system_anon_huge_bytes", OUT_BYTES, false },
	{ "POOL-2M", "stage.pool_2m_free_bytes", OUT_BYTES, false },
	{ "POOL-1G", "stage.pool_1g_free_bytes", OUT_BYTES, false },
	{ "OP", "op_ns", OUT_NS, true },
	{ "RATE", "rate", OUT_RATE, false },
	{ "LEAF", "leaf", OUT_LEAF, true },
	{ "NODES", "nodes", OUT_NODES, false },
	{ "WALK", "walk.cost_ns", OUT_NS, false },
	{ "AHEAD", "batch.depth", OUT_COUNT, false },
	{ "DTLB-MISS", "dtlb_miss", OUT_TEXT, true },
	{ "NOTE", "note", OUT_TEXT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

/* A sweep's curve: a line a size. */
static const struct out_col sweep_cols[] = {
	{ "WORKLOAD", "label", OUT_TEXT, true },
	{ "BACKING", "backing", OUT_TEXT, true },
	{ "ASKED", "bytes_asked", OUT_BYTES, true },
	{ "SIZE", "bytes", OUT_BYTES, false },
	{ "LEAF", "leaf", OUT_LEAF, true },
	{ "READY", "ready_ns", OUT_NS, false },
	{ "MEDIAN", "median_ns", OUT_NS, true },
	{ "MAD", "mad_ns", OUT_NS, false },
	{ "OP", "op_ns", OUT_NS, true },
	{ "RATE", "ops_per_s.median", OUT_RATE, false },
	{ "RATIO", "ratio.value", OUT_RATIO, true },
	{ "LOW", "ratio.ci95.0", OUT_RATIO, true },
	{ "HIGH", "ratio.ci95.1", OUT_RATIO, true },
	{ "WALK", "walk.cost_ns", OUT_NS, false },
	{ "DTLB-MISS", "dtlb_miss", OUT_TEXT, true },
	{ "NOTE", "note", OUT_TEXT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static bool is_timed(const char *stage, const json_t *row)
{
	const char *pass = json_string_value(json_object_get(row, "pass"));

	return !strcmp(stage, pass ? pass : "timed");
}

/* A line a stage; the figures of the workload stand beside the timed one. */
static json_t *stage_rows(const json_t *results)
{
	static const char *const beside[] = { "op_ns", "leaf", "note", "walk", "nodes", "batch" };
	json_t *rows = json_array(), *row, *stage;
	size_t i, k;

	json_array_foreach(results, i, row) {
		json_array_foreach(json_object_get(row, "stages"), k, stage) {
			const char *name = json_string_value(json_object_get(stage, "name"));
			json_t *o = json_object();

			json_object_set(o, "label", json_object_get(row, "label"));
			json_object_set(o, "backing", json_object_get(row, "backing"));
			json_object_set(o, "stage", stage);
			for (size_t b = 0; b < ARRAY_SIZE(beside) && is_timed(name, row); b++)
				json_object_set(o, beside[b], json_object_get(row, beside[b]));
			if (is_timed(name, row)) {
				json_object_set(o, "rate", json_object_get(json_object_get(
					row, "ops_per_s"), "median"));
				json_object_set_new(o, "dtlb_miss", cells_dtlb(row));
			}
			json_array_append_new(rows, o);
		}
	}
	return rows;
}

/* The columns of stages; nodes where there is a choice. */
static void stage_cols(struct out_col *to, bool nodes)
{
	memcpy(to, cols, sizeof(cols));
	for (; to->name; to++)
		if (!strcmp(to->path, "nodes"))
			to->shown = nodes;
}

int cmd_run(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 }, bad = { 0 };
	struct out_col stages[ARRAY_SIZE(cols)];
	const struct out_col *table;
	json_t *doc, *rows;
	struct plan plan;

	if (!plan_parse(&plan, ctx, cmd_run_opts, argc, argv, no_workloads, one_backing, &e))
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	/* A backing that is the command's only one was asked for, named or not. */
	plan.explicit_b = true;
	if (plan.nr_b > 1 && !plan.sweep.steps)
		hp_fail(&e, HP_USAGE, 0, "run takes one backing, but for --sweep");
	table = plan.dry_run ? rows_plan_cols : plan.sweep.steps ? sweep_cols : stages;
	stage_cols(stages, plan.nodes_set || bench_nodes(doc) > 1);
	if (e.code || out_check_columns(&ctx->out, table, &e))
		return out_finish(&ctx->out, doc, &e);
	bench_main(&plan, &ctx->out, doc, &e);
	rows = plan.dry_run ? json_incref(json_object_get(json_object_get(doc, "env"), "plan")) :
	       plan.sweep.steps ? cells_rows(json_object_get(doc, "results")) :
	       stage_rows(json_object_get(doc, "results"));
	if (json_array_size(rows) && out_table(&ctx->out, rows, table, &bad) && !e.code)
		e = bad;
	json_decref(rows);
	return out_finish(&ctx->out, doc, &e);
}
