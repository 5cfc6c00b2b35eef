/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms as the module keeps them: log-linear, 4 steps an octave. Values 0 to
 * 3 have a bucket each; bucket 4 * k + s with k > 0 begins at (4 + s) * 2^(k - 1).
 * A value is known to within its bucket, that is, to 25 % at worst: what is told
 * of it is the bucket's largest value.
 */
#ifndef HPCTL_HIST_H
#define HPCTL_HIST_H

#include <stdint.h>

/** Buckets there are, and octaves they cover, the first being 0 to 3. */
#define HIST_BUCKETS	156
#define HIST_OCTAVES	(HIST_BUCKETS / 4)

/** hist_low, hist_high - smallest and largest value of bucket @i; the last has no end */
uint64_t hist_low(unsigned int i);
uint64_t hist_high(unsigned int i);

/** hist_bucket_of - the bucket that @value is in */
unsigned int hist_bucket_of(uint64_t value);

/**
 * hist_percentile - a value that @q (0..1) of all are not larger than
 * @bucket: counts, @nr of them, HIST_BUCKETS at most; those behind are 0
 * @max: the largest value there was
 *
 * The upper bound of the bucket in which the value lies, or @max if that is less:
 * never less than the true one, and 25 % more at most. 0 when there is none.
 */
uint64_t hist_percentile(const uint32_t *bucket, unsigned int nr, double q, uint64_t max);

/** hist_octaves - counts by octave; @to of HIST_OCTAVES is filled */
void hist_octaves(const uint32_t *bucket, unsigned int nr, uint64_t to[HIST_OCTAVES]);

/** hist_octave_low - smallest value of octave @k: 0, 4, 8, 16, ... */
uint64_t hist_octave_low(unsigned int k);

#endif
