// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scan: every element read in ascending order, unpacked four at a time where the
 * CPU has AVX2, and added up.
 *
 * A plain stream of loads: the memory's bandwidth, with the processor's prefetchers
 * at their best and one address translation a page. What huge pages give here is
 * little, and that is what it shows. Whole passes over the array.
 *
 * Checksum: all elements, as often as they were read.
 */
#include "measure/stop.h"
#include "workload/data.h"
#include "workload/workload.h"

PACKED_SUMMER(sum_elements, PACKED_WIDTH)

static uint64_t scan_ops(const struct shard *s, uint64_t wanted)
{
	uint64_t passes = s->count ? wanted / s->count : 0;

	return s->count * (passes ? passes : 1);
}

static void scan_run(struct shard *s)
{
	uint64_t sum = 0, at = 0;

	for (s->done = 0; s->done < s->ops && !stop_pending();) {
		uint64_t n = s->count - at < WORKLOAD_CHUNK ? s->count - at : WORKLOAD_CHUNK;

		sum += sum_elements(s->base, s->first + at, n);
		s->done += n;
		at = at + n == s->count ? 0 : at + n;
	}
	s->sum = sum;
}

static uint64_t scan_expect(const struct shard *s)
{
	uint64_t sum = 0;

	for (uint64_t i = s->first; i < s->first + s->count; i++)
		sum += data_value(i, DATA_BASE);
	return sum * (s->ops / s->count);
}

const struct workload workload_scan = {
	.name = "scan",
	.brief = "every element read in order",
	.op_bytes = 5,
	.ops = scan_ops,
	.run = scan_run,
	.expect = scan_expect,
};
