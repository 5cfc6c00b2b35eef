// SPDX-License-Identifier: GPL-2.0-or-later
/* Ratios to the reference: a bar from 1, with the 95 % interval. */
#include "report/plot.h"

#include <math.h>
#include <stdlib.h>

#include "out/fmt.h"
#include "report/collect.h"

/* What is on the plot: rows with a ratio that are no point of a curve. */
static bool is_there(const json_t *row, double *value, double *lo, double *hi)
{
	const json_t *low = fmt_lookup(row, "ratio.ci95.0");
	const json_t *high = fmt_lookup(row, "ratio.ci95.1");

	*value = json_number_value(fmt_lookup(row, "ratio.value"));
	*lo = json_is_number(low) ? json_number_value(low) : NAN;
	*hi = json_is_number(high) ? json_number_value(high) : NAN;
	if (!(*lo > 0 && *hi >= *lo))
		*lo = *hi = NAN;
	/* What is beyond is no ratio of two times that were measured. */
	return *value > 1e-6 && *value < 1e6 && !(*lo < 1e-9) && !(*hi > 1e9) &&
	       !json_is_true(json_object_get(row, "series"));
}

static void put_axis(struct plots *p, double lo, double hi)
{
	double left = lo * 0.95, right = hi * 1.05;

	if (hi / lo > 4)
		plot_log(p, 'x', lo * 0.9, hi * 1.1);
	else
		fprintf(p->script, "set xrange [%.6g:%.6g]\n", left, right);
	fputs("set arrow from 1,graph 0 to 1,graph 1 nohead lw 1.2 lc rgb 'black' front\n"
	      "set xlabel 'times as fast as the reference'\n", p->script);
}

static void put_row(struct plots *p, const json_t *row, size_t n, double value, double lo,
		    double hi, FILE *boxes, FILE *lines)
{
	char name[192], text[32];

	fprintf(p->script, "set ytics %s(", n > 1 ? "add " : "");
	plot_label(p->script, plot_row_name(p, row, true, name, sizeof(name)));
	fprintf(p->script, " %zu)\n", n);
	snprintf(text, sizeof(text), "%.2fx", value);
	fprintf(p->script, "set label '%s' at graph 1.01,first %zu\n", text, n);
	fprintf(boxes, "%.9g %zu %.9g %.9g %.2f %.2f %u\n", value, n, fmin(1, value),
		fmax(1, value), (double)n - 0.36, (double)n + 0.36,
		plot_shade(row, plot_row_color(p, row)));
	if (isfinite(lo))
		fprintf(lines, "%.9g %zu %.9g %.9g\n", value, n, lo, hi);
}

/* Both blocks of data follow what was set. */
static void put_plot(struct plots *p, const char *boxes, const char *lines)
{
	fprintf(p->script, "$boxes << EOD\n%sEOD\n", boxes);
	if (*lines)
		fprintf(p->script, "$lines << EOD\n%sEOD\n", lines);
	fputs("plot $boxes using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable", p->script);
	if (*lines)
		fputs(", $lines using 1:2:3:4 with xerrorbars pt 0 lw 1.6 lc rgb 'black'",
		      p->script);
	fputc('\n', p->script);
}

int plots_ratio(struct plots *p, struct hp_error *e)
{
	const json_t *rows = json_object_get(p->doc, "results"), *row;
	double value, lo, hi, least = 1, most = 1;
	char *boxes = NULL, *lines = NULL;
	size_t i, nr = 0, size;
	FILE *b, *l;

	json_array_foreach(rows, i, row) {
		if (!is_there(row, &value, &lo, &hi))
			continue;
		nr++;
		least = fmin(least, fmin(value, lo));
		most = fmax(most, fmax(value, hi));
	}
	if (!nr || plot_begin(p, plot_height(nr), e))
		return e->code;
	b = open_memstream(&boxes, &size);
	l = open_memstream(&lines, &size);
	plot_rows(p, nr);
	put_axis(p, least, most);
	nr = 0;
	json_array_foreach(rows, i, row)
		if (b && l && is_there(row, &value, &lo, &hi))
			put_row(p, row, ++nr, value, lo, hi, b, l);
	if (b)
		fclose(b);
	if (l)
		fclose(l);
	if (boxes && lines)
		put_plot(p, boxes, lines);
	free(boxes);
	free(lines);
	return plot_end(p, "Ratio to the reference",
			"Bars begin at 1: to the right faster than the reference of the same\n"
			"file, to the left slower. Lines: 95 % interval of the paired runs; one\n"
			"that crosses 1 shows no difference. Rows that are not verified have no\n"
			"ratio; fainter ones with a * are not to be trusted, see the table.",
			e);
}
