// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "out/fmt.h"
#include "report/collect.h"
#include "report/gnuplot.h"
#include "report/render.h"

#define WIDTH		860
#define ROW_HEIGHT	24

/* Of a row's name: a longer one would leave the plot no room. */
#define NAME_COLS	48

/* Pixels below the bars, for the axis, and above them. */
#define BELOW		60
#define ABOVE		8

/* Luminance 0.18 to 0.27: three times lighter than black, and darker than white. */
static const unsigned int colors[PLOT_COLORS] = {
	0x3b82c4, 0xd9731a, 0x2e9d5b, 0xa35ec7, 0xd1495b, 0x1f9aa8, 0xa3752f, 0xd6569b, 0x7d8f1e,
	0x808891, 0x6a6fd0, 0xbb8a12, 0x5f9f2e, 0xb04fb0, 0x2f8f7f, 0xc46a4a,
};

unsigned int plot_color(size_t n)
{
	return colors[n % PLOT_COLORS];
}

unsigned int plot_shade(const json_t *row, unsigned int color)
{
	/* gnuplot's first byte is how much shines through. */
	return *report_text(row, "mark") ? 0x80000000 | color : color;
}

static bool known_backing(const char *name, size_t *n)
{
	static const char *const names[] = {
		"anon-4k", "anon-thp", "hugetlb-2m", "hugetlb-1g", "hpbuf-2m", "hpbuf-1g",
	};

	for (*n = 0; *n < ARRAY_SIZE(names); ++*n)
		if (!strcmp(name, names[*n]))
			return true;
	return false;
}

/* The same backing has the same colour in every report; others take what is left. */
unsigned int plot_row_color(const struct plots *p, const json_t *row)
{
	const char *name = report_text(row, "backing");
	const json_t *other;
	size_t n, i, k;

	if (known_backing(name, &n))
		return plot_color(n);
	json_array_foreach(json_object_get(p->doc, "results"), i, other) {
		if (!strcmp(report_text(other, "backing"), name))
			break;
		n += !known_backing(report_text(other, "backing"), &k);
	}
	return plot_color(n);
}

int plot_begin(struct plots *p, unsigned int height, struct hp_error *e)
{
	p->text = NULL;
	p->script = open_memstream(&p->text, &p->len);
	if (!p->script)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for a plot");
	fprintf(p->script, "set terminal svg size %d,%u dynamic noenhanced rounded \\\n"
		"font 'sans-serif,13'\n"
		"set encoding utf8\n"
		"set border 1 lw 0.6 lc rgb '#808891'\n"
		"set tics nomirror scale 0.4\n"
		"set grid xtics lw 0.4 lc rgb '#808891'\n"
		"unset key\n"
		"set style fill solid 0.85 noborder\n", WIDTH, height);
	return HP_OK;
}

int plot_end(struct plots *p, const char *title, const char *caption, struct hp_error *e)
{
	char *svg = NULL;

	if (fclose(p->script)) {
		hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for a plot");
	} else if (p->nr >= PLOTS_MAX) {
		p->left_out++;
	} else if (!gnuplot_svg(p->text, p->len, p->nr, &svg, e)) {
		p->nr++;
		fputs("<figure>\n<h3>", p->html);
		report_escape(p->html, title);
		/* For readers of screens: the picture's name, and nothing of its inside. */
		fputs("</h3>\n<svg role=\"img\" aria-label=\"", p->html);
		report_escape(p->html, title);
		fprintf(p->html, "\"%s\n", svg + 4);
		if (caption) {
			fputs("<figcaption>", p->html);
			report_escape(p->html, caption);
			fputs("</figcaption>\n", p->html);
		}
		fputs("</figure>\n", p->html);
	}
	free(svg);
	free(p->text);
	return e->code;
}

void plot_label(FILE *f, const char *text)
{
	fputc('\'', f);
	for (; *text; text++) {
		bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
			     (*text >= '0' && *text <= '9') || strchr(" .,:/_+-*()#%", *text);

		fputc(plain ? *text : '?', f);
	}
	fputc('\'', f);
}

/* Whether rows that have the whole number @key differ in it. */
static bool differ(const json_t *rows, const char *key)
{
	const json_t *row, *first = NULL, *v;
	size_t i;

	json_array_foreach(rows, i, row) {
		v = json_object_get(row, key);
		if (!json_is_integer(v))
			continue;
		if (!first)
			first = v;
		if (json_integer_value(v) != json_integer_value(first))
			return true;
	}
	return false;
}

