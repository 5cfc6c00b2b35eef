// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of the TLBs from what CPUID returns: known CPUs, CPUs that do not tell, and
 * the one this runs on. And the sizes of a sweep, by the rule in its header.
 */
#include "kselftest_harness.h"

#include <math.h>
#include <string.h>

#include "../../user/measure/tlb.h"
#include "../../user/sweep.h"

static const struct cpuid_regs none;

/* A Zen 4: 3072 entries for 4 KiB and 2 MiB; 1 GiB by leaf 0x80000019. */
TEST(amd)
{
	const struct cpuid_regs l1 = { .eax = 0xff48ff40, .ebx = 0xff48ff40 };
	const struct cpuid_regs l2 = { .eax = 0x5c002200, .ebx = 0x6c004200 };
	const struct cpuid_regs big = { .eax = 0xf048f040, .ebx = 0xf0400000 };
	struct tlb t = { 0 };

	ASSERT_TRUE(tlb_take_amd(&t, &l2, &l1, &big));
	EXPECT_EQ(3072, t.entries[TLB_4K]);
	EXPECT_EQ(3072, t.entries[TLB_2M]);
	EXPECT_EQ(64, t.entries[TLB_1G]);
	EXPECT_NE(NULL, t.from);

	/* No second level: the first one is the last. */
	ASSERT_TRUE(tlb_take_amd(&t, &none, &l1, &none));
	EXPECT_EQ(72, t.entries[TLB_4K]);
	EXPECT_EQ(72, t.entries[TLB_2M]);
	EXPECT_EQ(0, t.entries[TLB_1G]);
	/* A hypervisor that hides all of it. */
	EXPECT_FALSE(tlb_take_amd(&t, &none, &none, &none));
}

/* A Sapphire Rapids: first levels of loads and stores, one second level of each kind. */
TEST(intel_18)
{
	const struct cpuid_regs sub[] = {
		{ .eax = 8 },
		{ .ebx = 0x00080001, .ecx = 32, .edx = 0x22 },		/* instructions, 4K */
		{ .ebx = 0x00060001, .ecx = 16, .edx = 0x24 },		/* loads, 4K: 96 */
		{ .ebx = 0x00040006, .ecx = 8, .edx = 0x24 },		/* loads, 2M: 32 */
		{ .ebx = 0x00080008, .ecx = 1, .edx = 0x24 },		/* loads, 1G: 8 */
		{ .ebx = 0x0010000f, .ecx = 1, .edx = 0x25 },		/* stores: 16 */
		{ .ebx = 0x00080007, .ecx = 128, .edx = 0x43 },		/* both, 4K 2M: 1024 */
		{ .ebx = 0x00080009, .ecx = 128, .edx = 0x43 },		/* both, 4K 1G: 1024 */
		{ .ebx = 0xffffffff, .ecx = 0xffffffff, .edx = 0 },	/* null */
	};
	struct tlb t = { 0 };

	ASSERT_TRUE(tlb_take_18(&t, sub, 9));
	EXPECT_EQ(1024, t.entries[TLB_4K]);
	EXPECT_EQ(1024, t.entries[TLB_2M]);
	EXPECT_EQ(1024, t.entries[TLB_1G]);
	memset(&t, 0, sizeof(t));
	ASSERT_TRUE(tlb_take_18(&t, sub, 5));
	EXPECT_EQ(96, t.entries[TLB_4K]);
	EXPECT_EQ(32, t.entries[TLB_2M]);
	EXPECT_EQ(8, t.entries[TLB_1G]);
	memset(&t, 0, sizeof(t));
	EXPECT_FALSE(tlb_take_18(&t, sub, 2));
}

