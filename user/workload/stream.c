// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/stream.h"

#include "workload/data.h"

uint64_t stream_ops(const struct shard *s, uint64_t wanted)
{
	return s->count ? wanted : 0;
}

uint64_t stream_sum(const struct shard *s, uint64_t salt)
{
	uint64_t state = s->seed, sum = 0;

	for (uint64_t k = 0; k < s->ops && !workload_stopped(k); k++)
		sum += data_value(stream_next(&state, s->first, s->count), salt);
	return sum;
}
