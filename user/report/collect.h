/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the documents that were read to the one that is rendered: every row of every
 * file, the same ones side by side, with what is wrong with each in words.
 */
#ifndef HPCTL_REPORT_COLLECT_H
#define HPCTL_REPORT_COLLECT_H

#include "out/out.h"

/**
 * report_collect - the report of @nr documents
 * @doc: gets results, and env's "files"
 * @paths: where they were read from; the names of the files are made from them
 * @docs: the documents, as report_load() gave them
 *
 * A row is one of its file's with more fields: "file", "host"; "mark": why it is not to
 * be trusted, or null; "series": one of several sizes of the same; "figure": what is
 * compared, {"what", "ns", "ci95_ns"} (ns of an operation, of a run or of a walk);
 * "walk_ns": of a walk, else null; "vs": against the same row of the first file that has it.
 */
int report_collect(json_t *doc, char **paths, json_t **docs, size_t nr, struct hp_error *e);

/** Columns of a report: the table's, the Markdown's and the page's. */
#define REPORT_COLS	20
extern const struct out_col report_cols[];

/** report_columns - of report_cols those that have values in @rows, shown or not */
void report_columns(const json_t *doc, struct out_col cols[REPORT_COLS]);

/** report_same - whether two rows measure the same: workload, size, threads */
bool report_same(const json_t *a, const json_t *b);

/** report_group - "get, 64.00 MiB, 2 threads"; @size of 160 bytes or so */
char *report_group(const json_t *row, char *buf, size_t size);

/** report_text - a row's string, or "" */
const char *report_text(const json_t *row, const char *path);

/** report_ns - figure.ns of a row where it is above 0, else NaN */
double report_ns(const json_t *row);

#endif