/* A Skylake's leaf 2, and one that points to leaf 0x18. */
TEST(intel_2)
{
	const struct cpuid_regs sky = { .eax = 0x76036301, .ebx = 0x00f0b5ff, .edx = 0x00c30000 };
	const struct cpuid_regs other = { .eax = 0x00feff01, .ebx = 0xf0 };
	const struct cpuid_regs invalid = { .eax = 0x01, .edx = 0x80c30000 };
	struct tlb t = { 0 };

	ASSERT_TRUE(tlb_take_2(&t, &sky));
	EXPECT_EQ(1536, t.entries[TLB_4K]);
	EXPECT_EQ(1536, t.entries[TLB_2M]);
	EXPECT_EQ(16, t.entries[TLB_1G]);
	memset(&t, 0, sizeof(t));
	EXPECT_FALSE(tlb_take_2(&t, &other));
	EXPECT_FALSE(tlb_take_2(&t, &invalid));
}

/* Whatever this CPU says: figures with their source, or a reason without them. */
TEST(here)
{
	struct tlb t;

	tlb_read(&t);
	EXPECT_NE(!t.from, !t.why);
	for (int i = 0; i < TLB_SIZES; i++) {
		EXPECT_LT(t.entries[i], 1 << 20);
		if (t.why)
			EXPECT_EQ(0, t.entries[i]);
	}
}

TEST(sweep)
{
	struct { const char *text; double lo, hi; unsigned int steps, nr; } taken[] = {
		{ "64M..8G", 0x1p26, 0x1p33, 1, 8 }, { "64M..8G/2", 0x1p26, 0x1p33, 2, 15 },
		{ "4K..8K", 0x1p12, 0x1p13, 1, 2 }, { "64M..100M", 0x1p26, 104857600, 1, 2 },
		{ "1G..3G", 0x1p30, 0x1.8p31, 1, 3 }, { "4K..64K/8", 0x1p12, 0x1p16, 8, 15 },
		{ "5000..20001/2", 5000, 20001, 2, 5 },
	};
	uint64_t sizes[SWEEP_MAX];

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		struct hp_error e = { 0 };
		struct sweep s = { 0 };
		unsigned int nr;

		ASSERT_EQ(HP_OK, sweep_parse(taken[i].text, &s, &e));
		EXPECT_EQ(taken[i].lo, s.lo);
		EXPECT_EQ(taken[i].hi, s.hi);
		EXPECT_EQ(taken[i].steps, s.steps);
		nr = sweep_sizes(&s, sizes);
		EXPECT_EQ(nr, sweep_sizes(&s, NULL));
		EXPECT_EQ(taken[i].nr, nr) {
			TH_LOG("%s", taken[i].text);
		}
		EXPECT_EQ(s.lo, sizes[0]);
		EXPECT_EQ(s.hi, sizes[nr - 1]);
		for (unsigned int k = 1; k < nr; k++)
			EXPECT_GT(sizes[k], sizes[k - 1]);
		/* One page or less below the exact one. */
		for (unsigned int k = 0; k + 1 < nr && s.lo >= 1 << 20; k++) {
			double exact = (double)s.lo * exp2((double)k / s.steps);

			EXPECT_LE((double)sizes[k], exact + 1);
			EXPECT_GT((double)sizes[k], exact - 4097);
		}
	}
}

TEST(sweep_refused)
{
	static const char *const refused[] = {
		"", "..", "64M", "64M..", "..8G", "8G..64M", "64M..64M", "64M..8G/0", "64M..8G/9",
		"64M..8G/", "64M..8G/2/2", "/2..8G", "64M...8G", "64M..8G..9G", "1..2", "4095..8K",
		"64MB..8GB", "-1..8G", "64M..99999999999999999999", "4096..9223372036854775807/8",
		"64M-8G", "64M..8G/1e0", " 64M..8G", "64M..8G ",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct sweep s = { .lo = 1, .hi = 2, .steps = 3 };
		struct hp_error e = { 0 };

		EXPECT_EQ(HP_USAGE, sweep_parse(refused[i], &s, &e)) {
			TH_LOG("\"%s\" was taken", refused[i]);
		}
		EXPECT_NE(0, strlen(e.message));
		EXPECT_EQ(3, s.steps);
	}
}

TEST_HARNESS_MAIN
