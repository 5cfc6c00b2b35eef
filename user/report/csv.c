// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/render.h"

#include <string.h>

#include "out/fmt.h"

/* Names are those of the JSON, with what is inside of an object behind a '_'. */
static const struct {
	const char *name, *path;
} columns[] = {
	{ "file", "file" }, { "host", "host" }, { "workload", "workload" }, { "pass", "pass" },
	{ "label", "label" }, { "backing", "backing" },
	{ "page_bytes_asked", "page_bytes_asked" }, { "bytes_asked", "bytes_asked" },
	{ "bytes", "bytes" }, { "elements", "elements" }, { "threads", "threads" },
	{ "ops", "ops" }, { "ready_ns", "ready_ns" }, { "median_ns", "median_ns" },
	{ "p10_ns", "p10_ns" }, { "p90_ns", "p90_ns" }, { "mad_ns", "mad_ns" },
	{ "ci95_low_ns", "ci95_ns.0" }, { "ci95_high_ns", "ci95_ns.1" }, { "op_ns", "op_ns" },
	{ "ops_per_s", "ops_per_s.median" }, { "ratio_to", "ratio.to" },
	{ "ratio", "ratio.value" }, { "ratio_low", "ratio.ci95.0" },
	{ "ratio_high", "ratio.ci95.1" }, { "verdict", "ratio.verdict" }, { "vs_file", "vs.to" },
	{ "vs", "vs.value" }, { "vs_low", "vs.ci95.0" }, { "vs_high", "vs.ci95.1" },
	{ "vs_verdict", "vs.verdict" }, { "walk_ns", "walk_ns" }, { "leaf_pte_bytes", "leaf.pte" },
	{ "leaf_pmd_bytes", "leaf.pmd" }, { "leaf_pud_bytes", "leaf.pud" },
	{ "leaf_none_bytes", "leaf.none" }, { "verified", "verified" },
	{ "verified_by", "verified_by" }, { "partial", "partial" }, { "mark", "mark" },
	{ "checksum", "checksum" }, { "samples_ns", "samples_ns" },
	{ NULL, NULL }
};

static void put_text(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\r\n") && *text != ' ') {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

static void put_value(FILE *f, const json_t *v)
{
	const json_t *item;
	size_t i;

	switch (json_typeof(v)) {
	case JSON_STRING:
		put_text(f, json_string_value(v));
		break;
	case JSON_INTEGER:
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		break;
	case JSON_REAL:
		fprintf(f, "%.12g", json_real_value(v));
		break;
	case JSON_TRUE:
		fputs("true", f);
		break;
	case JSON_FALSE:
		fputs("false", f);
		break;
	case JSON_ARRAY:
		/* Samples: in one field, as spreadsheets split them. */
		json_array_foreach(v, i, item) {
			if (i)
				fputc(' ', f);
			put_value(f, item);
		}
		break;
	case JSON_OBJECT:
	case JSON_NULL:
		break;
	}
}

int report_csv(const json_t *doc, FILE *f, struct hp_error *e)
{
	const json_t *row, *v;
	size_t i;

	(void)e;
	for (size_t c = 0; columns[c].name; c++)
		fprintf(f, "%s%s", c ? "," : "", columns[c].name);
	fputc('\n', f);
	json_array_foreach(json_object_get(doc, "results"), i, row) {
		for (size_t c = 0; columns[c].name; c++) {
			if (c)
				fputc(',', f);
			v = fmt_lookup(row, columns[c].path);
			if (v)
				put_value(f, v);
		}
		fputc('\n', f);
	}
	return HP_OK;
}
