// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chain of the chase: one cycle through all pages, for any number of them, the
 * same for the same seed; and the shards that threads get.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kselftest_harness.h"

#include "../../user/packed.h"
#include "../../user/workload/chain.h"
#include "../../user/workload/workload.h"

#define PAGE	4096ULL

/* One line of every page is touched, so it needs a page of memory each. */
static unsigned char *array(uint64_t pages)
{
	void *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* A fault for each of them is what would take the time. */
	madvise(p, pages * PAGE, MADV_HUGEPAGE);
	return p;
}

/* Steps until the start comes again; 0 when a step leaves the array. */
static uint64_t cycle(const struct chain *c, unsigned char *seen)
{
	uint64_t start = chain_element(c, 0), e = start, steps = 0;

	do {
		uint64_t page = e * 5 / PAGE - c->page;

		if (page >= c->pages || e != chain_element(c, page) || seen[page]++)
			return 0;
		e = packed_get(c->base, e);
		steps++;
	} while (e != start);
	return steps;
}

static void check_one(struct __test_metadata *_metadata, uint64_t first, uint64_t pages)
{
	struct chain c = { .page = first, .pages = pages, .n = (first + pages) * PAGE / 5 };
	unsigned char *seen = calloc(pages, 1);
	uint64_t sum = 0;

	c.base = array(first + pages);
	ASSERT_NE(NULL, c.base);
	ASSERT_NE(NULL, seen);
	chain_build(&c, 12345 + pages);
	EXPECT_EQ(pages, cycle(&c, seen)) {
		TH_LOG("%lu pages", (unsigned long)pages);
	}
	for (uint64_t p = 0; p < pages; p++) {
		uint64_t e = chain_element(&c, p);

		/* The eight bytes that a fast get reads are within the page. */
		ASSERT_GE(e * 5, (first + p) * PAGE);
		ASSERT_LE(e * 5 + 8, (first + p + 1) * PAGE);
		sum += e;
	}
	EXPECT_EQ(sum, chain_sum(&c));
	free(seen);
	munmap(c.base, (first + pages) * PAGE);
}

TEST(one_cycle)
{
	static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 7, 64, 65, 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		check_one(_metadata, 0, sizes[i]);
		check_one(_metadata, 3, sizes[i]);
	}
}

/* For the long test's time limit only. */
FIXTURE(large) {
	int unused;
};

FIXTURE_SETUP(large)
{
	self->unused = 0;
}

FIXTURE_TEARDOWN(large)
{
}

/* 4 GiB each: one after the other. Slow where the memory is touched first. */
TEST_F_TIMEOUT(large, one_cycle_of_a_million, 240)
{
	long have = sysconf(_SC_AVPHYS_PAGES);

	if (have < (5L << 30) / 4096)
		SKIP(return, "needs 5 GiB of free memory, there are %ld MiB", have >> 8);
	check_one(_metadata, 0, 1 << 20);
	check_one(_metadata, 0, (1 << 20) + 1);
}

TEST(same_seed_same_chain)
{
	struct chain a = { .pages = 300, .n = 300 * PAGE / 5 }, b = a, c = a;

	a.base = array(300);
	b.base = array(300);
	c.base = array(300);
	ASSERT_TRUE(a.base && b.base && c.base);
	chain_build(&a, 1);
	chain_build(&b, 1);
	chain_build(&c, 2);
	EXPECT_EQ(0, memcmp(a.base, b.base, 300 * PAGE));
	EXPECT_NE(0, memcmp(a.base, c.base, 300 * PAGE));
}

/* All elements, each once, and no byte of one thread in another's page. */
TEST(shards)
{
	static const uint64_t sizes[] = { 1, 7, 8, 4095, 4096, 100000, 214748364 };
	struct shard s[8];

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (unsigned int nr = 1; nr <= 8; nr++) {
			uint64_t at = 0, n = sizes[i];

			if (n < nr) {
				EXPECT_FALSE(shard_split(s, nr, NULL, n));
				continue;
			}
			ASSERT_TRUE(shard_split(s, nr, NULL, n));
			for (unsigned int k = 0; k < nr; k++) {
				EXPECT_EQ(at, s[k].first);
				EXPECT_GT(s[k].count, 0);
				if (n / nr >= 4096)
					EXPECT_EQ(0, s[k].first * 5 % PAGE);
				at += s[k].count;
			}
			EXPECT_EQ(n, at);
		}
	}
}

TEST_HARNESS_MAIN
