// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The workloads: each comes to the checksum it should, for any number of threads and
 * for arrays that do not divide evenly; and to another one as soon as one byte of
 * what it reads is wrong. Also the parts of the larger ones: CRC-32C by instruction
 * and by table, and the index against a search by hand.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kselftest_harness.h"

#include "../../user/packed.h"
#include "../../user/workload/chain.h"
#include "../../user/workload/crc32c.h"
#include "../../user/workload/data.h"
#include "../../user/workload/index.h"
#include "../../user/workload/stream.h"
#include "../../user/workload/workload.h"

#define THREADS		3
#define ELEMENTS	UINT64_C(200003)
#define PAGE		4096

/* ---- where a byte is that the shard will read, or has written ---- */

static uint64_t first_of_stream(const struct shard *s, uint64_t count)
{
	uint64_t state = s->seed;

	return stream_next(&state, 0, count);
}

static uint64_t at_stream(const struct shard *s)
{
	return (s->first + first_of_stream(s, s->count)) * PACKED_WIDTH;
}

static uint64_t at_last(const struct shard *s)
{
	return (s->first + s->count) * PACKED_WIDTH - 1;
}

static uint64_t at_start(const struct shard *s)
{
	return s->first * PACKED_WIDTH;
}

static uint64_t first_page(const struct shard *s)
{
	return (s->first * PACKED_WIDTH + PAGE - 1) / PAGE;
}

static uint64_t at_touched(const struct shard *s)
{
	uint64_t page = first_page(s);

	return page * PAGE + (page * 37 & 63) * 64;
}

/* Memory that came anew, but not zeroed. */
static uint64_t at_untouched(const struct shard *s)
{
	return first_page(s) * PAGE + (((first_page(s) * 37 & 31) * 64) ^ PAGE / 2);
}

/* The value of the first key that is looked up. */
static uint64_t at_hash(const struct shard *s)
{
	uint64_t keys = s->count / 4, k = first_of_stream(s, keys);

	for (uint64_t i = 0; i < keys * 2; i++)
		if (packed_get(s->base, s->first + 2 * i) &&
		    packed_get(s->base, s->first + 2 * i + 1) == data_value(k, DATA_SET))
			return (s->first + 2 * i + 1) * PACKED_WIDTH;
	return 0;
}

/* Column 3 of the first row that is asked for. */
static uint64_t at_row(const struct shard *s, uint64_t less)
{
	struct index ix;
	uint64_t rank;

	index_plan(&ix, s->base + s->first * PACKED_WIDTH, s->count);
	rank = first_of_stream(s, ix.rows - less);
	for (uint64_t place = 0; place < ix.rows; place++)
		if (packed_get(ix.base, place * INDEX_ROW) == index_key(&ix, rank))
			return (s->first + place * INDEX_ROW + 3) * PACKED_WIDTH;
	return 0;
}

static uint64_t at_point(const struct shard *s)
{
	return at_row(s, 0);
}

static uint64_t at_range(const struct shard *s)
{
	return at_row(s, 49);
}

/* Two successors changed places: the cycle is two. */
static void cut_chain(struct shard *s)
{
	uint64_t end = (s->first + s->count) * PACKED_WIDTH / PAGE;
	struct chain c = { .base = s->base, .n = s->n, .page = first_page(s) };
	uint64_t a, b, v;

	c.pages = end - c.page;
	a = chain_element(&c, 0);
	b = chain_element(&c, c.pages / 2);
	v = packed_get(s->base, a);
	packed_put(s->base, a, packed_get(s->base, b));
	packed_put(s->base, b, v);
}

/**
 * struct spoil - a workload, and how to make its data wrong
 * @late: after the run, when what was written is read back; else before it
 * @at: a byte that counts, or @change to do it
 */
static const struct spoil {
	const struct workload *w;
	bool late;
	uint64_t (*at)(const struct shard *s);
	void (*change)(struct shard *s);
} spoils[] = {
	{ &workload_touch, false, at_touched },
	{ &workload_fill, true, at_last },
	{ &workload_rand_fill, true, at_last },
	{ &workload_rand_gen, true, at_start },
	{ &workload_get, false, at_stream },
	{ &workload_get_safe, false, at_stream },
	{ &workload_get_fast, false, at_stream },
	{ &workload_get_batch, false, at_stream },
	{ &workload_set, true, at_stream },
	{ &workload_set_fast, true, at_stream },
	{ &workload_chase, false, NULL, cut_chain },
	{ &workload_hash, false, at_hash },
	{ &workload_index, false, at_point },
	{ &workload_index_range, false, at_range },
	{ &workload_scan, false, at_last },
	{ &workload_churn, false, at_untouched },
};

