/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved documents, read strictly: what is no hpctl/1 result, or not wholly one, is
 * refused in one line. Nothing behind this file meets a value of another type than
 * the schema's.
 */
#ifndef HPCTL_REPORT_LOAD_H
#define HPCTL_REPORT_LOAD_H

#include <jansson.h>
#include <stddef.h>

#include "error.h"

/** Bytes of a file, rows of all files, samples of a row: beyond, nothing is read. */
#define REPORT_FILE_MAX	(32U << 20)
#define REPORT_ROWS_MAX	5000
#define REPORT_SAMPLES_MAX	10000

/**
 * report_parse - a document from its text
 * @name: of the file, for messages
 *
 * Control characters in its strings become '?': they would reach a terminal.
 * Returns NULL with HP_FAILED in @e.
 */
json_t *report_parse(const char *text, size_t len, const char *name, struct hp_error *e);

/** report_load - the same from a regular file or a pipe */
json_t *report_load(const char *path, struct hp_error *e);

/** report_check - the shape of @doc, as far as a report reads it; HP_OK or HP_FAILED */
int report_check(const json_t *doc, const char *name, struct hp_error *e);

#endif
