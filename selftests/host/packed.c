// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packed array: element borders, the far ends of 32 bits, values that do not
 * fit, the last element before an inaccessible page, and the bulk fill against
 * a naive one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/packed.h"

#define BIG	((5ULL << 30) + (64 << 10))

/* Few pages of it ever exist. */
FIXTURE(sparse) {
	unsigned char *p;
};

FIXTURE_SETUP(sparse)
{
	self->p = mmap(NULL, BIG, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (self->p == MAP_FAILED)
		SKIP(return, "no address space for 5 GiB");
}

FIXTURE_TEARDOWN(sparse)
{
	if (self->p != MAP_FAILED)
		munmap(self->p, BIG);
}

/* The borders of 4 KiB, 2 MiB and 1 GiB, of signed and unsigned 32-bit offsets. */
TEST_F(sparse, far_indices)
{
	static const uint64_t at[] = {
		0, 1, 819, 419430, 214748364, 429496729, 429496730, 858993459, 858993460,
		5ULL * (1 << 30) / 5 - 1,
	};
	static const uint64_t values[] = { 0, 1ULL << 39, PACKED_MAX, 0x1234567890 };

	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			unsigned char *e = self->p + 5 * at[i];

			/* Ones around it must stay ones, to the bit. */
			if (at[i])
				memset(e - 5, 0xff, 5);
			memset(e, 0xff, 5);
			memset(e + 5, 0xff, 8);
			ASSERT_TRUE(packed_set(self->p, at[i], values[v]));
			EXPECT_EQ(values[v], packed_get(self->p, at[i]));
			EXPECT_EQ(values[v], packed_get_fast(self->p, BIG / 5, at[i]));
			EXPECT_EQ(PACKED_MAX, packed_get(self->p, at[i] + 1));
			if (at[i])
				EXPECT_EQ(PACKED_MAX, packed_get(self->p, at[i] - 1));
			for (int k = 0; k < 5; k++)
				EXPECT_EQ((values[v] >> 8 * k) & 0xff, e[k]);
		}
	}
}

TEST_F(sparse, offset_does_not_wrap)
{
	/* 858993460 * 5 = 2^32 + 4: cut to 32 bits it would be byte 4. */
	self->p[4] = 0x5a;
	packed_put(self->p, 858993460, PACKED_MAX);
	EXPECT_EQ(0x5a, self->p[4]);
	EXPECT_EQ(0, self->p[5]);
}

TEST(value_too_large_is_refused)
{
	unsigned char a[16];

	for (unsigned int width = 1; width < 8; width++) {
		memset(a, 0x33, sizeof(a));
		EXPECT_FALSE(packed_setw(a, 0, width, packed_maxw(width) + 1));
		EXPECT_FALSE(packed_setw(a, 0, width, UINT64_MAX));
		for (size_t i = 0; i < sizeof(a); i++)
			EXPECT_EQ(0x33, a[i]);
		EXPECT_TRUE(packed_setw(a, 0, width, packed_maxw(width)));
	}
	EXPECT_EQ(1ULL << 40, PACKED_MAX + 1);
	EXPECT_FALSE(packed_set(a, 0, 1ULL << 40));
	EXPECT_EQ(UINT64_MAX, packed_maxw(8));
}

TEST(checked_multiply)
{
	uint64_t bytes = 77;

	EXPECT_TRUE(packed_bytes(3689348814741910323ULL, 5, &bytes));
	EXPECT_EQ(UINT64_MAX, bytes);
	bytes = 77;
	EXPECT_FALSE(packed_bytes(3689348814741910324ULL, 5, &bytes));
	EXPECT_FALSE(packed_bytes(UINT64_MAX, 5, &bytes));
	EXPECT_FALSE(packed_bytes(1, 0, &bytes));
	EXPECT_FALSE(packed_bytes(1, 9, &bytes));
	EXPECT_EQ(77, bytes);
	EXPECT_TRUE(packed_bytes(1ULL << 35, 5, &bytes));
	EXPECT_EQ(160ULL << 30, bytes);
	EXPECT_TRUE(packed_bytes(0, 5, &bytes));
	EXPECT_EQ(0, bytes);
}

