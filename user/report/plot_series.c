// SPDX-License-Identifier: GPL-2.0-or-later
/* Curves: time by size of the array, with what the caches and TLBs reach. */
#include "report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "report/collect.h"

#define LINES_MAX	30
#define MARKS_MAX	16
#define HEIGHT		460

/* A size that matters. */
struct mark {
	double bytes;
	char name[64];
};

/**
 * struct curves - a plot: one workload, one number of threads
 * @first: row that stands for it
 * @line: first row of each line: a backing of a file
 */
struct curves {
	const json_t *rows, *first;
	const json_t *line[LINES_MAX];
	size_t nr;
	double x[2], y[2];
	struct mark marks[MARKS_MAX];
	size_t nr_marks;
};

static bool is_point(const json_t *row)
{
	return json_is_true(json_object_get(row, "series")) && isfinite(report_ns(row)) &&
	       json_integer_value(json_object_get(row, "bytes")) > 0;
}

static double bytes_of(const json_t *row)
{
	const json_t *asked = json_object_get(row, "bytes_asked");

	return json_number_value(json_is_integer(asked) ? asked : json_object_get(row, "bytes"));
}

static bool same_plot(const json_t *a, const json_t *b)
{
	return !strcmp(report_text(a, "label"), report_text(b, "label")) &&
	       json_integer_value(json_object_get(a, "threads")) ==
	       json_integer_value(json_object_get(b, "threads"));
}

static bool same_line(const json_t *a, const json_t *b)
{
	return same_plot(a, b) && !strcmp(report_text(a, "backing"), report_text(b, "backing")) &&
	       !strcmp(report_text(a, "file"), report_text(b, "file"));
}

static void widen(double range[2], double v)
{
	range[0] = fmin(range[0], v);
	range[1] = fmax(range[1], v);
}

static void find_lines(struct curves *c)
{
	const json_t *row;
	size_t i, k;

	json_array_foreach(c->rows, i, row) {
		if (!is_point(row) || !same_plot(row, c->first))
			continue;
		widen(c->x, bytes_of(row));
		widen(c->y, report_ns(row));
		for (k = 0; k < 2; k++) {
			double end = json_number_value(json_array_get(
				fmt_lookup(row, "figure.ci95_ns"), k));

			if (end > report_ns(row) / 100 && end < report_ns(row) * 100)
				widen(c->y, end);
		}
		for (k = 0; k < c->nr && !same_line(c->line[k], row); k++)
			;
		if (k == c->nr && c->nr < LINES_MAX)
			c->line[c->nr++] = row;
	}
}

/* ---- what is reached ---- */

static void add_mark(struct curves *c, double bytes, const char *name)
{
	if (!(bytes > 0) || c->nr_marks == MARKS_MAX)
		return;
	for (size_t i = 0; i < c->nr_marks; i++)
		if (c->marks[i].bytes == bytes && !strcmp(c->marks[i].name, name))
			return;
	c->marks[c->nr_marks].bytes = bytes;
	snprintf(c->marks[c->nr_marks++].name, sizeof(c->marks[0].name), "%s", name);
}

static double count_at(const json_t *o, const char *key)
{
	return json_is_integer(json_object_get(o, key)) ?
	       json_number_value(json_object_get(o, key)) : 0;
}

/* "4K", "2M", "1G" */
static const char *page_name(double bytes)
{
	return bytes == 4096 ? "4K" : bytes == 2097152 ? "2M" : bytes == 1073741824 ? "1G" : "?";
}

/* Caches, TLBs and page tables of the machine of the plot's first file. */
static void find_marks(const struct plots *p, struct curves *c)
{
	const json_t *file, *reach = NULL, *v;
	char name[64];
	size_t i;

	json_array_foreach(fmt_lookup(p->doc, "env.files"), i, file)
		if (!strcmp(report_text(file, "file"), report_text(c->first, "file")))
			reach = fmt_lookup(file, "env.reach");
	json_array_foreach(json_object_get(reach, "caches"), i, v) {
		snprintf(name, sizeof(name), "L%.0f cache", count_at(v, "level"));
		add_mark(c, count_at(v, "bytes"), name);
	}
	json_array_foreach(json_object_get(reach, "tlbs"), i, v) {
		snprintf(name, sizeof(name), "TLB, %s pages", page_name(count_at(v, "page_bytes")));
		add_mark(c, count_at(v, "entries") * count_at(v, "page_bytes"), name);
	}
	json_array_foreach(json_object_get(reach, "tables"), i, v) {
		snprintf(name, sizeof(name), "%s tables fill L%.0f",
			 page_name(count_at(v, "page_bytes")), count_at(v, "level"));
		add_mark(c, count_at(v, "bytes"), name);
	}
}

static int by_bytes(const void *a, const void *b)
{
	double x = ((const struct mark *)a)->bytes, y = ((const struct mark *)b)->bytes;

	return (x > y) - (x < y);
}

/* Lines for those on the plot; names at two heights where they are close. */
static void put_marks(struct plots *p, struct curves *c)
{
	double last[2] = { 0, 0 }, near = pow(c->x[1] / c->x[0], 0.03);

	qsort(c->marks, c->nr_marks, sizeof(c->marks[0]), by_bytes);
	for (size_t i = 0; i < c->nr_marks; i++) {
		const struct mark *m = &c->marks[i];
		bool low = last[0] > 0 && m->bytes < last[0] * near;

		if (m->bytes <= c->x[0] || m->bytes >= c->x[1])
			continue;
		last[low] = m->bytes;
		fprintf(p->script, "set arrow from %.12g,graph 0 to %.12g,graph 1 nohead dt 2 \\\n"
			"lw 0.8 lc rgb '#808891' back\nset label ", m->bytes, m->bytes);
		plot_label(p->script, m->name);
		fprintf(p->script, " at %.12g,graph %s right rotate by 90 offset -0.6,0 \\\n"
			"font ',11' front\n", m->bytes, low ? "0.55" : "0.98");
	}
}

