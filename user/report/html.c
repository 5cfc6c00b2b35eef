// SPDX-License-Identifier: GPL-2.0-or-later
/* One page: no script, no style sheet, no picture from elsewhere. */
#include "report/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "out/fmt.h"
#include "report/collect.h"
#include "report/plot.h"

/* gnuplot's black is whatever the text is. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\"\n"
	"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<title>hpctl report</title>\n<style>\n"
	":root{color-scheme:light dark;--bg:#fff;--fg:#1d2126;--dim:#5a626c;--line:#d5d9de;\n"
	"--row:#f4f6f8;--warn:#9a4b00}\n"
	"@media (prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e4e7eb;--dim:#a3abb5;\n"
	"--line:#373c44;--row:#1e2126;--warn:#f0a35e}}\n"
	"body{margin:2rem auto;padding:0 1rem;max-width:76rem;\n"
	"background:var(--bg);color:var(--fg);\n"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;\n"
	"border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:0 0 .3rem}\n"
	"figure{margin:1rem 0 .2rem}figcaption,.dim{color:var(--dim);font-size:.87rem}\n"
	"figcaption{max-width:54rem}\n"
	"figure{overflow-x:auto}\n"
	"svg{display:block;width:100%;min-width:38rem;max-width:54rem;height:auto}\n"
	"svg text{paint-order:stroke;stroke:var(--bg);stroke-width:3px}\n"
	"svg text,svg [fill=\"black\"]{fill:var(--fg)}svg [stroke=\"black\"]{stroke:var(--fg)}\n"
	"svg [color=\"black\"],svg [color^=\"rgb(  0,\"]{color:var(--fg)}\n"
	"svg [stroke^=\"rgb(  0,\"]{stroke:var(--fg)}\n"
	".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.82rem;\n"
	"font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.2rem .45rem;text-align:left;white-space:nowrap;\n"
	"border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:600}\n"
	"td.n,th.n{text-align:right}tr.marked{background:var(--row)}\n"
	".warn,tr.marked td.mark{color:var(--warn)}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.3rem 0}\n"
	"dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
	".legend{margin:.2rem 0 1.4rem;font-size:.87rem}.legend span{margin-right:1.1rem;\n"
	"white-space:nowrap}.legend i{display:inline-block;width:.8rem;height:.8rem;\n"
	"margin-right:.35rem;vertical-align:-.08rem}\n"
	"@media print{body{margin:0;max-width:none}figure,tr{break-inside:avoid}}\n"
	"</style>\n</head>\n<body>\n<h1>hpctl report</h1>\n";

void report_escape(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			fputc(*text, f);
		}
	}
}

static void put_fact(FILE *f, const char *name, const char *text)
{
	if (!*text)
		return;
	fprintf(f, "<dt>%s</dt><dd>", name);
	report_escape(f, text);
	fputs("</dd>\n", f);
}

static void put_command(FILE *f, const json_t *file)
{
	const json_t *arg;
	size_t i;

	fputs("<dt>command</dt><dd><code>hpctl", f);
	json_array_foreach(fmt_lookup(file, "env.argv"), i, arg) {
		if (!i)
			continue;
		fputc(' ', f);
		report_escape(f, json_string_value(arg));
	}
	fputs("</code></dd>\n", f);
}

static void put_file(FILE *f, const json_t *file)
{
	static const struct { const char *name, *path; } facts[] = {
		{ "host", "env.host" }, { "CPU", "env.cpu" }, { "kernel", "env.kernel" },
		{ "module", "env.module" }, { "hpctl", "env.tool" }, { "taken", "env.time" },
	};
	const char *said = report_text(file, "error.message");
	const json_t *w;
	size_t i;

	fputs("<h3>", f);
	report_escape(f, report_text(file, "file"));
	fputs("</h3>\n<dl>\n", f);
	for (i = 0; i < ARRAY_SIZE(facts); i++)
		put_fact(f, facts[i].name, report_text(file, facts[i].path));
	if (json_is_true(fmt_lookup(file, "env.vm")))
		put_fact(f, "machine",
			 "virtual: page walks go through two sets of tables, or none");
	put_command(f, file);
	fputs("</dl>\n", f);
	if (*said) {
		fputs("<p class=\"warn\">It ended with: ", f);
		report_escape(f, said);
		fputs("</p>\n", f);
	}
	if (!json_array_size(json_object_get(file, "warnings")))
		return;
	fputs("<ul class=\"warn\">\n", f);
	json_array_foreach(json_object_get(file, "warnings"), i, w) {
		fputs("<li>", f);
		report_escape(f, report_text(w, "message"));
		fputs("</li>\n", f);
	}
	fputs("</ul>\n", f);
}

static int put_cell(FILE *f, const json_t *row, const struct out_col *c)
{
	const json_t *v = fmt_lookup(row, c->path);
	bool mark = !strcmp(c->path, "mark");
	char *text;

	fprintf(f, "<td%s>", fmt_is_number(c->fmt) ? " class=\"n\"" :
		mark ? " class=\"mark\"" : "");
	/* A mark that is not there is none, not an unknown one. */
	if (!mark || json_is_string(v)) {
		text = fmt_value(v, c->fmt, false);
		if (!text)
			return -1;
		report_escape(f, text);
		free(text);
	}
	fputs("</td>", f);
	return 0;
}