/* No access goes past the array, though the next byte is another page. */
TEST(last_element_before_guard)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, mprotect(p + page, page, PROT_NONE));
	for (unsigned int width = 1; width <= 8; width++) {
		uint64_t n = page / width, last = n - 1, v = 0, limit;
		unsigned char *base = p + page - n * width;
		uint64_t value = packed_maxw(width) - 3;

		ASSERT_TRUE(packed_setw(base, last, width, value));
		EXPECT_EQ(value, packed_getw(base, last, width));
		EXPECT_TRUE(packed_getw_safe(base, n, last, width, &v));
		EXPECT_EQ(value, v);
		EXPECT_FALSE(packed_getw_safe(base, n, n, width, &v));
		EXPECT_FALSE(packed_getw_safe(base, n, UINT64_MAX, width, &v));
		limit = packed_fast_limitw(n, width);
		/* The last allowed one may end at the guard page, the next would not. */
		EXPECT_EQ(packed_getw(base, limit - 1, width),
			  packed_getw_fast(base, n, limit - 1, width));
		EXPECT_LE((limit - 1) * width + 8, n * width);
		EXPECT_GT(limit * width + 8, n * width);
	}
	munmap(p, 2 * page);
}

TEST(fast_limit_of_short_arrays)
{
	EXPECT_EQ(0, packed_fast_limit(0));
	EXPECT_EQ(0, packed_fast_limit(1));
	EXPECT_EQ(1, packed_fast_limit(2));
	EXPECT_EQ(2, packed_fast_limit(3));
	EXPECT_EQ(1, packed_fast_limitw(8, 1));
	EXPECT_EQ(1, packed_fast_limitw(1, 8));
}

/* A byte at a time: nothing to get wrong. */
static void naive_set(unsigned char *base, uint64_t i, unsigned int width, uint64_t v)
{
	for (unsigned int k = 0; k < width; k++)
		base[i * width + k] = (unsigned char)(v >> 8 * k);
}

static uint64_t mixed(uint64_t i, uint64_t arg)
{
	uint64_t state = i ^ arg;

	return packed_random(&state) & packed_maxw((unsigned int)(arg & 15));
}

#define FILLER(width)	PACKED_FILLER(fill##width, width, mixed)
FILLER(1) FILLER(2) FILLER(3) FILLER(4) FILLER(5) FILLER(6) FILLER(7) FILLER(8)

static void (*const fillers[])(void *base, uint64_t first, uint64_t count, uint64_t arg) = {
	fill1, fill2, fill3, fill4, fill5, fill6, fill7, fill8,
};

/* Every count up to some vectors, at every alignment; and what is around it. */
TEST(widest_fill_is_the_naive_one)
{
	unsigned char a[1024], b[1024];

	for (unsigned int width = 1; width <= 8; width++) {
		for (uint64_t first = 0; first < 17; first++) {
			for (uint64_t count = 0; count < 80; count++) {
				uint64_t arg = count << 32 | width;

				memset(a, 0xee, sizeof(a));
				memset(b, 0xee, sizeof(b));
				fillers[width - 1](a, first, count, arg);
				for (uint64_t i = first; i < first + count; i++)
					naive_set(b, i, width, mixed(i, arg));
				ASSERT_EQ(0, memcmp(a, b, sizeof(a))) {
					TH_LOG("width %u first %lu count %lu", width,
					       (unsigned long)first, (unsigned long)count);
				}
			}
		}
	}
}

/* Not even for a moment: the next page cannot be written. */
TEST(widest_fill_before_guard)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, mprotect(p + page, page, PROT_NONE));
	for (unsigned int width = 1; width <= 8; width++) {
		uint64_t n = page / width;
		unsigned char *base = p + page - n * width;

		for (uint64_t count = 1; count <= n && count < 200; count++)
			fillers[width - 1](base, n - count, count, width);
		for (uint64_t i = n - 100; i < n; i++)
			ASSERT_EQ(mixed(i, width), packed_getw(base, i, width));
	}
	munmap(p, 2 * page);
}

