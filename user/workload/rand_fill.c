// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rand-fill: the array's bytes filled with random numbers, eight at a time, in
 * ascending order; how programs often make test data, and mistake the generator's
 * rate for the memory's. So it has controls:
 *
 *	rand-fill, first pass	generator, stores, page faults and the kernel's zeroing
 *	rand-fill, second pass	generator and stores into memory already present
 *	rand-gen		generator and stores into 16 KiB, which the first-level
 *				cache holds: next to nothing but the generator
 *
 * The generator is splitmix64; what it gives depends on where a thread's part
 * starts, and on the pass. An operation is eight bytes; the last may be fewer.
 *
 * Checksum: the words read back outside the time (of rand-gen, its last round),
 * against the generator run again.
 */
#include <string.h>

#include "measure/stop.h"
#include "workload/data.h"
#include "workload/workload.h"

#define WORD		8
/* Words of the small buffer: 16 KiB. */
#define SMALL		2048
#define GAMMA		UINT64_C(0x9e3779b97f4a7c15)

static uint64_t state_of(const struct shard *s)
{
	return s->first + (s->pass == 2 ? DATA_SECOND : DATA_BASE);
}

static unsigned char *start_of(const struct shard *s)
{
	return s->base + s->first * PACKED_WIDTH;
}

static uint64_t bytes_of(const struct shard *s)
{
	return s->count * PACKED_WIDTH;
}

static void fill_words(unsigned char *p, uint64_t words, uint64_t *state)
{
	uint64_t at = *state;

	for (uint64_t k = 0; k < words; k++)
		packed_store64(p + WORD * k, packed_random(&at));
	*state = at;
}

static uint64_t sum_words(const unsigned char *p, uint64_t words)
{
	uint64_t sum = 0;

	for (uint64_t k = 0; k < words; k++)
		sum += packed_load64(p + WORD * k);
	return sum;
}

static uint64_t fill_ops(const struct shard *s, uint64_t wanted)
{
	(void)wanted;
	return (bytes_of(s) + WORD - 1) / WORD;
}

static void fill_run(struct shard *s)
{
	uint64_t words = bytes_of(s) / WORD, rest = bytes_of(s) % WORD, state = state_of(s);
	unsigned char last[WORD];

	for (s->done = 0; s->done < words && !stop_pending();) {
		uint64_t n = words - s->done;

		/* A page may take long to come: look each time it could. */
		if (n > SMALL)
			n = SMALL;
		fill_words(start_of(s) + WORD * s->done, n, &state);
		s->done += n;
	}
	if (s->done < words || !rest)
		return;
	fill_words(last, 1, &state);
	memcpy(start_of(s) + WORD * words, last, rest);
	s->done++;
}

/* The bytes of a last word that are there, others zero. */
static void fill_settle(struct shard *s)
{
	uint64_t words = bytes_of(s) / WORD;
	unsigned char last[WORD] = { 0 };

	memcpy(last, start_of(s) + WORD * words, bytes_of(s) % WORD);
	s->sum = packed_load64(last);
	for (uint64_t k = 0; k < words && !stop_pending(); k += SMALL)
		s->sum += sum_words(start_of(s) + WORD * k, words - k < SMALL ? words - k : SMALL);
}

static uint64_t fill_expect(const struct shard *s)
{
	uint64_t words = bytes_of(s) / WORD, rest = bytes_of(s) % WORD;
	uint64_t state = state_of(s), sum = 0;

	for (uint64_t k = 0; k < words; k++)
		sum += packed_random(&state);
	return rest ? sum + (packed_random(&state) & packed_maxw((unsigned int)rest)) : sum;
}

static uint64_t small_of(const struct shard *s)
{
	uint64_t words = bytes_of(s) / WORD;

	return words < SMALL ? words : SMALL;
}

static uint64_t gen_ops(const struct shard *s, uint64_t wanted)
{
	uint64_t words = small_of(s);

	return words ? (wanted / words + 1) * words : 0;
}

static void gen_run(struct shard *s)
{
	uint64_t words = small_of(s), state = state_of(s);

	for (s->done = 0; s->done < s->ops && !stop_pending(); s->done += words)
		fill_words(start_of(s), words, &state);
}

static void gen_settle(struct shard *s)
{
	s->sum = sum_words(start_of(s), small_of(s));
}

static uint64_t gen_expect(const struct shard *s)
{
	uint64_t words = small_of(s), state = state_of(s) + (s->ops - words) * GAMMA, sum = 0;

	for (uint64_t k = 0; k < words; k++)
		sum += packed_random(&state);
	return sum;
}

const struct workload workload_rand_gen = {
	.name = "rand-gen",
	.brief = "the generator of rand-fill alone, into 16 KiB in the cache",
	.dirties = true,
	.op_bytes = WORD,
	.ops = gen_ops,
	.run = gen_run,
	.settle = gen_settle,
	.expect = gen_expect,
};

const struct workload workload_rand_fill = {
	.name = "rand-fill",
	.brief = "random bytes in order, first and second pass; with rand-gen beside it",
	.fresh = true,
	.fixed = true,
	.dirties = true,
	.op_bytes = WORD,
	.ops = fill_ops,
	.run = fill_run,
	.settle = fill_settle,
	.expect = fill_expect,
	.with = &workload_rand_gen,
};
