// SPDX-License-Identifier: GPL-2.0-or-later
/* Log-linear histograms: the formula of the netlink spec, and percentiles. */
#include <stdint.h>
#include <string.h>

#include "kselftest_harness.h"

#include "../../user/measure/hist.h"

TEST(bounds_are_those_of_the_spec)
{
	/* "Bucket 0 to 3 hold 0 to 3 ns; bucket 4 * k + s with k > 0 begins at ..." */
	for (unsigned int i = 0; i < 4; i++) {
		EXPECT_EQ(i, hist_low(i));
		EXPECT_EQ(i, hist_high(i));
	}
	for (unsigned int k = 1; 4 * k < HIST_BUCKETS; k++)
		for (unsigned int s = 0; s < 4; s++)
			EXPECT_EQ((4 + s) * (UINT64_C(1) << (k - 1)), hist_low(4 * k + s));
	EXPECT_EQ(4, hist_low(4));
	EXPECT_EQ(8, hist_low(8));
	EXPECT_EQ(10, hist_low(9));
	EXPECT_EQ(UINT64_C(1) << 40, hist_low(HIST_BUCKETS));
	EXPECT_EQ(UINT64_MAX, hist_high(HIST_BUCKETS - 1));
}

TEST(buckets_join)
{
	for (unsigned int i = 0; i + 1 < HIST_BUCKETS; i++) {
		EXPECT_EQ(hist_high(i) + 1, hist_low(i + 1));
		EXPECT_LE(hist_low(i), hist_high(i));
		/* No wider than a quarter of where they begin. */
		if (i >= 4)
			EXPECT_LE((hist_high(i) - hist_low(i)) * 4, hist_low(i));
	}
}

TEST(every_value_is_in_its_bucket)
{
	for (unsigned int i = 0; i < HIST_BUCKETS; i++) {
		EXPECT_EQ(i, hist_bucket_of(hist_low(i)));
		EXPECT_EQ(i, hist_bucket_of(hist_high(i)));
	}
	EXPECT_EQ(HIST_BUCKETS - 1, hist_bucket_of(UINT64_C(1) << 63));
	EXPECT_EQ(HIST_BUCKETS - 1, hist_bucket_of(UINT64_MAX));
}

TEST(percentiles)
{
	uint32_t b[HIST_BUCKETS] = { 0 };

	/* 1 to 100 ns, once each */
	for (unsigned int v = 1; v <= 100; v++)
		b[hist_bucket_of(v)]++;
	/* 50 is in 48 to 55, 90 in 80 to 95, 99 in 96 to 111 */
	EXPECT_EQ(55, hist_percentile(b, HIST_BUCKETS, 0.5, 100));
	EXPECT_EQ(95, hist_percentile(b, HIST_BUCKETS, 0.9, 100));
	EXPECT_EQ(100, hist_percentile(b, HIST_BUCKETS, 0.99, 100));
	EXPECT_EQ(111, hist_percentile(b, HIST_BUCKETS, 0.99, UINT64_MAX));
	EXPECT_EQ(100, hist_percentile(b, HIST_BUCKETS, 1, 100));
	EXPECT_EQ(1, hist_percentile(b, HIST_BUCKETS, 0, 100));
	/* Cut behind the last that is not 0, as the module sends it. */
	EXPECT_EQ(55, hist_percentile(b, hist_bucket_of(100) + 1, 0.5, 100));
}

TEST(percentile_is_never_too_small)
{
	uint64_t x = 88172645463325252ULL;

	for (int round = 0; round < 200; round++) {
		uint32_t b[HIST_BUCKETS] = { 0 };
		uint64_t v[3];

		for (int i = 0; i < 3; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			v[i] = x >> (24 + x % 40);
			b[hist_bucket_of(v[i])]++;
		}
		for (int i = 0; i < 3; i++) {
			unsigned int not_above = 0;
			uint64_t p = hist_percentile(b, HIST_BUCKETS, (i + 1) / 3., UINT64_MAX);

			for (int k = 0; k < 3; k++)
				not_above += v[k] <= p;
			EXPECT_LE(i + 1, not_above);
		}
	}
}

TEST(nothing_and_one)
{
	uint32_t b[HIST_BUCKETS] = { 0 };

	EXPECT_EQ(0, hist_percentile(b, 0, 0.5, 0));
	EXPECT_EQ(0, hist_percentile(b, HIST_BUCKETS, 0.5, 9));
	b[hist_bucket_of(1000000)] = 1;
	EXPECT_EQ(1000000, hist_percentile(b, HIST_BUCKETS, 0.01, 1000000));
	EXPECT_EQ(1000000, hist_percentile(b, HIST_BUCKETS, 1, 1000000));
}

/* Longer than the last bucket begins: the largest there was bounds it. */
TEST(beyond_the_last)
{
	uint32_t b[HIST_BUCKETS] = { 0 };

	b[hist_bucket_of(UINT64_C(1) << 50)]++;
	EXPECT_EQ(UINT64_C(1) << 50,
		  hist_percentile(b, HIST_BUCKETS, 0.5, UINT64_C(1) << 50));
}

/* Counts whose sum is beyond 32 bits. */
TEST(many)
{
	uint32_t b[HIST_BUCKETS] = { 0 };

	b[0] = UINT32_MAX;
	b[40] = UINT32_MAX;
	EXPECT_EQ(0, hist_percentile(b, HIST_BUCKETS, 0.5, UINT64_MAX));
	EXPECT_EQ(hist_high(40), hist_percentile(b, HIST_BUCKETS, 0.51, UINT64_MAX));
}

TEST(octaves)
{
	uint32_t b[HIST_BUCKETS] = { 0 };
	uint64_t o[HIST_OCTAVES], sum = 0;

	for (unsigned int i = 0; i < HIST_BUCKETS; i++)
		b[i] = i + 1;
	hist_octaves(b, HIST_BUCKETS, o);
	EXPECT_EQ(1 + 2 + 3 + 4, o[0]);
	EXPECT_EQ(5 + 6 + 7 + 8, o[1]);
	for (unsigned int k = 0; k < HIST_OCTAVES; k++)
		sum += o[k];
	EXPECT_EQ(156 * 157 / 2, sum);
	EXPECT_EQ(0, hist_octave_low(0));
	EXPECT_EQ(4, hist_octave_low(1));
	EXPECT_EQ(8, hist_octave_low(2));
	EXPECT_EQ(1024, hist_octave_low(9));
}

TEST_HARNESS_MAIN