TEST(bulk_fill_is_the_naive_one)
{
	unsigned char a[512], b[512];

	for (unsigned int width = 1; width <= 8; width++) {
		for (uint64_t first = 0; first < 9; first++) {
			for (uint64_t count = 0; count < 40; count++) {
				uint64_t arg = count << 32 | width;

				memset(a, 0xee, sizeof(a));
				memset(b, 0xee, sizeof(b));
				packed_fillw(a, first, count, width, mixed, arg);
				for (uint64_t i = first; i < first + count; i++)
					naive_set(b, i, width, mixed(i, arg));
				ASSERT_EQ(0, memcmp(a, b, sizeof(a))) {
					TH_LOG("width %u first %lu count %lu", width,
					       (unsigned long)first, (unsigned long)count);
				}
				for (uint64_t i = first; i < first + count; i++)
					ASSERT_EQ(mixed(i, arg), packed_getw(a, i, width));
			}
		}
	}
}

#define SUMMER(width)	PACKED_SUMMER(sum##width, width)
SUMMER(1) SUMMER(2) SUMMER(3) SUMMER(4) SUMMER(5) SUMMER(6) SUMMER(7) SUMMER(8)

static uint64_t (*const summers[])(const void *base, uint64_t first, uint64_t count) = {
	sum1, sum2, sum3, sum4, sum5, sum6, sum7, sum8,
};

/* Up to an inaccessible page. */
TEST(widest_sum_is_the_naive_one)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, mprotect(p + page, page, PROT_NONE));
	for (unsigned int width = 1; width <= 8; width++) {
		uint64_t n = page / width;
		unsigned char *base = p + page - n * width;

		for (uint64_t i = 0; i < n; i++)
			naive_set(base, i, width, mixed(i, width));
		for (uint64_t count = 0; count < 100; count++) {
			uint64_t sum = 0;

			for (uint64_t i = n - count; i < n; i++)
				sum += mixed(i, width);
			ASSERT_EQ(sum, summers[width - 1](base, n - count, count)) {
				TH_LOG("width %u count %lu", width, (unsigned long)count);
			}
		}
	}
	munmap(p, 2 * page);
}

TEST(fast_set_is_the_naive_one)
{
	unsigned char a[256], b[256];
	uint64_t state = 43;

	for (unsigned int width = 1; width <= 8; width++) {
		uint64_t n = sizeof(a) / width;

		memset(a, 0x77, sizeof(a));
		memset(b, 0x77, sizeof(b));
		for (int k = 0; k < 1000; k++) {
			uint64_t i = packed_index(packed_random(&state),
						  packed_fast_limitw(n, width));
			uint64_t v = packed_random(&state) & packed_maxw(width);

			packed_setw_fast(a, n, i, width, v);
			naive_set(b, i, width, v);
			ASSERT_EQ(v, packed_getw(a, i, width));
		}
		EXPECT_EQ(0, memcmp(a, b, sizeof(a)));
	}
}

TEST(set_is_the_naive_one)
{
	unsigned char a[256], b[256];
	uint64_t state = 42;

	for (unsigned int width = 1; width <= 8; width++) {
		memset(a, 0x77, sizeof(a));
		memset(b, 0x77, sizeof(b));
		for (int k = 0; k < 1000; k++) {
			uint64_t i = packed_index(packed_random(&state), sizeof(a) / width);
			uint64_t v = packed_random(&state) & packed_maxw(width);

			ASSERT_TRUE(packed_setw(a, i, width, v));
			naive_set(b, i, width, v);
			ASSERT_EQ(v, packed_getw(a, i, width));
		}
		EXPECT_EQ(0, memcmp(a, b, sizeof(a)));
	}
}

/* Published outputs of splitmix64 for seed 1234567. */
TEST(random_numbers)
{
	uint64_t state = 1234567;

	EXPECT_EQ(6457827717110365317ULL, packed_random(&state));
	EXPECT_EQ(3203168211198807973ULL, packed_random(&state));
	EXPECT_EQ(9817491932198370423ULL, packed_random(&state));
}

TEST(random_index_range)
{
	EXPECT_EQ(0, packed_index(0, 7));
	EXPECT_EQ(6, packed_index(UINT64_MAX, 7));
	EXPECT_EQ(0, packed_index(UINT64_MAX, 1));
	EXPECT_EQ(UINT64_MAX - 1, packed_index(UINT64_MAX, UINT64_MAX));
	EXPECT_EQ((1ULL << 35) - 1, packed_index(UINT64_MAX, 1ULL << 35));
}

TEST_HARNESS_MAIN
