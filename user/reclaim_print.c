// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reclaim.h"

#define BAR	40

static const struct out_col cols[] = {
	{ "WHAT", "source", OUT_TEXT, true },
	{ "BY", "by", OUT_TEXT, true },
	{ "PAGE", "page_bytes", OUT_BYTES, true },
	{ "NODE", "node", OUT_COUNT, true },
	{ "COUNT", "count", OUT_COUNT, true },
	{ "BEGUN", "begun", OUT_COUNT, true },
	{ "TOTAL", "sum_ns", OUT_NS, true },
	{ "P50", "p50_ns", OUT_NS, true },
	{ "P90", "p90_ns", OUT_NS, true },
	{ "P99", "p99_ns", OUT_NS, true },
	{ "MAX", "max_ns", OUT_NS, true },
	{ "PAGES", "pages", OUT_COUNT, true },
	{ "FAILED", "failed", OUT_COUNT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static const struct out_col failure_cols[] = {
	{ "CAUSE", "cause", OUT_TEXT, true },
	{ "FAILED", "count", OUT_COUNT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static const struct out_col pair_cols[] = {
	{ "WHAT", "what", OUT_TEXT, true },
	{ "MODULE", "module", OUT_COUNT, true },
	{ "KERNEL", "kernel", OUT_COUNT, true },
	{ "COUNTER", "counters", OUT_NODES, true },
	{ "HOLDS", "holds", OUT_BOOL, true },
	{ "RULE", "rule", OUT_TEXT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static const struct out_col vm_cols[] = {
	{ "COUNTER", "name", OUT_TEXT, true },
	{ "COUNT", "value", OUT_COUNT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static const struct out_col pressure_cols[] = {
	{ "PRESSURE", "name", OUT_TEXT, true },
	{ "AVG10", "avg10", OUT_PERCENT, true },
	{ "AVG60", "avg60", OUT_PERCENT, true },
	{ "AVG300", "avg300", OUT_PERCENT, true },
	{ "STALLED", "since_ns", OUT_NS, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static const struct out_col free_cols[] = {
	{ "NODE", "node", OUT_COUNT, true },
	{ "LARGEST-ORDER", "order", OUT_COUNT, true },
	{ "LARGEST-FREE", "bytes", OUT_BYTES, true },
	{ NULL, NULL, OUT_TEXT, false }
};

int reclaim_check_columns(const struct out_opts *o, struct hp_error *e)
{
	return out_check_columns(o, cols, e);
}

/* A table below the first, to which --columns does not apply. */
static void table(const struct out_opts *o, const json_t *rows, const struct out_col *c)
{
	struct out_opts plain = *o;
	struct hp_error ignored = { 0 };

	plain.columns = NULL;
	if (json_array_size(rows))
		out_table(&plain, rows, c, &ignored);
}

static void print_trace(const json_t *t)
{
	json_int_t threshold = json_integer_value(json_object_get(t, "threshold_ns"));
	const json_t *pid = json_object_get(t, "pid"), *cg = json_object_get(t, "cgroup");
	json_int_t untracked = json_integer_value(json_object_get(t, "untracked"));
	char text[32];

	if (!json_is_true(json_object_get(t, "enabled"))) {
		puts("tracing of the kernel's reclaim is off (hpctl reclaim on)");
		return;
	}
	printf("tracing of the kernel's reclaim is on");
	if (json_is_false(json_object_get(t, "all")) && json_is_null(pid) && json_is_null(cg))
		printf(", of one process or cgroup only");
	if (json_is_integer(pid))
		printf(", process %" JSON_INTEGER_FORMAT " only", json_integer_value(pid));
	if (json_is_integer(cg))
		printf(", cgroup with inode %" JSON_INTEGER_FORMAT " only", json_integer_value(cg));
	if (threshold)
		printf(", stalls above %s", out_ns(text, (double)threshold));
	if (untracked)
		printf(", %" JSON_INTEGER_FORMAT " not timed", untracked);
	putchar('\n');
}

/* One line an octave: where it begins, how many, and a bar of their share. */
static void print_bars(const json_t *stats)
{
	const json_t *row, *oct;
	size_t i, k;

	json_array_foreach(stats, i, row) {
		json_int_t most = 0;

		json_array_foreach(json_object_get(row, "octaves"), k, oct) {
			json_int_t n = json_integer_value(json_object_get(oct, "count"));

			most = n > most ? n : most;
		}
		if (!most)
			continue;
		printf("\n%s", json_string_value(json_object_get(row, "source")));
		if (json_is_integer(json_object_get(row, "page_bytes"))) {
			char text[32];

			printf(", %s pages, node %" JSON_INTEGER_FORMAT,
			       out_bytes(text, (unsigned long long)json_integer_value(
						 json_object_get(row, "page_bytes"))),
			       json_integer_value(json_object_get(row, "node")));
		}
		putchar('\n');
		json_array_foreach(json_object_get(row, "octaves"), k, oct) {
			json_int_t n = json_integer_value(json_object_get(oct, "count"));
			int bar = (int)((n * BAR + most - 1) / most);
			char text[32];

			printf("  from %-8s %8" JSON_INTEGER_FORMAT " %.*s\n",
			       out_ns(text, (double)json_integer_value(json_object_get(oct,
									"from_ns"))), n, bar,
			       "########################################");
		}
	}
}

/* Those that counted something, without -v. */
static json_t *vm_rows(const json_t *vm, bool all)
{
	json_t *rows = json_array(), *v;
	const char *name;

	json_object_foreach((json_t *)vm, name, v)
		if (all || json_integer_value(v))
			json_array_append_new(rows, json_pack("{s:s, s:O}", "name", name,
							      "value", v));
	return rows;
}

static json_t *pressure_rows(const json_t *p)
{
	static const char *const avg[] = { "avg10", "avg60", "avg300" };
	json_t *rows = json_array(), *one;
	const char *kind;

	json_object_foreach((json_t *)p, kind, one) {
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(kind));
		for (int i = 0; i < 3; i++)
			json_object_set_new(o, avg[i], json_real(json_number_value(
				json_object_get(one, avg[i])) / 100));
		json_object_set(o, "since_ns", json_object_get(one, "since_ns"));
		json_array_append_new(rows, o);
	}
	return rows;
}

static void print_kernel(const struct out_opts *o, const json_t *report)
{
	const json_t *since = json_object_get(report, "since");
	bool on = !strcmp(json_string_value(json_object_get(since, "what")), "on");
	json_t *rows = vm_rows(json_object_get(report, "vmstat"), o->verbose);
	char text[32];

	printf("\nthe kernel's counters since %s (%s)\n",
	       on ? "\"hpctl reclaim on\"" : "boot; when tracing began is not known",
	       out_ns(text, (double)json_integer_value(json_object_get(since, "ns"))));
	table(o, rows, vm_cols);
	if (!json_array_size(rows))
		puts("all are 0");
	json_decref(rows);
	putchar('\n');
	if (json_is_null(json_object_get(report, "pressure"))) {
		puts("memory pressure (PSI): n/a");
	} else {
		rows = pressure_rows(json_object_get(report, "pressure"));
		table(o, rows, pressure_cols);
		json_decref(rows);
	}
	putchar('\n');
	table(o, json_object_get(report, "largest_free"), free_cols);
}

int reclaim_print(const struct out_opts *o, const json_t *report, struct hp_error *e)
{
	const json_t *stats = json_object_get(report, "stats");

	if (o->json)
		return HP_OK;
	print_trace(json_object_get(report, "trace"));
	if (out_table(o, stats, cols, e))
		return e->code;
	if (o->verbose)
		print_bars(stats);
	if (json_array_size(json_object_get(report, "failures"))) {
		puts("\nallocations that failed");
		table(o, json_object_get(report, "failures"), failure_cols);
	}
	print_kernel(o, report);
	if (o->verbose) {
		puts("\nthe same, counted by the module and by the kernel");
		table(o, json_object_get(report, "pairs"), pair_cols);
		puts("P50, P90 and P99 are upper bounds of histogram buckets, 25 % above at most");
	}
	return HP_OK;
}
