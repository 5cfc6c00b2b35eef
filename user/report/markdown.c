// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "report/collect.h"

/* As text wherever it stands: no markup, no HTML, no end of a cell. */
static void put(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>#|!~&$", *text))
			fputc('\\', f);
		fputc(*text, f);
	}
}

static void put_file(FILE *f, const json_t *file)
{
	static const struct { const char *name, *path; } lines[] = {
		{ "host", "env.host" }, { "CPU", "env.cpu" }, { "kernel", "env.kernel" },
		{ "module", "env.module" }, { "taken", "env.time" },
	};
	const char *said = report_text(file, "error.message");
	const json_t *w, *arg;
	size_t i;

	fputs("* **", f);
	put(f, report_text(file, "file"));
	fputs("**", f);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!*report_text(file, lines[i].path))
			continue;
		fprintf(f, ", %s ", lines[i].name);
		put(f, report_text(file, lines[i].path));
	}
	if (json_is_true(fmt_lookup(file, "env.vm")))
		fputs(", in a virtual machine", f);
	fputs(":", f);
	json_array_foreach(fmt_lookup(file, "env.argv"), i, arg) {
		fputc(' ', f);
		/* The path it was called by says nothing elsewhere. */
		put(f, i ? json_string_value(arg) : "hpctl");
	}
	fputc('\n', f);
	if (*said) {
		fputs("  * it ended with: ", f);
		put(f, said);
		fputc('\n', f);
	}
	json_array_foreach(json_object_get(file, "warnings"), i, w) {
		fputs("  * ", f);
		put(f, report_text(w, "message"));
		fputc('\n', f);
	}
}

static int put_row(FILE *f, const json_t *row, const struct out_col *cols)
{
	for (const struct out_col *c = cols; c->name; c++) {
		char *text;

		if (!c->shown)
			continue;
		text = fmt_value(fmt_lookup(row, c->path), c->fmt, false);
		if (!text)
			return -1;
		fputs("| ", f);
		put(f, text);
		fputc(' ', f);
		free(text);
	}
	fputs("|\n", f);
	return 0;
}

int report_markdown(const json_t *doc, FILE *f, struct hp_error *e)
{
	const json_t *files = fmt_lookup(doc, "env.files"), *v;
	struct out_col cols[REPORT_COLS];
	size_t i;

	report_columns(doc, cols);
	fputs("# hpctl report\n\n", f);
	json_array_foreach(files, i, v)
		put_file(f, v);
	fputc('\n', f);
	for (const struct out_col *c = cols; c->name; c++)
		if (c->shown)
			fprintf(f, "| %s ", c->name);
	fputs("|\n", f);
	for (const struct out_col *c = cols; c->name; c++)
		if (c->shown)
			fputs(fmt_is_number(c->fmt) ? "| ---: " : "| --- ", f);
	fputs("|\n", f);
	json_array_foreach(json_object_get(doc, "results"), i, v)
		if (put_row(f, v, cols))
			return hp_fail(e, HP_FAILED, ENOMEM, "no memory for the Markdown");
	return HP_OK;
}