/* ---- one run, as hpctl does it ---- */

/* Wants whole pages, whose last the array may end within. */
static bool by_page(const struct workload *w)
{
	return w == &workload_touch || w == &workload_churn;
}

static void spoil(const struct spoil *how, struct shard *s)
{
	if (how->change)
		how->change(s);
	else
		s->base[how->at(s)] ^= 1;
}

static void deal(const struct workload *w, struct shard *s, unsigned int nr, void *base,
		 uint64_t n, unsigned int pass)
{
	shard_split(s, nr, base, n);
	for (unsigned int i = 0; i < nr; i++) {
		s[i].seed = 1000 + i;
		s[i].pass = pass;
		s[i].tuned = 8;
		s[i].ops = w->ops(&s[i], 20011);
	}
}

/*
 * Returns how many of @nr shards came to the sum that was expected; the data of the
 * last is spoilt if @how_spoilt. -1: one did not do what it was to.
 */
static int run(const struct spoil *how, bool spoilt, unsigned int nr, unsigned char *base,
	       uint64_t n)
{
	const struct workload *w = how->w;
	struct shard s[THREADS];
	int right = 0;

	memset(base, 0, by_page(w) ? (n * PACKED_WIDTH + PAGE - 1) / PAGE * PAGE :
	       n * PACKED_WIDTH);
	if (w->fresh) {
		deal(w, s, nr, base, n, 1);
		for (unsigned int i = 0; i < nr; i++)
			w->run(&s[i]);
	} else if (w != &workload_churn) {
		packed_fill(base, 0, n, data_value, DATA_BASE);
	}
	deal(w, s, nr, base, n, w->fresh ? 2 : 0);
	for (unsigned int i = 0; i < nr; i++) {
		if (w->build)
			w->build(&s[i]);
		if (w->prepare)
			w->prepare(&s[i]);
	}
	if (spoilt && !how->late)
		spoil(how, &s[nr - 1]);
	for (unsigned int i = 0; i < nr; i++) {
		w->run(&s[i]);
		if (!s[i].ops || s[i].done != s[i].ops)
			return -1;
	}
	if (spoilt && how->late)
		spoil(how, &s[nr - 1]);
	for (unsigned int i = 0; i < nr; i++) {
		if (w->settle)
			w->settle(&s[i]);
		right += s[i].sum == w->expect(&s[i]);
	}
	return right;
}

FIXTURE(array) {
	unsigned char *p;
};

/* As far back as it goes; from the start of a page where whole pages are touched. */
static unsigned char *place(unsigned char *p, const struct workload *w, uint64_t n)
{
	p += (ELEMENTS - n) * PACKED_WIDTH;
	return by_page(w) ? (unsigned char *)((uintptr_t)p & ~(uintptr_t)(PAGE - 1)) : p;
}

/* Nothing may be read behind the last element. */
FIXTURE_SETUP(array)
{
	size_t bytes = (ELEMENTS * PACKED_WIDTH + PAGE - 1) / PAGE * PAGE;
	unsigned char *p = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, mprotect(p + bytes, PAGE, PROT_NONE));
	self->p = p + bytes - ELEMENTS * PACKED_WIDTH;
}

FIXTURE_TEARDOWN(array)
{
}

TEST_F(array, every_workload_is_here)
{
	for (size_t i = 0; workload_table[i]; i++) {
		bool there = workload_table[i]->stages && !workload_table[i]->run;

		for (size_t k = 0; k < ARRAY_SIZE(spoils); k++)
			there = there || spoils[k].w == workload_table[i];
		EXPECT_TRUE(there) {
			TH_LOG("%s", workload_table[i]->name);
		}
	}
}

TEST_F(array, sums_are_as_expected)
{
	static const uint64_t sizes[] = { ELEMENTS, ELEMENTS - 1, 40961, 5000 };

	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(sizes) * THREADS; k++) {
			uint64_t n = sizes[k / THREADS];
			unsigned int nr = (unsigned int)k % THREADS + 1;
			unsigned char *p = place(self->p, spoils[i].w, n);

			EXPECT_EQ(nr, run(&spoils[i], false, nr, p, n)) {
				TH_LOG("%s, %u threads, %lu elements", spoils[i].w->name, nr,
				       (unsigned long)n);
			}
		}
	}
}

/* Of the shard that was spoilt, and of no other. */
TEST_F(array, a_wrong_byte_is_seen)
{
	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		for (unsigned int nr = 1; nr <= THREADS; nr++) {
			unsigned char *p = place(self->p, spoils[i].w, ELEMENTS);

			EXPECT_EQ(nr - 1, run(&spoils[i], true, nr, p, ELEMENTS)) {
				TH_LOG("%s, %u threads", spoils[i].w->name, nr);
			}
		}
	}
}