static void list_marks(FILE *f, const struct curves *c, const char *intro, bool left)
{
	bool first = true;
	char text[32];

	for (size_t i = 0; i < c->nr_marks; i++) {
		const struct mark *m = &c->marks[i];

		/* What is farther is of no use to anybody who looks at this plot. */
		if (left ? m->bytes > c->x[0] : m->bytes < c->x[1] || m->bytes > c->x[1] * 16)
			continue;
		fprintf(f, "%s%s %s", first ? intro : ", ", m->name,
			out_bytes(text, (unsigned long long)m->bytes));
		first = false;
	}
	if (!first)
		fputc('.', f);
}

/* ---- the plot ---- */

static void put_line(struct plots *p, const struct curves *c, size_t line)
{
	const json_t *row;
	size_t i;

	fprintf(p->script, "$line%zu << EOD\n", line);
	json_array_foreach(c->rows, i, row) {
		const json_t *lo = fmt_lookup(row, "figure.ci95_ns.0");
		const json_t *hi = fmt_lookup(row, "figure.ci95_ns.1");
		double ns = report_ns(row);

		if (is_point(row) && same_line(c->line[line], row))
			fprintf(p->script, "%.12g %.9g %.9g %.9g %d\n", bytes_of(row), ns,
				json_number_value(lo) > 0 ? json_number_value(lo) : ns,
				json_number_value(hi) > 0 ? json_number_value(hi) : ns,
				*report_text(row, "mark") ? 6 : 7);
	}
	fputs("EOD\n", p->script);
}

static unsigned int line_color(const struct plots *p, const struct curves *c, size_t line)
{
	/* A backing's own colour says nothing where several files have it. */
	return json_array_size(fmt_lookup(p->doc, "env.files")) > 1 ? plot_color(line) :
	       plot_row_color(p, c->line[line]);
}

static char *caption_of(const struct plots *p, const struct curves *c)
{
	const char *why = NULL;
	const json_t *file;
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	json_array_foreach(fmt_lookup(p->doc, "env.files"), i, file)
		if (!strcmp(report_text(file, "file"), report_text(c->first, "file")))
			why = report_text(file, "env.reach.tlb_why");
	fputs("Both axes logarithmic; medians with their 95 % interval.\n"
	      "Open circles are not to be trusted, see the table. ", f);
	if (c->nr_marks)
		fputs("Dashed: the array of which a cache, a TLB or, for its page tables alone, a\n"
		      "cache holds all. ", f);
	else
		fputs("What the caches and TLBs reach was not saved with it. ", f);
	list_marks(f, c, "Left of the plot: ", true);
	list_marks(f, c, " Right of it: ", false);
	if (why && *why)
		fprintf(f, " No TLB is drawn: %s.", why);
	return fclose(f) ? NULL : text;
}

static int put_curves(struct plots *p, struct curves *c, struct hp_error *e)
{
	char title[128], name[192], *caption;

	find_lines(c);
	find_marks(p, c);
	if (plot_begin(p, HEIGHT, e))
		return e->code;
	c->x[0] /= 1.15;
	c->x[1] *= 1.15;
	fputs("set border 3\nset grid ytics lw 0.4 lc rgb '#808891'\n"
	      "set xlabel 'array'\n", p->script);
	fprintf(p->script, "set ylabel 'ns, one %s'\n", report_text(c->first, "figure.what"));
	plot_log_bytes(p, 'x', c->x[0], c->x[1]);
	plot_log(p, 'y', c->y[0] * 0.8, c->y[1] * 1.25);
	put_marks(p, c);
	for (size_t i = 0; i < c->nr; i++)
		put_line(p, c, i);
	for (size_t i = 0; i < c->nr; i++)
		fprintf(p->script, "%s$line%zu using 1:2:3:4 with yerrorlines pt 0 lw 1.6 \\\n"
			"lc rgb '#%06x', $line%zu using 1:2:5 with points pt variable ps 0.8 \\\n"
			"lc rgb '#%06x'", i ? ", " : "plot ", i, line_color(p, c, i), i,
			line_color(p, c, i));
	fputc('\n', p->script);
	snprintf(title, sizeof(title), "%.60s by size of the array, threads: %" JSON_INTEGER_FORMAT,
		 report_text(c->first, "label"),
		 json_integer_value(json_object_get(c->first, "threads")));
	caption = caption_of(p, c);
	plot_end(p, title, caption, e);
	free(caption);
	if (e->code)
		return e->code;
	plot_legend_begin(p);
	for (size_t i = 0; i < c->nr; i++)
		plot_legend(p, line_color(p, c, i),
			    plot_row_name(p, c->line[i], false, name, sizeof(name)));
	plot_legend_end(p);
	return HP_OK;
}

int plots_series(struct plots *p, struct hp_error *e)
{
	const json_t *rows = json_object_get(p->doc, "results"), *row;
	size_t i, k;

	json_array_foreach(rows, i, row) {
		struct curves c = {
			.rows = rows, .first = row,
			.x = { INFINITY, 0 }, .y = { INFINITY, 0 },
		};
		bool seen = false;

		if (!is_point(row))
			continue;
		for (k = 0; k < i && !seen; k++)
			seen = is_point(json_array_get(rows, k)) &&
			       same_plot(json_array_get(rows, k), row);
		if (!seen && put_curves(p, &c, e))
			break;
	}
	return e->code;
}
