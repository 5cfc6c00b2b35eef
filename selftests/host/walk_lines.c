// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chases behind the estimate of hpctl walk: one cycle each, through as many
 * lines, in the same places of their pages; and what page tables hold.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kselftest_harness.h"

#include "../../user/walk_estimate.h"
#include "../../user/walk_lines.h"
#include "../../user/walk_model.h"

#define MAX_LINES	5000

static unsigned char *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Steps until the start comes again; 0: a line comes twice, or it is not one. */
static uint64_t cycle(const struct lines *l)
{
	void *start = lines_at(l, 0), *p = start;
	uint64_t steps = 0;
	unsigned char *seen = calloc(l->n, 1);

	do {
		uint64_t i = 0;

		while (i < l->n && lines_at(l, i) != p)
			i++;
		if (i == l->n || seen[i]++) {
			steps = 0;
			break;
		}
		p = *(void **)p;
		steps++;
	} while (p != start);
	free(seen);
	return steps;
}

TEST(one_cycle)
{
	static const uint64_t sizes[] = { 1, 2, 3, 33, 64, 65, 1000, MAX_LINES };
	unsigned char *p = reserve(MAX_LINES * 4096UL);

	ASSERT_NE(NULL, p);
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (int spread = 0; spread < 2; spread++) {
			struct lines l = { p, sizes[s], 12, spread };

			lines_link(&l, 7 * s);
			EXPECT_EQ(sizes[s], cycle(&l));
			EXPECT_EQ(lines_at(&l, 0), lines_chase(lines_at(&l, 0), 3 * sizes[s]));
			if (sizes[s] > 1) {
				EXPECT_NE(lines_at(&l, 0),
					  lines_chase(lines_at(&l, 0), sizes[s] - 1));
			}
		}
	}
	munmap(p, MAX_LINES * 4096UL);
}

TEST(a_seed_repeats)
{
	unsigned char *p = reserve(64 * 1000);
	unsigned char *copy = malloc(64 * 1000);
	struct lines l = { p, 1000, 12, false };

	lines_link(&l, 1);
	memcpy(copy, p, 64 * 1000);
	lines_link(&l, 2);
	EXPECT_NE(0, memcmp(copy, p, 64 * 1000));
	lines_link(&l, 1);
	EXPECT_EQ(0, memcmp(copy, p, 64 * 1000));
	free(copy);
	munmap(p, 64 * 1000);
}

/* Spread or packed, as many lines in each set of a cache, page by page. */
TEST(same_places)
{
	static const unsigned int shifts[] = { 12, 21, 30 };

	for (size_t s = 0; s < 3; s++) {
		struct lines packed = { NULL, MAX_LINES, shifts[s], false };
		struct lines spread = { NULL, MAX_LINES, shifts[s], true };
		uint64_t mask = (1UL << shifts[s]) - 1;

		for (uint64_t i = 0; i < MAX_LINES; i++) {
			uintptr_t a = (uintptr_t)lines_at(&packed, i);
			uintptr_t b = (uintptr_t)lines_at(&spread, i);

			ASSERT_EQ(a & mask, b & mask);
			ASSERT_EQ(i, b >> shifts[s]);
		}
		EXPECT_EQ(MAX_LINES, lines_pages(&spread));
		EXPECT_EQ((MAX_LINES * 64 + mask) >> shifts[s], lines_pages(&packed));
	}
}

TEST(lines_fit)
{
	static const unsigned int shifts[] = { 12, 21, 30 };

	for (size_t s = 0; s < 3; s++) {
		for (uint64_t pages = 0; pages < 20000; pages += pages < 100 ? 1 : 997) {
			struct lines l = { NULL, estimate_lines(pages, shifts[s]), shifts[s], false };

			if (!l.n) {
				EXPECT_LE(pages, ESTIMATE_PAGES);
				continue;
			}
			EXPECT_GE(l.n, ESTIMATE_PAGES);
			EXPECT_LE(l.n + lines_pages(&l), pages);
		}
	}
	EXPECT_EQ(0, estimate_lines(32, 30));
	EXPECT_EQ(32, estimate_lines(33, 30));
}

TEST(references)
{
	EXPECT_EQ(4, walk_refs(4, 12));
	EXPECT_EQ(3, walk_refs(4, 21));
	EXPECT_EQ(2, walk_refs(4, 30));
	EXPECT_EQ(5, walk_refs(5, 12));
	EXPECT_EQ(4, walk_refs(5, 21));
	EXPECT_EQ(3, walk_refs(5, 30));
}

TEST(tables)
{
	/* 2 MiB of leaf entries, 4 KiB above them, and a line for each level above. */
	EXPECT_EQ((2UL << 20) + 4096 + 64 + 64, walk_tables(1UL << 30, 4, 12));
	EXPECT_EQ(4096 + 64 + 64, walk_tables(1UL << 30, 4, 21));
	EXPECT_EQ(64 + 64, walk_tables(1UL << 30, 4, 30));
	EXPECT_EQ(64 * 3, walk_tables(1UL << 30, 5, 30));
	EXPECT_EQ(0, walk_reach(0, 4, 12));
	for (unsigned int shift = 12; shift <= 30; shift += 9) {
		uint64_t reach = walk_reach(1 << 20, 4, shift);

		EXPECT_LE(walk_tables(reach, 4, shift), 1 << 20);
		EXPECT_GT(walk_tables(reach + (1UL << shift), 4, shift), 1 << 20);
		/* 8 bytes a page, and about a 511th more. */
		EXPECT_GT(reach >> shift, (1 << 17) * 0.99);
		EXPECT_LE(reach >> shift, 1 << 17);
	}
}

TEST_HARNESS_MAIN
