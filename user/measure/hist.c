// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/hist.h"

#include <math.h>
#include <string.h>

#define STEPS	4

uint64_t hist_low(unsigned int i)
{
	unsigned int k = i / STEPS;

	if (!k)
		return i;
	return (uint64_t)(STEPS + i % STEPS) << (k - 1);
}

uint64_t hist_high(unsigned int i)
{
	return i + 1 >= HIST_BUCKETS ? UINT64_MAX : hist_low(i + 1) - 1;
}

unsigned int hist_bucket_of(uint64_t value)
{
	unsigned int shift, i;

	if (value < STEPS)
		return (unsigned int)value;
	/* How far down to a number of 4 to 7. */
	shift = 61 - (unsigned int)__builtin_clzll(value);
	i = STEPS * (shift + 1) + ((unsigned int)(value >> shift) & (STEPS - 1));
	return i < HIST_BUCKETS ? i : HIST_BUCKETS - 1;
}

uint64_t hist_percentile(const uint32_t *bucket, unsigned int nr, double q, uint64_t max)
{
	uint64_t all = 0, rank, seen = 0, high;
	unsigned int i;

	for (i = 0; i < nr; i++)
		all += bucket[i];
	if (!all)
		return 0;
	/* The smallest number of values that are a share of @q. */
	rank = (uint64_t)ceil(q * (double)all);
	if (rank < 1)
		rank = 1;
	if (rank > all)
		rank = all;
	for (i = 0; seen + bucket[i] < rank; i++)
		seen += bucket[i];
	high = hist_high(i);
	return high < max ? high : max;
}

void hist_octaves(const uint32_t *bucket, unsigned int nr, uint64_t to[HIST_OCTAVES])
{
	memset(to, 0, HIST_OCTAVES * sizeof(to[0]));
	for (unsigned int i = 0; i < nr; i++)
		to[i / STEPS < HIST_OCTAVES ? i / STEPS : HIST_OCTAVES - 1] += bucket[i];
}

uint64_t hist_octave_low(unsigned int k)
{
	return k ? hist_low(k * STEPS) : 0;
}
