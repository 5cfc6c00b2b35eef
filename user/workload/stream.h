/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index stream of all random accesses: splitmix64, independent of what was
 * read. The same seed gives the same indices on every backing.
 */
#ifndef HPCTL_STREAM_H
#define HPCTL_STREAM_H

#include "packed.h"
#include "workload/workload.h"

/** stream_next - the next index of a shard that has @first and @count (not 0) */
static inline uint64_t stream_next(uint64_t *state, uint64_t first, uint64_t count)
{
	return first + packed_index(packed_random(state), count);
}

/** stream_ops - as many as wanted, where there is an element */
uint64_t stream_ops(const struct shard *s, uint64_t wanted);

/** stream_sum - what reading the elements of the shard's stream comes to, by data.h */
uint64_t stream_sum(const struct shard *s, uint64_t salt);

#endif
