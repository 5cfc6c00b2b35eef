// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * get, get-safe, get-fast, set, set-fast: elements at random.
 *
 * The index stream is splitmix64, independent of what was read, so the processor
 * keeps as many accesses under way as it can: this is throughput, each access one
 * or two cache lines and nearly always a new page. chase is the one for latency.
 *
 *	get		loads that stay inside the element (four bytes and one)
 *	get-safe	the same behind a check of the index
 *	get-fast	one load of eight bytes and a mask, the array's end apart
 *	set		stores of exactly five bytes, value checked
 *	set-fast	one load and one store of eight bytes: what is behind the element
 *			is written as it was, so each thread's end is apart. Not faster
 *			where the line is far away: the load waits for it, a store does
 *			not (it goes to the store buffer)
 *
 * Checksum: the elements read; for set, those at the same indices read back
 * afterwards. Worked out by replaying the stream.
 */
#include "measure/stop.h"
#include "workload/data.h"
#include "workload/stream.h"
#include "workload/workload.h"

/*
 * The loop around one access; @body sees base, n and the index i, all of them of the
 * shard alone, and the sum. State lives in registers: a chunk at a time, so that a
 * signal is seen. How many accesses are under way is bound by how many instructions
 * the processor looks ahead: one more of 24 in the loop costs 4 %.
 */
#define ACCESS_LOOP(s, body) do {						\
	unsigned char *const base = (s)->base + (s)->first * PACKED_WIDTH;	\
	const uint64_t n = (s)->count;						\
	uint64_t state = (s)->seed, sum = 0, left = (s)->ops;			\
										\
	while (left && !stop_pending()) {					\
		uint64_t chunk = left < WORKLOAD_CHUNK ? left : WORKLOAD_CHUNK;	\
										\
		left -= chunk;							\
		for (; chunk; chunk--) {					\
			uint64_t i = stream_next(&state, 0, n);		\
										\
			body;							\
		}								\
	}									\
	(s)->done = (s)->ops - left;						\
	(s)->sum = sum;								\
} while (0)

static void get_run(struct shard *s)
{
	ACCESS_LOOP(s, sum += packed_get(base, i));
}

static void get_safe_run(struct shard *s)
{
	ACCESS_LOOP(s, {
		uint64_t v = 0;

		packed_get_safe(base, n, i, &v);
		sum += v;
	});
}

static void get_fast_run(struct shard *s)
{
	const uint64_t limit = packed_fast_limit(s->count);

	ACCESS_LOOP(s, {
		if (__builtin_expect(i < limit, 1))
			sum += packed_get_fast(base, n, i);
		else
			sum += packed_get(base, i);
	});
}

static void set_run(struct shard *s)
{
	const uint64_t salt = s->first + DATA_SET;

	ACCESS_LOOP(s, sum += packed_set(base, i, data_value(i, salt)));
}

static void set_fast_run(struct shard *s)
{
	/* The bytes behind the last elements are another thread's. */
	const uint64_t limit = packed_fast_limit(s->count), salt = s->first + DATA_SET;

	ACCESS_LOOP(s, {
		if (__builtin_expect(i < limit, 1))
			packed_set_fast(base, n, i, data_value(i, salt));
		else
			packed_put(base, i, data_value(i, salt));
	});
}

static uint64_t get_expect(const struct shard *s)
{
	return stream_sum(s, DATA_BASE);
}

static uint64_t set_expect(const struct shard *s)
{
	return stream_sum(s, DATA_SET);
}

const struct workload workload_get = {
	.name = "get",
	.brief = "random elements, loads that stay inside them",
	.op_bytes = 5,
	.ops = stream_ops,
	.run = get_run,
	.expect = get_expect,
};

const struct workload workload_get_safe = {
	.name = "get-safe",
	.brief = "random elements, index checked",
	.op_bytes = 5,
	.ops = stream_ops,
	.run = get_safe_run,
	.expect = get_expect,
};

const struct workload workload_get_fast = {
	.name = "get-fast",
	.brief = "random elements, one load of eight bytes",
	.op_bytes = 5,
	.ops = stream_ops,
	.run = get_fast_run,
	.expect = get_expect,
};

const struct workload workload_set = {
	.name = "set",
	.brief = "random elements written",
	.dirties = true,
	.op_bytes = 5,
	.ops = stream_ops,
	.run = set_run,
	.settle = get_run,
	.expect = set_expect,
};

const struct workload workload_set_fast = {
	.name = "set-fast",
	.brief = "random elements written, one load and store of eight bytes",
	.dirties = true,
	.op_bytes = 5,
	.ops = stream_ops,
	.run = set_fast_run,
	.settle = get_run,
	.expect = set_expect,
};