unsigned int plots_several(const json_t *doc)
{
	const json_t *rows = json_object_get(doc, "results");

	return (json_array_size(fmt_lookup(doc, "env.files")) > 1 ? PLOTS_FILES : 0U) |
	       (differ(rows, "bytes_asked") ? PLOTS_SIZES : 0U) |
	       (differ(rows, "threads") ? PLOTS_THREADS : 0U);
}

/* "get 64.00 MiB x2  ": what the row is about. */
static void work_of(const struct plots *p, const json_t *row, char *buf, size_t size)
{
	const json_t *bytes = json_object_get(row, "bytes_asked");
	const json_t *threads = json_object_get(row, "threads");
	char text[32] = "", times[32] = "";

	if (p->several & PLOTS_SIZES && json_is_integer(bytes))
		out_bytes(text, (unsigned long long)json_integer_value(bytes));
	if (p->several & PLOTS_THREADS && json_is_integer(threads))
		snprintf(times, sizeof(times), " x%" JSON_INTEGER_FORMAT,
			 json_integer_value(threads));
	snprintf(buf, size, "%.24s%s%s%s  ", report_text(row, "label"), *text ? " " : "", text,
		 times);
}

char *plot_row_name(const struct plots *p, const json_t *row, bool workload, char *buf,
		    size_t size)
{
	bool files = p->several & PLOTS_FILES;
	char work[96] = "", name[192];

	if (workload)
		work_of(p, row, work, sizeof(work));
	snprintf(name, sizeof(name), "%s%.32s%s%.24s", work, report_text(row, "backing"),
		 files ? "  " : "", files ? report_text(row, "file") : "");
	if (strlen(name) > NAME_COLS)
		memcpy(name + NAME_COLS - 2, "..", 3);
	snprintf(buf, size, "%s%s", name, *report_text(row, "mark") ? " *" : "");
	return buf;
}

unsigned int plot_height(size_t rows)
{
	return (unsigned int)(rows < 400 ? rows : 400) * ROW_HEIGHT + BELOW + ABOVE;
}

void plot_rows(struct plots *p, size_t nr)
{
	double height = plot_height(nr);

	fprintf(p->script, "set yrange [%zu.5:0.5]\nset rmargin 12\nset bmargin at screen %.4f\n"
		"set tmargin at screen %.4f\n", nr, BELOW / height, 1 - ABOVE / height);
}

/* 1, 2 and 5 of each decade; only 1 where there are many. */
void plot_log(struct plots *p, char axis, double lo, double hi)
{
	bool few = hi / lo < 2000;
	const char *sep = "";

	fprintf(p->script, "set logscale %c\nset %crange [%.12g:%.12g]\nset %ctics (", axis, axis,
		lo, hi, axis);
	for (int k = (int)floor(log10(lo)); k <= (int)ceil(log10(hi)); k++) {
		for (int s = 0; s < (few ? 3 : 1); s++) {
			double v = (s == 2 ? 5 : s + 1) * pow(10, k);

			if (v < lo * 0.999 || v > hi * 1.001)
				continue;
			fprintf(p->script, "%s'%.12g' %.12g", sep, v, v);
			sep = ", ";
		}
	}
	fputs(")\n", p->script);
}

void plot_log_bytes(struct plots *p, char axis, double lo, double hi)
{
	/* Eight sizes or so have room. */
	int step = (int)ceil(log2(hi / lo) / 9), k = (int)ceil(log2(lo) - 1e-9);
	const char *sep = "";

	fprintf(p->script, "set logscale %c 2\nset %crange [%.12g:%.12g]\nset %ctics (", axis, axis,
		lo, hi, axis);
	for (step = step < 1 ? 1 : step; ldexp(1, k) <= hi * 1.001; k += step) {
		char text[32];

		out_bytes(text, 1ULL << k);
		/* "64.00 MiB": whole by nature. */
		if (strstr(text, ".00"))
			memmove(strstr(text, ".00"), strstr(text, ".00") + 3,
				strlen(strstr(text, ".00") + 3) + 1);
		fprintf(p->script, "%s'%s' %.12g", sep, text, ldexp(1, k));
		sep = ", ";
	}
	fputs(")\n", p->script);
}

const char *plot_unit(double ns, double *factor)
{
	static const struct { double factor; const char *name; } units[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" },
	};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && ns < 2 * units[i].factor)
		i++;
	*factor = units[i].factor;
	return units[i].name;
}

void plot_legend_begin(struct plots *p)
{
	fputs("<p class=\"legend\">", p->html);
}

void plot_legend(struct plots *p, unsigned int color, const char *name)
{
	fprintf(p->html, "<span><i style=\"background:#%06x\"></i>", color);
	report_escape(p->html, name);
	fputs("</span> ", p->html);
}

void plot_legend_end(struct plots *p)
{
	fputs("</p>\n", p->html);
}
