// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index, index-range: what a database does all day, on rows of 40 bytes that lie
 * in no order and a B-tree of their keys, both in the array (see index.h).
 *
 *	index		one key at random: down the tree (the upper levels are in the
 *			caches, the leaf and what is above it seldom), then its row
 *	index-range	from such a key on, fifty rows in the order of their keys, a
 *			column added up: one way down, fifty rows all over the array
 *
 * Within a node of 16 keys a binary search, without branches: its four loads depend
 * on each other, as do the levels. Look-ups do not. Each thread has a table of its
 * own.
 *
 * Checksum: key and a column of the rows (index), that column (index-range): of
 * the ranks that the stream of random numbers gives, worked out by index_key() and
 * index_column().
 */
#include "measure/stop.h"
#include "timing.h"
#include "workload/index.h"
#include "workload/stream.h"
#include "workload/workload.h"

/* Not more than the rows of the smallest index. */
#define RANGE		50
#define COLUMN		3

/** What build() leaves in shard.figure */
enum { INDEX_ROWS, INDEX_BYTES };

static void plan_shard(const struct shard *s, struct index *ix)
{
	index_plan(ix, s->base + s->first * PACKED_WIDTH, s->count);
}

static void build_shard(struct shard *s)
{
	struct index ix;

	plan_shard(s, &ix);
	index_build(&ix);
	s->figure[INDEX_ROWS] = ix.rows;
	s->figure[INDEX_BYTES] = ix.elements * PACKED_WIDTH;
}

static uint64_t index_ops(const struct shard *s, uint64_t wanted)
{
	struct index ix;

	plan_shard(s, &ix);
	return ix.rows ? wanted : 0;
}

/* Last of @n entries from @at on, @stride elements apart, that is no more than @key. */
static inline uint64_t search(const unsigned char *base, uint64_t at, uint64_t n,
			      unsigned int stride, uint64_t key)
{
	uint64_t lo = 0;

	while (n > 1) {
		uint64_t half = n / 2;

		lo += half & -(uint64_t)(packed_get(base, at + stride * (lo + half)) <= key);
		n -= half;
	}
	return lo;
}

static inline uint64_t entries(uint64_t node, uint64_t all)
{
	uint64_t left = all - node * INDEX_FANOUT;

	return left < INDEX_FANOUT ? left : INDEX_FANOUT;
}

/* The leaf of @key, by its number. */
static inline uint64_t find(const struct index *ix, uint64_t key)
{
	uint64_t node = 0;

	for (unsigned int l = ix->levels; l-- > 0;) {
		uint64_t from = node * INDEX_FANOUT;

		node = from + search(ix->base, ix->at[l] + from, entries(node, ix->n[l]), 1, key);
	}
	return node * INDEX_FANOUT +
	       search(ix->base, ix->leaves + 2 * node * INDEX_FANOUT, entries(node, ix->rows), 2,
		      key);
}

static inline const unsigned char *row_of(const struct index *ix, uint64_t leaf)
{
	return ix->base + packed_get(ix->base, ix->leaves + 2 * leaf + 1) * INDEX_ROW *
	       PACKED_WIDTH;
}

static inline uint64_t point(const struct index *ix, uint64_t key)
{
	const unsigned char *row = row_of(ix, find(ix, key));

	return packed_get(row, 0) + packed_get(row, COLUMN);
}

static inline uint64_t range(const struct index *ix, uint64_t key)
{
	uint64_t leaf = find(ix, key), sum = 0;

	for (unsigned int k = 0; k < RANGE; k++)
		sum += packed_get(row_of(ix, leaf + k), COLUMN);
	return sum;
}

/* Ranks below @ranks at random, one look-up each; @one is inlined. */
static inline __attribute__((always_inline))
void look_up(struct shard *s, const struct index *ix, uint64_t ranks,
	     uint64_t (*one)(const struct index *ix, uint64_t key))
{
	uint64_t state = s->seed, sum = 0, left = s->ops;

	while (left && !stop_pending()) {
		uint64_t chunk = left < WORKLOAD_CHUNK / RANGE ? left : WORKLOAD_CHUNK / RANGE;

		left -= chunk;
		for (; chunk; chunk--)
			sum += one(ix, index_key(ix, stream_next(&state, 0, ranks)));
	}
	s->done = s->ops - left;
	s->sum = sum;
}

static void point_run(struct shard *s)
{
	struct index ix;

	plan_shard(s, &ix);
	look_up(s, &ix, ix.rows, point);
}

static void range_run(struct shard *s)
{
	struct index ix;

	plan_shard(s, &ix);
	look_up(s, &ix, ix.rows - RANGE + 1, range);
}

static uint64_t point_expect(const struct shard *s)
{
	uint64_t state = s->seed, sum = 0;
	struct index ix;

	plan_shard(s, &ix);
	for (uint64_t k = 0; k < s->ops; k++) {
		uint64_t rank = stream_next(&state, 0, ix.rows);

		sum += index_key(&ix, rank) + index_column(rank, COLUMN);
	}
	return sum;
}

static uint64_t range_expect(const struct shard *s)
{
	uint64_t state = s->seed, sum = 0;
	struct index ix;

	plan_shard(s, &ix);
	for (uint64_t k = 0; k < s->ops; k++) {
		uint64_t rank = stream_next(&state, 0, ix.rows - RANGE + 1);

		for (unsigned int r = 0; r < RANGE; r++)
			sum += index_column(rank + r, COLUMN);
	}
	return sum;
}

/* "index": {"rows", "bytes" of all threads, "rows_per_op"} */
static void report(const struct sample *s, json_t *row, int rows_per_op)
{
	json_object_set_new(row, "index", json_pack("{s:I, s:I, s:i}",
		"rows", (json_int_t)s->figure[INDEX_ROWS],
		"bytes", (json_int_t)s->figure[INDEX_BYTES],
		"rows_per_op", rows_per_op));
}

static void point_report(const struct sample *s, json_t *row)
{
	report(s, row, 1);
}

static void range_report(const struct sample *s, json_t *row)
{
	report(s, row, RANGE);
}

const struct workload workload_index_range = {
	.name = "index-range",
	.brief = "fifty rows in key order by the index, a column added up",
	.dirties = true,
	.op_bytes = RANGE * 15,
	.ops = index_ops,
	.build = build_shard,
	.run = range_run,
	.expect = range_expect,
	.report = range_report,
};

const struct workload workload_index = {
	.name = "index",
	.brief = "a row by its key, through a B-tree; with index-range beside it",
	.dirties = true,
	.op_bytes = 20,
	.ops = index_ops,
	.build = build_shard,
	.run = point_run,
	.expect = point_expect,
	.with = &workload_index_range,
	.report = point_report,
};
