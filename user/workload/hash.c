// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hash: look-ups at random in a table with open addressing.
 *
 * A slot is two elements, key and value; half of the slots are taken, collisions
 * go to the next slot, and a key is hashed by CRC-32C (the processor's instruction
 * where there is one). Ten million keys, or as many as fit; each thread has a table
 * of its own in its part of the array. What is behind it is not used.
 *
 * Each look-up is for a key that is there and meets one slot, sometimes the next
 * ones: one or two cache lines, anywhere in the table, and so nearly always a miss
 * of the TLB with 4 KiB pages. Look-ups do not depend on each other: they overlap.
 *
 * Checksum: the values found. A look-up that ends at an empty slot adds nothing,
 * so that it is missing in the sum.
 */
#include <string.h>

#include "measure/stop.h"
#include "timing.h"
#include "workload/crc32c.h"
#include "workload/data.h"
#include "workload/stream.h"
#include "workload/workload.h"

#define KEYS_MOST	UINT64_C(10000000)
/* Slots a key, elements a slot. */
#define ROOM		2
#define SLOT		2

/** What build() leaves in shard.figure */
enum { HASH_KEYS, HASH_SLOTS, HASH_PROBES };

static uint64_t keys_of(const struct shard *s)
{
	uint64_t fit = s->count / (ROOM * SLOT);

	return fit < KEYS_MOST ? fit : KEYS_MOST;
}

/* Odd, so that no two of 2^40 numbers give the same key; 0 is an empty slot. */
static inline uint64_t key_of(uint64_t k)
{
	return ((k + 1) * UINT64_C(0x9e3779b97f4a7c15)) & PACKED_MAX;
}

static inline uint64_t slot_of(uint32_t crc, uint64_t slots)
{
	return crc * slots >> 32;
}

static void insert(const struct shard *s, uint64_t slots, uint64_t k, uint64_t *probes)
{
	uint64_t key = key_of(k), at = slot_of(crc32c_soft(~0U, key), slots);

	for (++*probes; packed_get(s->base, s->first + SLOT * at); ++*probes)
		at = at + 1 == slots ? 0 : at + 1;
	packed_put(s->base, s->first + SLOT * at, key);
	packed_put(s->base, s->first + SLOT * at + 1, data_value(k, DATA_SET));
}

static void hash_build(struct shard *s)
{
	uint64_t keys = keys_of(s), slots = keys * ROOM, probes = 0;

	memset(s->base + s->first * PACKED_WIDTH, 0, slots * SLOT * PACKED_WIDTH);
	for (uint64_t k = 0; k < keys && !(!(k % WORKLOAD_CHUNK) && stop_pending()); k++)
		insert(s, slots, k, &probes);
	s->figure[HASH_KEYS] = keys;
	s->figure[HASH_SLOTS] = slots;
	s->figure[HASH_PROBES] = probes;
}

static uint64_t hash_ops(const struct shard *s, uint64_t wanted)
{
	return keys_of(s) ? wanted : 0;
}

/* @crc: one of the two, inlined. */
static inline __attribute__((always_inline))
void look_up(struct shard *s, uint32_t (*crc)(uint32_t crc, uint64_t v))
{
	const unsigned char *const base = s->base + s->first * PACKED_WIDTH;
	const uint64_t keys = keys_of(s), slots = keys * ROOM;
	uint64_t state = s->seed, sum = 0, left = s->ops;

	while (left && !stop_pending()) {
		uint64_t chunk = left < WORKLOAD_CHUNK ? left : WORKLOAD_CHUNK;

		left -= chunk;
		for (; chunk; chunk--) {
			uint64_t key = key_of(stream_next(&state, 0, keys)), found;
			uint64_t at = slot_of(crc(~0U, key), slots);

			while ((found = packed_get(base, SLOT * at)) != key && found)
				at = at + 1 == slots ? 0 : at + 1;
			if (found)
				sum += packed_get(base, SLOT * at + 1);
		}
	}
	s->done = s->ops - left;
	s->sum = sum;
}

static void look_up_soft(struct shard *s)
{
	look_up(s, crc32c_soft);
}

static uint32_t CRC32C_TARGET hard(uint32_t crc, uint64_t v)
{
	return crc32c_hard(crc, v);
}

static void CRC32C_TARGET look_up_hard(struct shard *s)
{
	look_up(s, hard);
}

static void hash_run(struct shard *s)
{
	if (crc32c_has_hard())
		look_up_hard(s);
	else
		look_up_soft(s);
}

static uint64_t hash_expect(const struct shard *s)
{
	uint64_t keys = keys_of(s), state = s->seed, sum = 0;

	for (uint64_t k = 0; k < s->ops; k++)
		sum += data_value(stream_next(&state, 0, keys), DATA_SET);
	return sum;
}

/* "hash": {"keys", "slots" of all threads, "probes": slots a look-up meets, mean,
 * "crc32c": "sse4.2" or "software"}
 */
static void hash_report(const struct sample *s, json_t *row)
{
	uint64_t keys = s->figure[HASH_KEYS];

	json_object_set_new(row, "hash", json_pack("{s:I, s:I, s:o, s:s}",
		"keys", (json_int_t)keys, "slots", (json_int_t)s->figure[HASH_SLOTS],
		"probes", keys ? json_real((double)s->figure[HASH_PROBES] / (double)keys) :
		json_null(),
		"crc32c", crc32c_has_hard() ? "sse4.2" : "software"));
}

const struct workload workload_hash = {
	.name = "hash",
	.brief = "look-ups in a hash table (CRC-32C, open addressing, 10 million keys)",
	.dirties = true,
	.op_bytes = 10,
	.ops = hash_ops,
	.build = hash_build,
	.run = hash_run,
	.expect = hash_expect,
	.report = hash_report,
};
