// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics against data sets whose results are known. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kselftest_harness.h"

#include "../../user/measure/stats.h"

#define NEAR(a, b)	(fabs((a) - (b)) < 1e-9)

TEST(quantiles)
{
	static const double x[] = { 1, 2, 3, 4, 5 };
	static const double one[] = { 7 };

	EXPECT_TRUE(NEAR(stats_quantile(x, 5, 0), 1));
	EXPECT_TRUE(NEAR(stats_quantile(x, 5, 0.5), 3));
	EXPECT_TRUE(NEAR(stats_quantile(x, 5, 1), 5));
	EXPECT_TRUE(NEAR(stats_quantile(x, 5, 0.1), 1.4));
	EXPECT_TRUE(NEAR(stats_quantile(x, 4, 0.5), 2.5));
	EXPECT_TRUE(NEAR(stats_quantile(one, 1, 0.9), 7));
}

TEST(known_data)
{
	/* Unsorted, with an outlier that the mean would follow. */
	static const double x[] = { 5, 1, 1000, 3, 4, 2, 6 };
	struct stats s;

	ASSERT_TRUE(stats_of(x, 7, 1, &s));
	EXPECT_TRUE(NEAR(s.median, 4));
	EXPECT_TRUE(NEAR(s.mad, 2));
	EXPECT_TRUE(NEAR(s.p10, 1.6));
	EXPECT_GE(s.lo, 1);
	EXPECT_LE(s.lo, s.median);
	EXPECT_GE(s.hi, s.median);
	EXPECT_LE(s.hi, 1000);
}

/* Runs that are no pairs: the medians' ratio, and an interval that holds it. */
TEST(ratio_apart)
{
	static const double a[] = { 200, 210, 190, 205, 195 }, b[] = { 100, 104, 98, 101, 99, 97 };
	static const double zero[] = { 0, 0, 0 };
	struct stats s;

	ASSERT_TRUE(stats_ratio_apart(a, 5, b, 6, 1, &s));
	EXPECT_TRUE(NEAR(s.median, 200 / 99.5));
	EXPECT_LE(s.lo, s.median);
	EXPECT_GE(s.hi, s.median);
	EXPECT_GE(s.lo, 190.0 / 104);
	EXPECT_LE(s.hi, 210.0 / 97);
	/* The same on both sides is no difference. */
	ASSERT_TRUE(stats_ratio_apart(a, 5, a, 5, 1, &s));
	EXPECT_TRUE(NEAR(s.median, 1) && s.lo < 1 && s.hi > 1);
	/* Too few for an interval, and no times. */
	ASSERT_TRUE(stats_ratio_apart(a, 5, b, 2, 1, &s));
	EXPECT_TRUE(isnan(s.lo) && isnan(s.hi));
	EXPECT_FALSE(stats_ratio_apart(a, 0, b, 6, 1, &s));
	EXPECT_FALSE(stats_ratio_apart(a, 5, b, 0, 1, &s));
	EXPECT_FALSE(stats_ratio_apart(a, 5, zero, 3, 1, &s));
}

TEST(constant_data)
{
	static const double x[] = { 8, 8, 8, 8, 8 };
	struct stats s;

	ASSERT_TRUE(stats_of(x, 5, 99, &s));
	EXPECT_TRUE(NEAR(s.median, 8) && NEAR(s.mad, 0) && NEAR(s.lo, 8) && NEAR(s.hi, 8));
}

TEST(few_data)
{
	static const double x[] = { 3, 5 };
	struct stats s;

	EXPECT_FALSE(stats_of(x, 0, 1, &s));
	ASSERT_TRUE(stats_of(x, 2, 1, &s));
	EXPECT_TRUE(NEAR(s.median, 4));
	/* Two runs give no interval, and none is made up. */
	EXPECT_TRUE(isnan(s.lo) && isnan(s.hi));
}

TEST(seed_repeats)
{
	static const double x[] = { 1, 4, 2, 8, 5, 7, 3, 9, 6 };
	struct stats a, b;

	ASSERT_TRUE(stats_of(x, 9, 7, &a));
	ASSERT_TRUE(stats_of(x, 9, 7, &b));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	/* Binomial: the order statistics 2 and 8 of 9 hold 96.1 %. */
	EXPECT_TRUE(a.lo >= 2 && a.lo <= 3 && a.hi >= 7 && a.hi <= 8);
}

/* lo and hi as a text book has them: ranks by the binomial distribution. */
TEST(intervals_cover)
{
	double x[31];
	struct stats s;
	unsigned int inside = 0;
	uint64_t state = 12345;

	EXPECT_EQ(0, stats_level(2));
	EXPECT_TRUE(NEAR(stats_level(3), 0.75) && NEAR(stats_level(5), 0.9375));
	EXPECT_TRUE(NEAR(stats_level(6), 0.95) && NEAR(stats_level(1000), 0.95));
	/* Of few samples it is the range, as the level says. */
	for (size_t n = 3; n < 6; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = (double)(10 * i);
		ASSERT_TRUE(stats_of(x, n, 1, &s));
		EXPECT_TRUE(NEAR(s.lo, 0) && NEAR(s.hi, x[n - 1]));
	}
	/* 400 sets of 31 even ones, whose median is 0.5: 95 % of the intervals hold it. */
	for (int set = 0; set < 400; set++) {
		for (int i = 0; i < 31; i++) {
			state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			x[i] = (double)(state >> 11) / (double)(UINT64_C(1) << 53);
		}
		ASSERT_TRUE(stats_of(x, 31, (uint64_t)set, &s));
		inside += s.lo <= 0.5 && s.hi >= 0.5;
	}
	EXPECT_GE(inside, 365);
	EXPECT_LE(inside, 395);
}

TEST(paired_ratio)
{
	/* Twice as fast in every pair, though the pairs themselves drift by ten. */
	static const double ref[] = { 10, 20, 40, 80, 100 };
	static const double x[] = { 5, 10, 20, 40, 50 };
	static const double zero[] = { 5, 0, 20, 40, 50 };
	struct stats s;

	ASSERT_TRUE(stats_ratio(ref, x, 5, 1, &s));
	EXPECT_TRUE(NEAR(s.median, 2) && NEAR(s.lo, 2) && NEAR(s.hi, 2));
	EXPECT_FALSE(stats_ratio(ref, zero, 5, 1, &s));
	EXPECT_FALSE(stats_ratio(ref, x, 0, 1, &s));
}

TEST(no_difference)
{
	static const double ref[] = { 10, 11, 9, 10, 10 };
	static const double x[] = { 11, 10, 10, 9, 10 };
	struct stats s;

	ASSERT_TRUE(stats_ratio(ref, x, 5, 1, &s));
	EXPECT_TRUE(s.lo <= 1 && s.hi >= 1);
}

TEST_HARNESS_MAIN
