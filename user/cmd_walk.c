// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hpctl walk: what a page walk costs on each kind of memory: measured by the
 * module, estimated from user space, and what the page tables' shape lets expect.
 */
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "backing/reserve.h"
#include "bench.h"
#include "cmd.h"
#include "measure/guard.h"
#include "measure/stop.h"
#include "module.h"
#include "parse.h"
#include "rows.h"
#include "walk_row.h"

#define SAMPLES		8192

enum {
	KEY_SAMPLES = KEY_PLAN_END, KEY_COLD, KEY_HIST
};

const struct hp_opt cmd_walk_opts[] = {
	{ "backing", 'b', "LIST", "kinds of memory (all there are)" },
	{ "buffer", KEY_BUFFER, "ID", "an existing buffer of the module; only read" },
	{ "size", 's', "SIZE", "bytes to map" },
	{ "samples", KEY_SAMPLES, "N", "loads of each kind to time, 1 to 65536 (8192)" },
	{ "nodes", KEY_NODES, "LIST", "NUMA nodes for memory and thread: 0, 0-1, all, !1" },
	{ "seed", KEY_SEED, "N", "of the places and the order" },
	{ "cold", KEY_COLD, NULL, "also with the page tables flushed from the caches" },
	{ "hist", KEY_HIST, NULL, "histograms in the JSON document" },
	{ "timeout", KEY_TIMEOUT, "TIME", "limit of the whole (30m)" },
	{ "spare", KEY_SPARE, "SIZE", "memory to be left (10 %, at most 16 GiB)" },
	{ "reserve", KEY_RESERVE, NULL, "fill hugetlb pools for the time, then put them back" },
	{ "dry-run", KEY_DRY_RUN, NULL, "only say what would be done" },
	{ NULL, 0, NULL, NULL }
};

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct walk_plan *wp = arg;

	switch (key) {
	case KEY_SAMPLES:
		if (hp_parse_count(value, &wp->samples, e))
			return e->code;
		if (wp->samples > HPBUF_NL_WALK_SAMPLES)
			return hp_fail(e, HP_USAGE, 0, "--samples \"%.40s\": at most %d", value,
				       HPBUF_NL_WALK_SAMPLES);
		return HP_OK;
	case KEY_COLD:
		wp->cold = true;
		return HP_OK;
	case KEY_HIST:
		wp->hist = true;
		return HP_OK;
	default:
		return plan_take(key, value, &wp->plan, e);
	}
}

/* ---- the table ---- */

/*
 * In the first table: "m" with the module's figures, "e" without. In the second,
 * which sets expectation against figures: "x". Otherwise by --columns.
 */
