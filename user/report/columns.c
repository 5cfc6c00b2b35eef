// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns of a report. */
#include "report/collect.h"

#include <string.h>

#include "array.h"
#include "out/fmt.h"

const struct out_col report_cols[] = {
	{ "FILE", "file", OUT_TEXT, false },
	{ "HOST", "host", OUT_TEXT, false },
	{ "WORKLOAD", "label", OUT_TEXT, true },
	{ "BACKING", "backing", OUT_TEXT, true },
	{ "SIZE", "bytes", OUT_BYTES, true },
	{ "THREADS", "threads", OUT_COUNT, false },
	{ "LEAF", "leaf", OUT_LEAF, true },
	{ "READY", "ready_ns", OUT_NS, false },
	{ "MEDIAN", "median_ns", OUT_NS, true },
	{ "OP", "op_ns", OUT_NS, true },
	{ "WALK", "walk_ns", OUT_NS, false },
	{ "RATIO", "ratio.value", OUT_RATIO, true },
	{ "LOW", "ratio.ci95.0", OUT_RATIO, true },
	{ "HIGH", "ratio.ci95.1", OUT_RATIO, true },
	{ "VERDICT", "ratio.verdict", OUT_TEXT, true },
	{ "VS-FIRST", "vs.value", OUT_RATIO, false },
	{ "VS-LOW", "vs.ci95.0", OUT_RATIO, false },
	{ "VS-HIGH", "vs.ci95.1", OUT_RATIO, false },
	{ "MARK", "mark", OUT_TEXT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

_Static_assert(ARRAY_SIZE(report_cols) == REPORT_COLS, "REPORT_COLS is another number");

static bool any(const json_t *rows, const char *path)
{
	const json_t *row, *v;
	size_t i;

	json_array_foreach(rows, i, row) {
		v = fmt_lookup(row, path);
		if (v && !json_is_null(v))
			return true;
	}
	return false;
}

/* More than one thread somewhere. */
static bool any_threads(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (json_integer_value(json_object_get(row, "threads")) > 1)
			return true;
	return false;
}

/* Files of several machines. */
static bool several_hosts(const json_t *rows)
{
	const json_t *row, *first = json_array_get(rows, 0);
	size_t i;

	json_array_foreach(rows, i, row)
		if (strcmp(report_text(row, "host"), report_text(first, "host")))
			return true;
	return false;
}

void report_columns(const json_t *doc, struct out_col cols[REPORT_COLS])
{
	const json_t *rows = json_object_get(doc, "results");
	bool several = json_array_size(fmt_lookup(doc, "env.files")) > 1;

	memcpy(cols, report_cols, REPORT_COLS * sizeof(*cols));
	for (struct out_col *c = cols; c->name; c++) {
		if (!strcmp(c->name, "FILE"))
			c->shown = several;
		else if (!strcmp(c->name, "HOST"))
			c->shown = several_hosts(rows);
		else if (!strcmp(c->name, "THREADS"))
			c->shown = any_threads(rows);
		else if (!strcmp(c->name, "WALK"))
			c->shown = any(rows, c->path);
		else if (!strncmp(c->name, "VS-", 3))
			c->shown = any(rows, "vs");
		else if (!strncmp(c->path, "ratio.", 6) || !strcmp(c->path, "op_ns") ||
			 !strcmp(c->path, "median_ns"))
			c->shown = any(rows, c->path);
	}
}
