// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "packed.h"

#define RESAMPLES	2000

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), cmp_double);
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	double pos = q * (double)(n - 1);
	size_t i = (size_t)pos;

	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (pos - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* A median of @n values drawn from @x with repetition. */
static double draw_median(const double *x, size_t n, uint64_t *seed, double *work)
{
	for (size_t i = 0; i < n; i++)
		work[i] = x[packed_index(packed_random(seed), n)];
	sort(work, n);
	return stats_quantile(work, n, 0.5);
}

/* Percentile interval of the median; @work holds n doubles, @medians RESAMPLES. */
static void bootstrap(const double *x, size_t n, uint64_t seed, double *work,
		      double *medians, struct stats *s)
{
	for (size_t r = 0; r < RESAMPLES; r++)
		medians[r] = draw_median(x, n, &seed, work);
	sort(medians, RESAMPLES);
	s->lo = stats_quantile(medians, RESAMPLES, 0.025);
	s->hi = stats_quantile(medians, RESAMPLES, 0.975);
}

double stats_level(size_t n)
{
	if (n < 3)
		return 0;
	return n < 6 ? 1 - ldexp(1, 1 - (int)n) : 0.95;
}

bool stats_of(const double *x, size_t n, uint64_t seed, struct stats *s)
{
	double *work;

	if (!n)
		return false;
	work = calloc(n + RESAMPLES, sizeof(*work));
	if (!work)
		return false;
	memcpy(work, x, n * sizeof(*work));
	sort(work, n);
	s->median = stats_quantile(work, n, 0.5);
	s->p10 = stats_quantile(work, n, 0.1);
	s->p90 = stats_quantile(work, n, 0.9);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(x[i] - s->median);
	sort(work, n);
	s->mad = stats_quantile(work, n, 0.5);
	s->lo = s->hi = NAN;
	if (n >= 3)
		bootstrap(x, n, seed, work, work + n, s);
	free(work);
	return true;
}

bool stats_ratio(const double *ref, const double *x, size_t n, uint64_t seed,
		 struct stats *s)
{
	double *q = n ? calloc(n, sizeof(*q)) : NULL;
	bool ok = q;

	for (size_t i = 0; ok && i < n; i++) {
		ok = ref[i] > 0 && x[i] > 0;
		if (ok)
			q[i] = ref[i] / x[i];
	}
	ok = ok && stats_of(q, n, seed, s);
	free(q);
	return ok;
}

bool stats_ratio_apart(const double *ref, size_t nr, const double *x, size_t n, uint64_t seed,
		       struct stats *s)
{
	size_t most = nr > n ? nr : n;
	double *work = nr && n ? calloc(most + RESAMPLES, sizeof(*work)) : NULL;
	struct stats a, b;
	bool ok;

	ok = work && stats_of(ref, nr, seed, &a) && stats_of(x, n, seed, &b) && a.median > 0 &&
	     b.median > 0;
	if (ok) {
		memset(s, 0, sizeof(*s));
		s->median = a.median / b.median;
		s->p10 = s->p90 = s->mad = s->lo = s->hi = NAN;
	}
	if (ok && nr >= 3 && n >= 3) {
		double *ratios = work + most;

		for (size_t r = 0; r < RESAMPLES; r++) {
			ratios[r] = draw_median(ref, nr, &seed, work);
			ratios[r] /= draw_median(x, n, &seed, work);
		}
		sort(ratios, RESAMPLES);
		s->lo = stats_quantile(ratios, RESAMPLES, 0.025);
		s->hi = stats_quantile(ratios, RESAMPLES, 0.975);
	}
	free(work);
	return ok;
}
