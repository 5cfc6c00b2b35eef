// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * touch: one byte in every 4 KiB.
 *
 * The first pass meets untouched memory: what a page fault costs, spread over
 * the 4 KiB steps of a page. The second writes and reads the same bytes again,
 * with all leaves in place: one cache line and one address translation a step,
 * in ascending order. The line changes from page to page, so that they do not
 * all fall into one set of the cache.
 *
 * Checksum: the bytes that the second pass found.
 */
#include "measure/stop.h"
#include "workload/workload.h"

#define STEP		4096
#define LEAST_OPS	(UINT64_C(1) << 16)

static uint64_t steps(const struct shard *s, uint64_t *start)
{
	uint64_t a = s->first * 5, b = (s->first + s->count) * 5;

	/* A page that two shards share belongs to the one that has its start. */
	a = (a + STEP - 1) / STEP;
	b = (b + STEP - 1) / STEP;
	*start = a;
	return b - a;
}

static inline unsigned char byte_of(uint64_t step, uint64_t round)
{
	return (unsigned char)(step * 151 + round * 7 + 1);
}

static inline uint64_t place_of(uint64_t step)
{
	return step * STEP + (step * 37 & 63) * 64;
}

/* The second pass repeats over small arrays, or no clock could measure it. */
static uint64_t touch_ops(const struct shard *s, uint64_t wanted)
{
	uint64_t start, n = steps(s, &start), rounds;

	(void)wanted;
	if (!n || s->pass != 2)
		return n;
	rounds = (LEAST_OPS + n - 1) / n;
	return n * rounds;
}

static void touch_run(struct shard *s)
{
	uint64_t start, n = steps(s, &start), sum = 0, round = 0;
	volatile unsigned char *p = s->base;

	for (s->done = 0; s->done < s->ops; round++) {
		for (uint64_t i = 0; i < n; i++) {
			uint64_t step = start + i;

			/* A page may take long to come: look each time it could. */
			if (!(i & 511) && stop_pending())
				return;
			if (s->pass == 2)
				sum += p[place_of(step)];
			p[place_of(step)] = byte_of(step, s->pass + round);
		}
		s->done += n;
	}
	s->sum = sum;
}

static uint64_t touch_expect(const struct shard *s)
{
	uint64_t start, n = steps(s, &start), sum = 0;

	if (s->pass != 2)
		return 0;
	for (uint64_t round = 0; round < s->ops / n; round++)
		for (uint64_t i = 0; i < n && !workload_stopped(i); i++)
			sum += byte_of(start + i, 1 + round);
	return sum;
}

const struct workload workload_touch = {
	.name = "touch",
	.brief = "one byte in every 4 KiB, first and second pass",
	.fresh = true,
	.fixed = true,
	.dirties = true,
	.op_bytes = 1,
	.ops = touch_ops,
	.run = touch_run,
	.expect = touch_expect,
};
