// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/index.h"

#include <string.h>

#include "measure/stop.h"
#include "workload/data.h"
#include "workload/workload.h"

/* Below it nothing of a tree is left, nor of a range. */
#define ROWS_LEAST	(4 * INDEX_FANOUT)
/* Keys have 40 bits, and are to leave gaps. */
#define ROWS_MOST	(UINT64_C(1) << 36)

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* By the golden ratio, so that ranks that are near each other are far apart. */
static uint64_t stride_of(uint64_t rows)
{
	uint64_t stride = rows / 1000 * 618 + rows % 1000 * 618 / 1000;

	while (gcd(stride, rows) != 1)
		stride--;
	return stride;
}

/* Levels for @rows, and the elements of all; false when there is no room. */
static bool lay_out(struct index *ix, uint64_t rows, uint64_t count)
{
	uint64_t n = rows, at;

	ix->rows = rows;
	ix->leaves = rows * INDEX_ROW;
	at = ix->leaves + 2 * rows;
	ix->levels = 0;
	while (n > INDEX_FANOUT && ix->levels < INDEX_LEVELS) {
		n = (n + INDEX_FANOUT - 1) / INDEX_FANOUT;
		ix->at[ix->levels] = at;
		ix->n[ix->levels++] = n;
		at += n;
	}
	ix->elements = at;
	return at <= count;
}

void index_plan(struct index *ix, unsigned char *base, uint64_t count)
{
	/* 10 elements a row, and 1/15 of one above, a little more with the rest. */
	uint64_t rows = count / (INDEX_ROW + 2);

	memset(ix, 0, sizeof(*ix));
	if (rows > ROWS_MOST)
		rows = ROWS_MOST;
	while (rows >= ROWS_LEAST && !lay_out(ix, rows, count))
		rows -= (ix->elements - count + INDEX_ROW + 1) / (INDEX_ROW + 2);
	if (rows < ROWS_LEAST) {
		ix->rows = 0;
		return;
	}
	ix->base = base;
	ix->step = (PACKED_MAX + 1) / rows;
	ix->stride = stride_of(rows);
}

uint64_t index_key(const struct index *ix, uint64_t rank)
{
	uint64_t state = rank;

	return rank * ix->step + packed_index(packed_random(&state), ix->step);
}

uint64_t index_column(uint64_t rank, unsigned int column)
{
	return data_value(rank * INDEX_ROW + column, DATA_SET);
}

/* The x for which @a * x is 1 modulo @n: Euclid's algorithm, extended. */
static uint64_t inverse_of(uint64_t a, uint64_t n)
{
	int64_t x = 1, next = 0;
	uint64_t r = a, s = n;

	while (s) {
		uint64_t q = r / s, t = r % s;
		int64_t u = x - (int64_t)q * next;

		r = s;
		s = t;
		x = next;
		next = u;
	}
	return x < 0 ? (uint64_t)(x + (int64_t)n) : (uint64_t)x;
}

/* In the order they lie in, which is quicker than by rank. */
static void build_rows(const struct index *ix)
{
	uint64_t inverse = inverse_of(ix->stride, ix->rows), rank = 0;

	for (uint64_t place = 0; place < ix->rows; place++) {
		uint64_t e = place * INDEX_ROW;

		if (!(place % WORKLOAD_CHUNK) && stop_pending())
			return;
		packed_put(ix->base, e, index_key(ix, rank));
		for (unsigned int c = 1; c < INDEX_ROW; c++)
			packed_put(ix->base, e + c, index_column(rank, c));
		rank += inverse;
		if (rank >= ix->rows)
			rank -= ix->rows;
	}
}

static void build_leaves(const struct index *ix)
{
	uint64_t place = 0;

	for (uint64_t rank = 0; rank < ix->rows; rank++) {
		if (!(rank % WORKLOAD_CHUNK) && stop_pending())
			return;
		packed_put(ix->base, ix->leaves + 2 * rank, index_key(ix, rank));
		packed_put(ix->base, ix->leaves + 2 * rank + 1, place);
		place += ix->stride;
		if (place >= ix->rows)
			place -= ix->rows;
	}
}

void index_build(const struct index *ix)
{
	build_rows(ix);
	build_leaves(ix);
	for (unsigned int l = 0; l < ix->levels; l++) {
		for (uint64_t k = 0; k < ix->n[l]; k++) {
			uint64_t below = k * INDEX_FANOUT;
			uint64_t from = l ? ix->at[l - 1] + below : ix->leaves + 2 * below;

			packed_put(ix->base, ix->at[l] + k, packed_get(ix->base, from));
		}
	}
}
