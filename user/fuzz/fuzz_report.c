// SPDX-License-Identifier: GPL-2.0-or-later
/* A saved document, or what calls itself one, read and made into every form. */
#include "fuzz.h"

#include <string.h>

#include "report/collect.h"
#include "report/gnuplot.h"
#include "report/load.h"
#include "report/render.h"

/*
 * In place of gnuplot, which would take most of the time: what it would have been given
 * has to be what plot_label() lets through. A quote left open, a backquote or a control
 * character from the document would be a command.
 */
int gnuplot_svg(const char *script, size_t len, unsigned int number, char **svg,
		struct hp_error *e)
{
	unsigned int quotes = 0;

	(void)number;
	(void)e;
	for (size_t i = 0; i < len; i++) {
		MUST(script[i] == '\n' || (script[i] >= ' ' && script[i] <= '~'));
		MUST(script[i] != '`' && script[i] != '!' && script[i] != '"');
		quotes += script[i] == '\'';
		/* No text reaches over the end of its line. */
		MUST(script[i] != '\n' || quotes % 2 == 0);
	}
	*svg = strdup("<svg></svg>");
	return HP_OK;
}

static void form(const json_t *doc, int (*render)(const json_t *d, FILE *f, struct hp_error *e))
{
	struct hp_error e = { 0 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f) {
		MUST(!render(doc, f, &e));
		fclose(f);
		for (size_t i = 0; i < size; i++)
			MUST(text[i] == '\n' || (unsigned char)text[i] >= ' ');
	}
	free(text);
}

/* The table's cells, without the table. */
static void cells(const json_t *doc)
{
	struct out_col cols[REPORT_COLS];
	const json_t *row;
	char group[160];
	size_t i;

	report_columns(doc, cols);
	json_array_foreach(json_object_get(doc, "results"), i, row)
		report_group(row, group, sizeof(group));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_error e = { 0 };
	json_t *doc = report_parse((const char *)data, size, "input", &e), *out;
	char one[16] = "a/input.json", two[16] = "b/input.json";
	char *paths[2] = { one, two };
	json_t *docs[] = { doc, doc };

	if (!doc) {
		MUST(e.code && *e.message);
		for (const char *p = e.message; *p; p++)
			MUST((unsigned char)*p >= ' ' && *p != 0x7f);
		return 0;
	}
	/* Two files, which cost more, for every other input. */
	for (size_t nr = 1; nr <= 1 + size % 2; nr++) {
		out = json_pack("{s:s, s:{}, s:[], s:[]}", "command", "report", "env", "results",
				"warnings");
		MUST(!report_collect(out, paths, docs, nr, &e));
		cells(out);
		form(out, report_csv);
		form(out, report_markdown);
		form(out, report_html);
		json_decref(out);
	}
	json_decref(doc);
	return 0;
}
