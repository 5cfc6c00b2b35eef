/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A JSON value as text for people. */
#ifndef HPCTL_OUT_FMT_H
#define HPCTL_OUT_FMT_H

#include "out.h"

/** The value of @row at @path ("leaf.pmd", "stages.0.ns"), or NULL. */
const json_t *fmt_lookup(const json_t *row, const char *path);

/** @value as @fmt says, to be freed; NULL without memory. */
char *fmt_value(const json_t *value, enum out_fmt fmt, bool whole_bytes);

/** Whether @fmt is a number, which stands to the right. */
bool fmt_is_number(enum out_fmt fmt);

#endif
