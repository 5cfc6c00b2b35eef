/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: one backing, one run, every workload of the plan. Workloads that want
 * untouched memory get a mapping each, the others share one.
 */
#ifndef HPCTL_SESSION_H
#define HPCTL_SESSION_H

#include "measure/census.h"
#include "measure/stage.h"
#include "plan.h"
#include "workload/crew.h"

/** Why a sample is not to be trusted; sample.flags */
enum sample_flag {
	SAMPLE_FAULTS = 1 << 0,		/* minor faults in the timed part */
	SAMPLE_MAJOR = 1 << 1,
	SAMPLE_SWAP = 1 << 2,
	SAMPLE_LEAF_CHANGED = 1 << 3,	/* by more than 1 % between the censuses */
	SAMPLE_IMPLAUSIBLE = 1 << 4,	/* too fast, or too short for the clock */
	SAMPLE_CHECKSUM = 1 << 5,
	SAMPLE_SHARE = 1 << 6,		/* less than 95 % of the page size asked */
	SAMPLE_UNVERIFIED = 1 << 7,	/* what it is mapped by is not known */
};

/**
 * struct sample - one workload on one backing in one run
 * @stages: map, ... unmap, with the timed part(s) among them
 * @ops: operations of the timed part (of the second pass)
 * @first_ops: of the first pass
 * @sum, @expected: checksums
 * @before, @after: leaves, around the timed part
 * @mapped: bytes
 * @by: how the leaves were verified, or NULL
 * @complete: the timed part ran to its end
 */
struct sample {
	struct stages stages;
	uint64_t ops, first_ops;
	uint64_t sum, expected;
	struct census before, after;
	uint64_t mapped;
	char by[64];
	unsigned int flags;
	bool complete;
};

/**
 * struct bench - what all sessions of a command share
 * @wanted: operations a thread, by workload; 0: not calibrated yet
 * @step_ns: of the clock
 */
struct bench {
	const struct plan *plan;
	struct crew *crew;
	struct shard *shards;
	struct hpbuf_nl *nl;
	uint64_t wanted[PLAN_WORKLOADS];
	uint64_t step_ns;
};

/**
 * session_run - all workloads on @b
 * @run: 0 is the warm-up
 * @samples: one for each workload of the plan, zeroed
 *
 * Returns HP_OK, also when stop_pending() ended it; else what went wrong with the
 * memory, which has been given back.
 */
int session_run(struct bench *bn, const struct backing *b, unsigned int run,
		struct sample *samples, struct hp_error *e);

#endif