TEST_F(array, batch_of_any_depth)
{
	packed_fill(self->p, 0, ELEMENTS, data_value, DATA_BASE);
	for (uint64_t depth = 1; depth <= 128; depth *= 2) {
		for (uint64_t ops = 1; ops < 300; ops++) {
			struct shard s;

			shard_split(&s, 1, self->p, ELEMENTS);
			s.seed = ops;
			s.tuned = depth;
			s.ops = ops;
			workload_get_batch.run(&s);
			ASSERT_EQ(ops, s.done);
			ASSERT_EQ(workload_get_batch.expect(&s), s.sum) {
				TH_LOG("depth %lu, %lu operations", (unsigned long)depth,
				       (unsigned long)ops);
			}
		}
	}
}

/* RFC 3720, B.4, of 32 bytes each; the check value of "123456789" needs a byte more. */
TEST(crc32c_known)
{
	static const struct {
		uint64_t v[4];
		uint32_t crc;
	} known[] = {
		{ { 0, 0, 0, 0 }, 0x8a9136aa },
		{ { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX }, 0x62a8ab43 },
		{ { 0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110,
		    0x1f1e1d1c1b1a1918 }, 0x46dd794e },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		uint32_t crc = ~0U;

		for (int k = 0; k < 4; k++)
			crc = crc32c_soft(crc, known[i].v[k]);
		EXPECT_EQ(known[i].crc, ~crc);
	}
}

static uint32_t CRC32C_TARGET by_instruction(uint32_t crc, uint64_t v)
{
	return crc32c_hard(crc, v);
}

TEST(crc32c_both_ways)
{
	uint64_t state = 7;

	if (!crc32c_has_hard())
		SKIP(return, "the CPU has no instruction for CRC-32C");
	for (int i = 0; i < 10000; i++) {
		uint64_t v = packed_random(&state);
		uint32_t crc = (uint32_t)packed_random(&state);

		ASSERT_EQ(crc32c_soft(crc, v), by_instruction(crc, v));
	}
}

/* Rows, keys and places by definition: every rank once, ascending, within its array. */
TEST_F(array, index_is_whole)
{
	static const uint64_t counts[] = { 700, 1285, 1300, 2561, 20000, 163840, ELEMENTS };

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		uint64_t before = 0;
		unsigned char *seen;
		struct index ix;

		index_plan(&ix, self->p, counts[i]);
		ASSERT_GT(ix.rows, 0);
		ASSERT_LE(ix.elements, counts[i]);
		/* Not a row less than fit. */
		ASSERT_GT(ix.elements + 2 * (INDEX_ROW + 3), counts[i]);
		index_build(&ix);
		seen = calloc(ix.rows, 1);
		ASSERT_NE(NULL, seen);
		for (uint64_t rank = 0; rank < ix.rows; rank++) {
			uint64_t key = packed_get(ix.base, ix.leaves + 2 * rank);
			uint64_t place = packed_get(ix.base, ix.leaves + 2 * rank + 1);

			ASSERT_EQ(index_key(&ix, rank), key);
			ASSERT_TRUE(!rank || key > before);
			before = key;
			ASSERT_LT(place, ix.rows);
			ASSERT_EQ(0, seen[place]++);
			ASSERT_EQ(key, packed_get(ix.base, place * INDEX_ROW));
			for (unsigned int c = 1; c < INDEX_ROW; c++)
				ASSERT_EQ(index_column(rank, c),
					  packed_get(ix.base, place * INDEX_ROW + c));
		}
		free(seen);
	}
}

TEST(index_too_small)
{
	struct index ix;

	index_plan(&ix, NULL, 0);
	EXPECT_EQ(0, ix.rows);
	index_plan(&ix, NULL, 600);
	EXPECT_EQ(0, ix.rows);
}

/* By arithmetic alone: a tebibyte. */
TEST(index_of_a_tebibyte)
{
	uint64_t count = (UINT64_C(1) << 40) / PACKED_WIDTH;
	struct index ix;

	index_plan(&ix, NULL, count);
	EXPECT_LE(ix.elements, count);
	EXPECT_GT(ix.rows, count / 11);
	EXPECT_GT(ix.step, 1);
	EXPECT_LE(ix.n[ix.levels - 1], INDEX_FANOUT);
	EXPECT_LE(index_key(&ix, ix.rows - 1), PACKED_MAX);
}

TEST_HARNESS_MAIN