static const struct {
	struct out_col col;
	const char *where;
} cols[] = {
	{ { "BACKING", "backing", OUT_TEXT, false }, "mex" },
	{ { "SIZE", "bytes", OUT_BYTES, false }, "e" },
	{ { "LEAF", "leaf", OUT_LEAF, false }, "me" },
	{ { "TABLES", "walk.table_bytes", OUT_BYTES, false }, "m" },
	{ { "HIT", "walk.hit_ns", OUT_NS, false }, "m" },
	{ { "WARM", "walk.warm_ns", OUT_NS, false }, "m" },
	{ { "COLD", "walk.cold_ns", OUT_NS, false }, "mc" },
	{ { "HIT-TICKS", "walk.hit_ticks", OUT_COUNT, false }, "" },
	{ { "WARM-TICKS", "walk.warm_ticks", OUT_COUNT, false }, "" },
	{ { "COLD-TICKS", "walk.cold_ticks", OUT_COUNT, false }, "" },
	{ { "REFS", "model.refs", OUT_COUNT, false }, "x" },
	{ { "IN-L2-TO", "model.l2_reach_bytes", OUT_BYTES, false }, "x" },
	{ { "IN-L3-TO", "model.l3_reach_bytes", OUT_BYTES, false }, "x" },
	{ { "WALK", "walk.cost_ns", OUT_NS, false }, "mx" },
	{ { "WALK-P90", "walk.cost_p90_ns", OUT_NS, false }, "m" },
	{ { "COLD-WALK", "walk.cold_cost_ns", OUT_NS, false }, "mcx" },
	{ { "COLD-P90", "walk.cold_cost_p90_ns", OUT_NS, false }, "mc" },
	{ { "SAMPLES", "walk.samples", OUT_COUNT, false }, "m" },
	{ { "SKIPPED", "walk.skipped", OUT_COUNT, false }, "m" },
	{ { "PAGES", "estimate.pages", OUT_COUNT, false }, "e" },
	{ { "SPREAD", "estimate.spread_ns", OUT_NS, false }, "e" },
	{ { "PACKED", "estimate.packed_ns", OUT_NS, false }, "e" },
	{ { "ESTIMATE", "estimate.cost_ns", OUT_NS, false }, "ex" },
	{ { "LOW", "estimate.ci95_ns.0", OUT_NS, false }, "ex" },
	{ { "HIGH", "estimate.ci95_ns.1", OUT_NS, false }, "ex" },
	{ { "TO-WALK", "estimate.to_module", OUT_RATIO, false }, "x" },
	{ { "VERDICT", "estimate.verdict", OUT_TEXT, false }, "ex" },
	{ { "PAGE", "page_bytes_asked", OUT_BYTES, false }, "" },
	{ { "VERIFIED", "verified", OUT_BOOL, false }, "" },
	{ { "NODES", "nodes", OUT_NODES, false }, "" },
	{ { "BY", "verified_by", OUT_TEXT, false }, "" },
	{ { "NOTE", "note", OUT_TEXT, false }, "me" },
};

/* The columns of the table @which; those of cold walks only with @cold. */
static void pick(struct out_col *to, char which, bool cold)
{
	for (size_t i = 0; i < ARRAY_SIZE(cols); i++) {
		to[i] = cols[i].col;
		to[i].shown = strchr(cols[i].where, which) &&
			      (cold || !strchr(cols[i].where, 'c'));
	}
	memset(&to[ARRAY_SIZE(cols)], 0, sizeof(*to));
}

static const json_t *first_walk(const json_t *rows)
{
	const json_t *row, *walk;
	size_t i;

	json_array_foreach(rows, i, row) {
		walk = json_object_get(row, "walk");
		if (json_is_object(walk))
			return walk;
	}
	return NULL;
}

/* So that nobody takes an emulator's figures for a CPU's. */
static void print_notes(const json_t *doc, const json_t *walk)
{
	const json_t *vm = json_object_get(json_object_get(doc, "env"), "vm");
	json_t *khz = json_object_get(walk, "tsc_khz"), *row;
	const char *why;
	size_t i;

	puts("");
	json_array_foreach(json_object_get(doc, "results"), i, row) {
		why = json_string_value(json_object_get(row, "estimate_why"));
		if (why)
			printf("%s: no estimate: %s\n",
			       json_string_value(json_object_get(row, "backing")), why);
	}
	if (walk)
		printf("TSC: %.3f MHz\n", json_number_value(khz) / 1000);
	else
		puts("ESTIMATE: a load on another page each time, less one on the same few (paired chases)");
	if (json_is_true(walk ? json_object_get(walk, "hypervisor") : vm))
		puts("a virtual machine: walks are two-dimensional or emulated, not this CPU's own");
}

static int print(const struct out_opts *o, const json_t *doc, bool cold, struct hp_error *e)
{
	const json_t *rows = json_object_get(doc, "results"), *walk = first_walk(rows);
	struct out_col table[ARRAY_SIZE(cols) + 1];
	int ret;

	pick(table, walk ? 'm' : 'e', cold);
	ret = out_table(o, rows, table, e);
	if (ret || o->json)
		return ret;
	if (!o->columns) {
		pick(table, 'x', cold);
		puts("");
		ret = out_table(o, rows, table, e);
	}
	if (!ret && !o->no_headings)
		print_notes(doc, walk);
	return ret;
}

/* ---- the command ---- */

