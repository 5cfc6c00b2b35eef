/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots of a report as figures of its page, drawn by gnuplot. Only figures and labels
 * of letters, digits and a few signs go into a script.
 */
#ifndef HPCTL_REPORT_PLOT_H
#define HPCTL_REPORT_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "out/out.h"

/** Plots of a page at most; the page says so. */
#define PLOTS_MAX	60

/**
 * struct plots - the page that figures are put into
 * @html: of the page
 * @several: what rows differ in beside workload and backing, by plots_several()
 * @nr: figures so far; @left_out: those beyond PLOTS_MAX
 * @script, @text, @len: of the plot that was begun
 */
struct plots {
	const json_t *doc;
	FILE *html;
	unsigned int several;
	unsigned int nr, left_out;
	FILE *script;
	char *text;
	size_t len;
};

/** plots_several - a bit for each of files, sizes and threads that there are several of */
unsigned int plots_several(const json_t *doc);
enum { PLOTS_FILES = 1, PLOTS_SIZES = 2, PLOTS_THREADS = 4 };

/** plots_ratio - ratios to the reference with their intervals, all workloads */
int plots_ratio(struct plots *p, struct hp_error *e);

/** plots_samples - every run of every row, a plot for each group of rows */
int plots_samples(struct plots *p, struct hp_error *e);

/** plots_stages - the stages of a mapping's life one behind the other */
int plots_stages(struct plots *p, struct hp_error *e);

/** plots_series - time of an operation by size of the array */
int plots_series(struct plots *p, struct hp_error *e);

/* Shared by those. */

/** plot_begin - a script of its own; HP_RESOURCE without memory */
int plot_begin(struct plots *p, unsigned int height, struct hp_error *e);

/** plot_end - draw it: a figure with a heading; the caption may be NULL */
int plot_end(struct plots *p, const char *title, const char *caption, struct hp_error *e);

/** plot_label - @text as gnuplot's quoted string, what is odd as '?' */
void plot_label(FILE *f, const char *text);

/**
 * plot_row_name - "anon-thp", with the file where there are several
 * @workload: with the workload too, its size and its threads where there are several
 */
char *plot_row_name(const struct plots *p, const json_t *row, bool workload, char *buf,
		    size_t size);

/** plot_color - 0xRRGGBB by number: legible on white and on black; they repeat */
unsigned int plot_color(size_t n);
#define PLOT_COLORS	16

/** plot_shade - @color, fainter where @row is marked; for a script */
unsigned int plot_shade(const json_t *row, unsigned int color);

/** plot_row_color - of a row: by its backing */
unsigned int plot_row_color(const struct plots *p, const json_t *row);

/** plot_height - of @rows bars with their axis */
unsigned int plot_height(size_t rows);

/** plot_rows - an axis of @nr bars from above, all in the script */
void plot_rows(struct plots *p, size_t nr);

/**
 * plot_log, plot_log_bytes - x or y from @lo to @hi (above 0) on a logarithmic axis,
 * with tics at 1, 2 and 5 of each decade, or at powers of 2 as sizes
 */
void plot_log(struct plots *p, char axis, double lo, double hi);
void plot_log_bytes(struct plots *p, char axis, double lo, double hi);

/** plot_unit - "ns", "us", "ms" or "s" for values up to @ns, and ns of one */
const char *plot_unit(double ns, double *factor);

/** plot_legend - a line of coloured squares with names below a figure */
void plot_legend_begin(struct plots *p);
void plot_legend(struct plots *p, unsigned int color, const char *name);
void plot_legend_end(struct plots *p);

#endif
