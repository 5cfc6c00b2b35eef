// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * get-batch: get, with each element's line asked for some accesses ahead.
 *
 * What to read is known early, as when a batch of look-ups is worked off: a ring
 * holds the next indices, whose lines are prefetched as they enter it. More misses
 * of the caches and of the TLB are then under way than fit the processor's window
 * of instructions. (Where a prefetch that misses the TLB is dropped, this shows
 * nothing.) The ring is a few lines in the first-level cache.
 *
 * How deep is best depends on the processor and on the memory: depths from 4 to
 * 128 are tried on each backing before anything is timed, and the row says which
 * one was taken.
 *
 * The last byte of the element is prefetched too where it is in another line.
 *
 * Checksum: the elements read, as with get: the depth has no part in it.
 */
#include <string.h>
#include <time.h>

#include "measure/stop.h"
#include "timing.h"
#include "workload/data.h"
#include "workload/stream.h"
#include "workload/workload.h"

/* Powers of two. */
#define DEPTH_LEAST	UINT64_C(4)
#define DEPTHS		6
#define DEPTH_MOST	(DEPTH_LEAST << (DEPTHS - 1))
/* Times that differ by less than one part in so many are alike. */
#define ALIKE		33
/* Long enough to be in step; three times each, the best counts. */
#define TUNE_OPS	(UINT64_C(1) << 17)
#define TUNE_ROUNDS	3

static inline void ask_for(const unsigned char *base, uint64_t i)
{
	__builtin_prefetch(base + i * PACKED_WIDTH);
	__builtin_prefetch(base + i * PACKED_WIDTH + PACKED_WIDTH - 1);
}

/* @depth: a power of two. The ring is full but for the last @depth accesses. */
static void batch_run_at(struct shard *s, uint64_t depth)
{
	const unsigned char *const base = s->base + s->first * PACKED_WIDTH;
	const uint64_t n = s->count, ops = s->ops, mask = depth - 1;
	uint64_t ring[DEPTH_MOST], state = s->seed, sum = 0, k = 0;

	for (uint64_t ahead = 0; ahead < depth && ahead < ops; ahead++) {
		ring[ahead] = stream_next(&state, 0, n);
		ask_for(base, ring[ahead]);
	}
	while (k + depth < ops && !stop_pending()) {
		uint64_t end = ops - depth - k < WORKLOAD_CHUNK ? ops - depth :
			       k + WORKLOAD_CHUNK;

		for (; k < end; k++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): depth > 0 */
			uint64_t i = ring[k & mask], next = stream_next(&state, 0, n);

			ring[k & mask] = next;
			ask_for(base, next);
			sum += packed_get(base, i);
		}
	}
	if (k + depth >= ops)
		for (; k < ops; k++)
			sum += packed_get(base, ring[k & mask]);
	s->done = k;
	s->sum = sum;
}

/* CPU time: that others want the processor too is to have no say. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The least depth that is as good as the best. */
static uint64_t batch_tune(const struct shard *s)
{
	uint64_t ns[DEPTHS], best = UINT64_MAX;
	struct shard trial = *s;
	unsigned int k;

	memset(ns, 0xff, sizeof(ns));
	trial.ops = TUNE_OPS;
	for (unsigned int i = 0; i < TUNE_ROUNDS * DEPTHS && !stop_pending(); i++) {
		uint64_t from = cpu_ns(), took;

		/* Other elements each time: none is in the cache by then. */
		trial.seed++;
		k = i % DEPTHS;
		batch_run_at(&trial, DEPTH_LEAST << k);
		took = cpu_ns() - from;
		if (took < ns[k])
			ns[k] = took;
		if (took < best)
			best = took;
	}
	for (k = 0; k < DEPTHS - 1 && ns[k] > best + best / ALIKE; k++)
		;
	return DEPTH_LEAST << k;
}

static void batch_run(struct shard *s)
{
	batch_run_at(s, s->tuned);
}

static uint64_t batch_expect(const struct shard *s)
{
	return stream_sum(s, DATA_BASE);
}

/* "batch": {"depth"}: accesses between the prefetch and the read */
static void batch_report(const struct sample *s, json_t *row)
{
	json_object_set_new(row, "batch", json_pack("{s:I}", "depth",
						    (json_int_t)s->tuned));
}

const struct workload workload_get_batch = {
	.name = "get-batch",
	.brief = "random elements, prefetched some accesses ahead",
	.op_bytes = 5,
	.ops = stream_ops,
	.tune = batch_tune,
	.run = batch_run,
	.expect = batch_expect,
	.report = batch_report,
};