static void describe(const struct bench_result *r, const struct walk_plan *wp, json_t *doc)
{
	const struct plan *p = &wp->plan;
	json_t *env = json_object_get(doc, "env"), *list = json_array();

	json_object_set_new(env, "seed", json_integer((json_int_t)p->seed));
	if (!p->dry_run) {
		json_decref(list);
		return;
	}
	for (unsigned int i = 0; i < p->nr_b; i++) {
		uint64_t bytes = 0;

		backing_round(&p->b[i], p->bytes, &bytes);
		json_array_append_new(list, json_pack(
			"{s:s, s:o, s:I, s:I, s:I, s:i, s:i, s:o}",
			"workload", "walk", "backing", out_string(p->b[i].label),
			"page_bytes_asked", (json_int_t)backing_page(&p->b[i]),
			"bytes_asked", (json_int_t)p->bytes, "bytes", (json_int_t)bytes,
			"threads", 1, "runs", 1, "missing", r->missing[i].code ?
			out_string(r->missing[i].message) : json_null()));
	}
	json_object_set_new(env, "plan", list);
}

static void all_backings(struct bench_result *r, const struct walk_plan *wp,
			 const struct out_opts *o, json_t *doc, struct hp_error *e)
{
	struct hp_error no_module = { 0 }, wrong = { 0 };
	const struct plan *p = &wp->plan;
	struct tally t = { 0 };

	if (crew_new(&r->bench.crew, 1, e))
		return;
	if (module_nl_open(&r->bench.nl, &no_module))
		r->bench.nl = NULL;
	for (unsigned int i = 0; i < p->nr_b && !stop_pending(); i++) {
		if (r->missing[i].code)
			continue;
		out_progress(o, "walk: %s", p->b[i].label);
		walk_row(&r->bench, wp, &p->b[i], no_module.message, doc, &t, &r->missing[i]);
	}
	out_progress(o, "%s", "");
	crew_free(r->bench.crew);
	if (r->bench.nl)
		hpbuf_nl_close(r->bench.nl);
	bench_missing(r, doc, e);
	trust_report(&t, doc, &wrong);
	if (stop_error(e))
		return;
	if (wrong.code)
		*e = wrong;
}

static void walk_main(struct walk_plan *wp, const struct out_opts *o, json_t *doc,
		      struct hp_error *e)
{
	struct bench_result r = { .bench.plan = &wp->plan };
	struct reserve rv = { .lock = -1 };
	struct hp_error back = { 0 };
	struct guard *guard = NULL;
	int ret;

	stop_install(wp->plan.limit_ns);
	ret = guard_start(&guard, 0, e);
	if (!ret)
		ret = bench_prepare(&r, &wp->plan, &rv, doc, e);
	if (!ret)
		guard_least(guard, wp->plan.spare / 2);
	if (!ret && wp->plan.dry_run)
		bench_missing(&r, doc, e);
	else if (!ret)
		all_backings(&r, wp, o, doc, e);
	describe(&r, wp, doc);
	if (ret)
		stop_error(e);
	guard_end(guard);
	bench_restore(&rv, doc, &back);
	if (!e->code)
		*e = back;
}

int cmd_walk(struct hp_ctx *ctx, int argc, char **argv)
{
	struct walk_plan wp = { .samples = SAMPLES };
	struct out_col all[ARRAY_SIZE(cols) + 1];
	struct hp_error e = { 0 }, bad = { 0 };
	json_t *doc, *plan;
	int first;

	plan_init(&wp.plan);
	first = hp_opts(ctx, cmd_walk_opts, argc, argv, take, &wp, &e);
	if (!first || hp_opts_none(argc, argv, first, &e) ||
	    plan_finish(&wp.plan, ctx, NULL, backing_names, &e))
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	pick(all, 'm', false);
	if (!wp.plan.dry_run && out_check_columns(&ctx->out, all, &e))
		return out_finish(&ctx->out, doc, &e);
	walk_main(&wp, &ctx->out, doc, &e);
	plan = json_object_get(json_object_get(doc, "env"), "plan");
	if (json_array_size(plan))
		out_table(&ctx->out, plan, rows_plan_cols, &bad);
	else if (json_array_size(json_object_get(doc, "results")))
		print(&ctx->out, doc, wp.cold, &bad);
	if (!e.code)
		e = bad;
	return out_finish(&ctx->out, doc, &e);
}