static int put_table(FILE *f, const json_t *doc)
{
	struct out_col cols[REPORT_COLS];
	const json_t *row;
	size_t i;

	report_columns(doc, cols);
	fputs("<div class=\"scroll\"><table>\n<tr>", f);
	for (const struct out_col *c = cols; c->name; c++)
		if (c->shown)
			fprintf(f, "<th%s>%s</th>", fmt_is_number(c->fmt) ? " class=\"n\"" : "",
				c->name);
	fputs("</tr>\n", f);
	json_array_foreach(json_object_get(doc, "results"), i, row) {
		fprintf(f, "<tr%s>", *report_text(row, "mark") ? " class=\"marked\"" : "");
		for (const struct out_col *c = cols; c->name; c++)
			if (c->shown && put_cell(f, row, c))
				return -1;
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n<p class=\"dim\">n/a: unknown, or not measured.\n"
	      "RATIO, LOW and HIGH:\n"
	      "times as fast as the reference of the same file, with the 95 % interval of the\n"
	      "paired runs. VS-FIRST: times as fast as the same row of the first file that has\n"
	      "it.</p>\n", f);
	return 0;
}

static int put_plots(FILE *f, const json_t *doc, struct hp_error *e)
{
	static const struct {
		const char *title, *text;
		int (*put)(struct plots *p, struct hp_error *e);
	} parts[] = {
		{ "By size of the array", "", plots_series },
		{ "Ratios", "", plots_ratio },
		{ "Every run", "Dots: the counted runs, 200 of a row at most. Cross and line:\n"
		  "median and its 95 % interval.\n"
		  "Fainter ones with a * are not to be trusted, see the table.",
		  plots_samples },
		{ "Stages", "", plots_stages },
	};
	struct plots p = { .doc = doc, .several = plots_several(doc) };

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !e->code; i++) {
		char *text = NULL;
		size_t size;

		p.html = open_memstream(&text, &size);
		if (!p.html)
			return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for the page");
		parts[i].put(&p, e);
		fclose(p.html);
		if (!e->code && text && *text) {
			fprintf(f, "<h2>%s</h2>\n", parts[i].title);
			if (*parts[i].text)
				fprintf(f, "<p class=\"dim\">%s</p>\n", parts[i].text);
			fputs(text, f);
		}
		free(text);
	}
	if (p.left_out)
		fprintf(f, "<p class=\"warn\">%u more plots are left out; all rows are in the\n"
			"table.</p>\n",
			p.left_out);
	return e->code;
}

int report_html(const json_t *doc, FILE *f, struct hp_error *e)
{
	const json_t *file;
	size_t i;

	fputs(head, f);
	json_array_foreach(fmt_lookup(doc, "env.files"), i, file)
		put_file(f, file);
	if (put_plots(f, doc, e))
		return e->code;
	fputs("<h2>All rows</h2>\n", f);
	if (put_table(f, doc))
		return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for the page");
	fputs("</body>\n</html>\n", f);
	return HP_OK;
}
