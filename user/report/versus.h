/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same measured twice, in two files: runs that are no pairs. */
#ifndef HPCTL_REPORT_VERSUS_H
#define HPCTL_REPORT_VERSUS_H

#include <jansson.h>

/**
 * versus - how much faster @row is than @first
 *
 * Medians of all samples (ns of an operation where there are any), with a bootstrap
 * 95 % interval for which both are drawn anew, since runs of two files are no pairs.
 * Returns {"to", "value", "ci95", "verdict"}; null where one of the two is not verified
 * or was not measured.
 */
json_t *versus(const json_t *first, const json_t *row);

#endif
