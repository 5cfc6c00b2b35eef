// SPDX-License-Identifier: GPL-2.0-or-later
/* Drift over the run, against figures from tables and worked out by hand. */
#include <math.h>
#include <stdint.h>

#include "kselftest_harness.h"

#include "../../user/measure/trend.h"
#include "../../user/trust.h"

#define NEAR(a, b)	(fabs((a) - (b)) < 1e-9)

TEST(order_of_five)
{
	/* 2 of the 120 orders are as ordered as this one: up, and down. */
	static const double up[] = { 10, 12, 14, 16, 18 };
	static const double down[] = { 5, 4, 3, 2, 1 };
	struct trend t;

	ASSERT_TRUE(trend_of(up, 5, &t));
	EXPECT_TRUE(NEAR(t.p, 2.0 / 120) && NEAR(t.change, 8));
	ASSERT_TRUE(trend_of(down, 5, &t));
	EXPECT_TRUE(NEAR(t.p, 2.0 / 120) && NEAR(t.change, -4));
}

TEST(kendall_tables)
{
	/* S = 4 of 4 values: P(S >= 4) = 4/24; S = 15 of 7: 0.0151 (Kendall, 1970). */
	static const double four[] = { 1, 3, 2, 4 };
	static const double seven[] = { 2, 1, 3, 5, 4, 7, 6 };
	struct trend t;

	ASSERT_TRUE(trend_of(four, 4, &t));
	EXPECT_TRUE(NEAR(t.p, 2 * 4.0 / 24));
	ASSERT_TRUE(trend_of(seven, 7, &t));
	EXPECT_TRUE(fabs(t.p - 2 * 0.0151) < 1e-4);
}

TEST(normal_meets_exact)
{
	double x[41];
	struct trend a, b;

	/* Every third one out of order: ordered enough, and not wholly so. */
	for (int i = 0; i < 41; i++)
		x[i] = i % 3 ? i : 41 - i;
	ASSERT_TRUE(trend_of(x, 40, &a));
	ASSERT_TRUE(trend_of(x, 41, &b));
	EXPECT_TRUE(a.p > 0 && b.p > 0 && fabs(a.p - b.p) < 0.3 * a.p + 0.01);
}

TEST(no_order)
{
	static const double x[] = { 3, 1, 4, 1, 5, 2, 3 };
	static const double same[] = { 2, 2, 2, 2 };
	struct trend t;

	ASSERT_TRUE(trend_of(x, 7, &t));
	EXPECT_GT(t.p, 0.2);
	ASSERT_TRUE(trend_of(same, 4, &t));
	EXPECT_TRUE(NEAR(t.p, 1) && NEAR(t.change, 0));
	EXPECT_FALSE(trend_of(x, 2, &t));
}

TEST(an_outlier_is_no_drift)
{
	static const double x[] = { 10, 10.1, 9.9, 50, 10, 9.9, 10.1 };
	struct trend t;

	ASSERT_TRUE(trend_of(x, 7, &t));
	EXPECT_LT(fabs(t.change), 0.5);
	EXPECT_FALSE(trust_series(x, 7) & ROW_DRIFT);
}

TEST(first_apart)
{
	static const double cold[] = { 14, 10, 10.1, 9.9, 10 };
	static const double near[] = { 11, 10, 10.1, 9.9, 10 };
	static const double wild[] = { 14, 10, 20, 5, 12 };

	EXPECT_TRUE(trend_first_apart(cold, 5, 0.15));
	EXPECT_FALSE(trend_first_apart(near, 5, 0.15));
	EXPECT_FALSE(trend_first_apart(wild, 5, 0.15));
	EXPECT_FALSE(trend_first_apart(cold, 3, 0.15));
}

TEST(flags_of_series)
{
	static const double steady[] = { 100, 101, 99, 100, 102, 100, 99 };
	static const double drifts[] = { 100, 103, 104, 107, 108, 110, 112 };
	static const double little[] = { 100, 100.1, 100.2, 100.3, 100.4, 100.5, 100.6 };
	static const double wide[] = { 100, 160, 70, 150, 60, 130, 90 };
	static const double first[] = { 150, 100, 101, 99, 100, 102, 101 };
	static const double two[] = { 100, 300 };

	EXPECT_EQ(0, trust_series(steady, 7));
	EXPECT_EQ(ROW_DRIFT, trust_series(drifts, 7));
	/* In order, and yet too little to matter. */
	EXPECT_EQ(0, trust_series(little, 7));
	EXPECT_EQ(ROW_SPREAD, trust_series(wide, 7));
	EXPECT_EQ(ROW_FIRST, trust_series(first, 7));
	EXPECT_EQ(0, trust_series(two, 2));
}

TEST(flags_of_clock_rates)
{
	static const uint64_t even[] = { 3000000, 2950000, 3000000 };
	static const uint64_t uneven[] = { 3000000, 2000000, 3000000 };
	static const uint64_t unknown[] = { 0, 2000000, 0 };

	EXPECT_EQ(0, trust_clock_rate(even, 3));
	EXPECT_EQ(ROW_CLOCK, trust_clock_rate(uneven, 3));
	EXPECT_EQ(0, trust_clock_rate(unknown, 3));
}

TEST_HARNESS_MAIN
