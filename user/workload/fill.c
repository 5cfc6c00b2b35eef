// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fill: every element in ascending order, packed in vectors of four where the CPU
 * has AVX2, else eight into five words.
 *
 * The first pass meets untouched memory and contains its page faults and the
 * kernel's zeroing. The second is a plain stream of stores: what the memory's
 * bandwidth gives, with one translation a page.
 *
 * Checksum: all elements, read back after the second pass, outside the time.
 */
#include "measure/stop.h"
#include "workload/data.h"
#include "workload/workload.h"

PACKED_FILLER(fill_elements, PACKED_WIDTH, data_value)

static uint64_t salt_of(const struct shard *s)
{
	return s->pass == 2 ? DATA_SECOND : DATA_BASE;
}

static uint64_t fill_ops(const struct shard *s, uint64_t wanted)
{
	(void)wanted;
	return s->count;
}

static void fill_run(struct shard *s)
{
	uint64_t salt = salt_of(s);

	for (s->done = 0; s->done < s->ops && !stop_pending();) {
		uint64_t n = s->ops - s->done;

		if (n > WORKLOAD_CHUNK)
			n = WORKLOAD_CHUNK;
		fill_elements(s->base, s->first + s->done, n, salt);
		s->done += n;
	}
}

static void fill_settle(struct shard *s)
{
	uint64_t sum = 0;

	for (uint64_t i = s->first; i < s->first + s->done; i++) {
		if (!(i % WORKLOAD_CHUNK) && stop_pending())
			break;
		sum += packed_get(s->base, i);
	}
	s->sum = sum;
}

static uint64_t fill_expect(const struct shard *s)
{
	uint64_t salt = salt_of(s), sum = 0;

	for (uint64_t i = s->first; i < s->first + s->ops && !workload_stopped(i); i++)
		sum += data_value(i, salt);
	return sum;
}

const struct workload workload_fill = {
	.name = "fill",
	.brief = "every element in order, first and second pass",
	.fresh = true,
	.fixed = true,
	.dirties = true,
	.op_bytes = 5,
	.ops = fill_ops,
	.run = fill_run,
	.settle = fill_settle,
	.expect = fill_expect,
};
