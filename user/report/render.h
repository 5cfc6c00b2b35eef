/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms a report takes, all from its document (report/collect.h). */
#ifndef HPCTL_REPORT_RENDER_H
#define HPCTL_REPORT_RENDER_H

#include <stdio.h>

#include "out/out.h"

/**
 * report_csv - a header and a line a row, as RFC 4180 says, lines ended by LF
 * Whole bytes; nanoseconds; shares and ratios as fractions; empty: unknown.
 */
int report_csv(const json_t *doc, FILE *f, struct hp_error *e);

/** report_markdown - where the files come from, what was warned of, the table */
int report_markdown(const json_t *doc, FILE *f, struct hp_error *e);

/**
 * report_html - one page that needs nothing but itself
 * HP_UNSUPPORTED: gnuplot, which draws the plots, is not installed.
 */
int report_html(const json_t *doc, FILE *f, struct hp_error *e);

/** report_bars - bars on stdout, as wide as the terminal, a group of rows each */
void report_bars(const json_t *doc, const struct out_opts *o);

/** report_escape - @text with & < > " ' as HTML's entities */
void report_escape(FILE *f, const char *text);

#endif
