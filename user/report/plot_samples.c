// SPDX-License-Identifier: GPL-2.0-or-later
/* Every sample of every row of a group: how far the runs are apart. */
#include "report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/fmt.h"
#include "report/collect.h"

/* ns of what the group's figure is about: an operation or a run. */
static double per(const json_t *row)
{
	double ops = json_number_value(json_object_get(row, "ops"));

	return ops > 0 ? ops : 1;
}

/* Dots of a row at most: more are a smear, and make the page large. */
#define DOTS_MAX	200

struct span {
	const json_t *rows;
	size_t from, to;
	double lo, hi;
};

static bool is_there(const json_t *row)
{
	bool walk = !strncmp(report_text(row, "figure.what"), "walk", 4);

	/* A walk's samples are not saved, but its median is. */
	return (walk || json_array_size(json_object_get(row, "samples_ns")) > 0) &&
	       isfinite(report_ns(row)) && !json_is_true(json_object_get(row, "series"));
}

static void widen(struct span *s, double ns)
{
	s->lo = fmin(s->lo, ns);
	s->hi = fmax(s->hi, ns);
}

static size_t find_span(struct span *s)
{
	const json_t *v;
	size_t nr = 0, k;

	s->lo = INFINITY;
	s->hi = 0;
	for (size_t i = s->from; i < s->to; i++) {
		const json_t *row = json_array_get(s->rows, i);

		if (!is_there(row))
			continue;
		nr++;
		widen(s, report_ns(row));
		json_array_foreach(json_object_get(row, "samples_ns"), k, v)
			widen(s, json_number_value(v) / per(row));
		json_array_foreach(fmt_lookup(row, "figure.ci95_ns"), k, v)
			widen(s, json_number_value(v));
	}
	return s->lo > -1e18 && s->hi < 1e18 ? nr : 0;
}

static void put_points(FILE *f, const struct plots *p, const json_t *row, size_t n, double factor)
{
	const json_t *list = json_object_get(row, "samples_ns"), *v;
	size_t step = (json_array_size(list) + DOTS_MAX - 1) / DOTS_MAX, k;

	/* Those of one value stand beside each other, by a fixed rule. */
	json_array_foreach(list, k, v) {
		if (k % step)
			continue;
		fprintf(f, "%.9g %.3f %u\n", json_number_value(v) / per(row) / factor,
			(double)n + ((double)(k * 7 % 11) - 5) * 0.045,
			plot_shade(row, plot_row_color(p, row)));
	}
}

static void put_middle(FILE *f, const json_t *row, size_t n, double factor)
{
	const json_t *lo = fmt_lookup(row, "figure.ci95_ns.0"), *hi = fmt_lookup(row,
									"figure.ci95_ns.1");
	double ns = report_ns(row);

	fprintf(f, "%.9g %zu %.9g %.9g\n", ns / factor, n,
		json_is_number(lo) ? json_number_value(lo) / factor : ns / factor,
		json_is_number(hi) ? json_number_value(hi) / factor : ns / factor);
}

static void put_rows(struct plots *p, const struct span *s, double factor)
{
	char *points = NULL, *middles = NULL, name[192], text[32];
	size_t size, n = 0;
	FILE *a = open_memstream(&points, &size), *b = open_memstream(&middles, &size);

	for (size_t i = s->from; a && b && i < s->to; i++) {
		const json_t *row = json_array_get(s->rows, i);

		if (!is_there(row))
			continue;
		n++;
		fprintf(p->script, "set ytics %s(", n > 1 ? "add " : "");
		plot_label(p->script, plot_row_name(p, row, false, name, sizeof(name)));
		fprintf(p->script, " %zu)\nset label '%s' at graph 1.01,first %zu\n", n,
			out_ns(text, report_ns(row)), n);
		put_points(a, p, row, n, factor);
		put_middle(b, row, n, factor);
	}
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	if (points && middles)
		fprintf(p->script, "$points << EOD\n%sEOD\n$middles << EOD\n%sEOD\n"
			"plot $points using 1:2:3 with points pt 7 ps 0.6 lc rgb variable, \\\n"
			"$middles using 1:2:3:4 with xerrorbars pt 2 ps 0.7 lw 1.6 \\\n"
			"lc rgb 'black'\n",
			points, middles);
	free(points);
	free(middles);
}

static int put_group(struct plots *p, struct span *s, struct hp_error *e)
{
	size_t nr = find_span(s);
	const char *unit;
	char title[160];
	double factor;

	if (!nr || plot_begin(p, plot_height(nr), e))
		return e->code;
	plot_rows(p, nr);
	unit = plot_unit(s->hi, &factor);
	if (s->lo > 0 && s->hi / s->lo > 8)
		plot_log(p, 'x', s->lo * 0.9 / factor, s->hi * 1.1 / factor);
	else
		fprintf(p->script, "set xrange [%.6g:%.6g]\n", fmin(0, s->lo * 1.04) / factor,
			s->hi * 1.04 / factor);
	fprintf(p->script, "set xlabel '%s, one %s'\n", unit,
		report_text(json_array_get(s->rows, s->from), "figure.what"));
	put_rows(p, s, factor);
	return plot_end(p, report_group(json_array_get(s->rows, s->from), title, sizeof(title)),
			NULL, e);
}

int plots_samples(struct plots *p, struct hp_error *e)
{
	struct span s = { .rows = json_object_get(p->doc, "results") };
	size_t nr = json_array_size(s.rows);

	for (s.from = 0; s.from < nr && !e->code; s.from = s.to) {
		s.to = s.from + 1;
		while (s.to < nr && report_same(json_array_get(s.rows, s.from),
						json_array_get(s.rows, s.to)))
			s.to++;
		put_group(p, &s, e);
	}
	return e->code;
}
