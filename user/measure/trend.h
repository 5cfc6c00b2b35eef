/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether values taken one after another drift, or begin apart. */
#ifndef HPCTL_TREND_H
#define HPCTL_TREND_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct trend
 * @p: two-sided probability of as much order among unordered values: Kendall's
 *	test against the order they were taken in; exact up to 40 values
 * @change: from the first to the last by Theil's and Sen's line (the median of the
 *	slopes of all pairs), in the unit of the values
 */
struct trend {
	double p, change;
};

/** trend_of - false when @n is less than 3 or memory is short */
bool trend_of(const double *x, size_t n, struct trend *t);

/**
 * trend_first_apart - whether the first value lies apart from the others
 * By more than @part of the median of the others, and more than five times their
 * median absolute deviation. False below 4 values.
 */
bool trend_first_apart(const double *x, size_t n, double part);

#endif
