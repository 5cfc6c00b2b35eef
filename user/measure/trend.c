// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/trend.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"

#define EXACT		40
#define EXACT_PAIRS	(EXACT * (EXACT - 1) / 2)

static int sign(double d)
{
	return (d > 0) - (d < 0);
}

static int cmp_double(const void *a, const void *b)
{
	return sign(*(const double *)a - *(const double *)b);
}

/*
 * By counting: of n values in random order, the number of pairs out of order is
 * that of n - 1 values and of one more, which is out of order with 0 to n - 1.
 */
static double exact_p(size_t n, long s)
{
	double f[EXACT_PAIRS + 1] = { 1 }, g[EXACT_PAIRS + 1], p = 0;
	size_t pairs = 0;

	for (size_t m = 2; m <= n; m++) {
		memset(g, 0, sizeof(g));
		for (size_t k = 0; k <= pairs; k++)
			for (size_t j = 0; j < m; j++)
				g[k + j] += f[k] / (double)m;
		pairs += m - 1;
		memcpy(f, g, sizeof(f));
	}
	for (size_t k = 0; k <= pairs; k++)
		if (labs((long)pairs - 2 * (long)k) >= labs(s))
			p += f[k];
	return p;
}

/* Kendall's S is near normal for many; with the correction for steps of 2. */
static double normal_p(size_t n, long s)
{
	double nn = (double)n, sd = sqrt(nn * (nn - 1) * (2 * nn + 5) / 18);

	return s ? erfc(((double)labs(s) - 1) / sd / sqrt(2)) : 1;
}

bool trend_of(const double *x, size_t n, struct trend *t)
{
	size_t pairs = n * (n - 1) / 2, at = 0;
	double *slope;
	long s = 0;

	if (n < 3)
		return false;
	slope = calloc(pairs, sizeof(*slope));
	if (!slope)
		return false;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			s += sign(x[k] - x[i]);
			slope[at++] = (x[k] - x[i]) / (double)(k - i);
		}
	}
	qsort(slope, pairs, sizeof(*slope), cmp_double);
	t->change = stats_quantile(slope, pairs, 0.5) * (double)(n - 1);
	t->p = n <= EXACT ? exact_p(n, s) : normal_p(n, s);
	free(slope);
	return true;
}

bool trend_first_apart(const double *x, size_t n, double part)
{
	struct stats rest;
	double d;

	if (n < 4 || !stats_of(x + 1, n - 1, 0, &rest))
		return false;
	d = fabs(x[0] - rest.median);
	return d > part * rest.median && d > 5 * rest.mad;
}
