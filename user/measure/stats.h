/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Robust statistics of a few samples. No state: a seed gives the same result. */
#ifndef HPCTL_STATS_H
#define HPCTL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct stats
 * @median, @p10, @p90: quantiles by linear interpolation between order statistics
 * @mad: median of the absolute deviations from the median, not scaled
 * @lo, @hi: bootstrap 95 % interval of the median, by percentiles; NaN when
 *	there are fewer than three samples
 */
struct stats {
	double median, p10, p90, mad;
	double lo, hi;
};

/**
 * stats_level - the probability with which the interval of @n samples holds the median
 * Below six samples it is their whole range, lo and hi the smallest and the largest:
 * 1 - 2^(1 - n), which is less than 95 %. 0: there is no interval.
 */
double stats_level(size_t n);

/** stats_quantile - @q in 0..1 of @n (1 or more) sorted values */
double stats_quantile(const double *sorted, size_t n, double q);

/** stats_of - false when @n is 0 or memory is short */
bool stats_of(const double *x, size_t n, uint64_t seed, struct stats *s);

/**
 * stats_ratio - median of ref[i] / x[i] over @n pairs, with its interval
 * More than 1 means that @x is faster than the reference. False when @n is 0, a
 * value is not positive, or memory is short.
 */
bool stats_ratio(const double *ref, const double *x, size_t n, uint64_t seed,
		 struct stats *s);

/**
 * stats_ratio_apart - the median of @nr values over that of @n others, not paired
 * All are above 0. The interval is of ratios of medians of both drawn anew; p10, p90
 * and mad mean nothing and are NaN. False when there are none, or memory is short.
 */
bool stats_ratio_apart(const double *ref, size_t nr, const double *x, size_t n, uint64_t seed,
		       struct stats *s);

#endif
