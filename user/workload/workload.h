/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads: what is done to the packed array, behind one table of functions. A
 * new one is a file and a row in workload.c. The functions work on a whole shard:
 * nothing is called through a pointer inside a timed loop.
 */
#ifndef HPCTL_WORKLOAD_H
#define HPCTL_WORKLOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/stop.h"

struct backing;
struct bench;
struct hp_error;
struct sample;

/** Figures a workload may have beside its time: shard.figure, added up in the sample. */
#define WORKLOAD_FIGURES	4

/**
 * struct shard - a thread's part of the array, and of a job
 * @base, @n: the whole array and its elements
 * @first, @count: the elements of this thread; no byte of them is another's
 * @ops: to do; what the workload's ops() gave
 * @seed: of this thread and run
 * @pass: 1 or 2 for workloads with two passes, else 0
 * @tuned: what the workload's tune() chose on this backing, else 0
 * @done: out: operations done; less than @ops when stopped
 * @sum: out: checksum
 * @figure: out: figures of the workload's own
 *
 * A cache line and more each, so that threads do not share one.
 */
struct shard {
	unsigned char *base;
	uint64_t n;
	uint64_t first, count;
	uint64_t ops;
	uint64_t seed;
	unsigned int pass;
	uint64_t tuned;
	uint64_t done;
	uint64_t sum;
	uint64_t figure[WORKLOAD_FIGURES];
} __attribute__((aligned(128)));

/**
 * struct workload
 * @name, @brief: for the command line and help
 * @fresh: wants a mapping that nobody has touched, and does two passes over it
 * @stages: is a sequence of its own (matrix); the functions are not used
 * @dirties: leaves the array other than data_value(i, DATA_BASE)
 * @fixed: the operations follow from the array; --ops has no say
 * @op_bytes: bytes of the array that one operation reads or writes
 * @ops: operations this shard will do when about @wanted are; 0: too small
 * @build: once before the warm-up, on the array as it was filled: what stays the
 *	same for any seed and operations, and @run does not write; sets @figure.
 *	NULL: nothing to do
 * @tune: once for a backing, on a thread's shard, after @build: a choice, not 0,
 *	that is best there; each shard gets it in @tuned. NULL: nothing to choose
 * @prepare: before each run of the shard; NULL: nothing to do
 * @run: the timed part; sets @done, and @sum if it reads
 * @settle: after it: reads back what was written, into @sum; NULL: nothing to do
 * @expect: the checksum, worked out without the memory
 * @sequence: with @stages: all of it, on memory it gets itself; NULL: matrix's
 * @with: a control that is measured beside it each time; NULL: none
 * @report: adds figures of its own to the row of the sample @s; NULL: none
 */
struct workload {
	const char *name;
	const char *brief;
	bool fresh, stages, dirties, fixed;
	unsigned int op_bytes;
	uint64_t (*ops)(const struct shard *s, uint64_t wanted);
	void (*build)(struct shard *s);
	uint64_t (*tune)(const struct shard *s);
	void (*prepare)(struct shard *s);
	void (*run)(struct shard *s);
	void (*settle)(struct shard *s);
	uint64_t (*expect)(const struct shard *s);
	int (*sequence)(struct bench *bn, const struct backing *b, struct sample *out,
			struct hp_error *e);
	const struct workload *with;
	void (*report)(const struct sample *s, json_t *row);
};

extern const struct workload workload_touch, workload_fill, workload_get, workload_get_safe,
	workload_get_fast, workload_get_batch, workload_set, workload_set_fast,
	workload_chase, workload_matrix, workload_churn, workload_sparse, workload_rand_fill,
	workload_rand_gen, workload_hash, workload_index, workload_index_range, workload_scan;

/** workload_find - by name, NULL if there is none */
const struct workload *workload_find(const char *name);

/** workload_table - all, NULL at the end */
extern const struct workload *const workload_table[];

/** workload_names - the same, names alone */
extern const char *const workload_names[];

/**
 * shard_split - give @nr shards their parts of @n elements at @base
 * The borders are page borders where the array is large enough. Returns false
 * when there is not an element for each.
 */
bool shard_split(struct shard *s, unsigned int nr, void *base, uint64_t n);

/** Operations between two looks at stop_pending(). */
#define WORKLOAD_CHUNK	(UINT64_C(1) << 16)

/**
 * workload_stopped - whether to leave a loop that is not timed, at its step @i
 * Of an array of 160 GiB the expected sum alone takes half a minute. What it had until
 * then is compared with nothing.
 */
static inline bool workload_stopped(uint64_t i)
{
	return !(i % WORKLOAD_CHUNK) && stop_pending();
}

#endif
