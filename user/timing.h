/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timed part and what surrounds it: dealing out, checking, verifying. */
#ifndef HPCTL_TIMING_H
#define HPCTL_TIMING_H

#include "measure/census.h"
#include "measure/perf.h"
#include "measure/placement.h"
#include "measure/stage.h"
#include "plan.h"
#include "workload/crew.h"
#include "workload/workload.h"

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
	SAMPLE_PREEMPTED = 1 << 8,	/* the CPU was busy with something else */
	SAMPLE_STEAL = 1 << 9,		/* a hypervisor gave it to others */
	SAMPLE_MIGRATED = 1 << 10,	/* a thread was not on its CPU */
	SAMPLE_NODE = 1 << 11,		/* less than 95 % is on the nodes asked for */
};

/** Counters of /proc/vmstat; sample.vm */
enum sample_vm {
	VM_SWAP_IN,
	VM_SWAP_OUT,
	VM_THP_ALLOC,
	VM_THP_FALLBACK,
	VM_COMPACT_STALL,
	VM_ALLOC_STALL,
	SAMPLE_VM
};

/** timing_vm - read them; 0 where the kernel has no such counter */
void timing_vm(int64_t vm[SAMPLE_VM]);

/**
 * struct host_state - what the machine did to the CPUs of a timed part
 * @steal_ns: of all its CPUs, in ticks of 10 ms; -1: not known
 * @khz: clock rate of the first CPU at its end; 0: not known
 * @moved: threads that were found on another CPU
 * @cpus: CPUs that the threads are pinned to; 0: nobody looked
 */
struct host_state {
	int64_t steal_ns;
	uint64_t khz;
	unsigned int moved, cpus;
};

/**
 * struct sample - one workload on one backing in one run
 * @stages: map, ... unmap, with the timed part(s) among them
 * @ops: operations of the timed part (of the second pass)
 * @first_ops: of the first pass
 * @sum, @expected: checksums
 * @tuned: the workload's choice on this backing
 * @figure: the workload's own, added up over the threads
 * @before, @after: leaves, around the timed part
 * @mapped: bytes
 * @place: on which nodes the pages are, before the timed part
 * @by: how the leaves were verified, or empty
 * @vm: by enum sample_vm: what the whole system did during the session
 * @perf, @first_perf: counters during the timed part, and during the first pass
 * @host, @first_host: what happened to the CPUs in it, and in the first pass
 * @walk: what page walks cost; taken in the warm-up alone, else NULL
 * @flags: enum sample_flag; @first_flags: of the first pass alone
 * @complete: the timed part ran to its end
 */
struct sample {
	struct stages stages;
	uint64_t ops, first_ops;
	uint64_t sum, expected;
	uint64_t tuned, figure[WORKLOAD_FIGURES];
	struct census before, after;
	uint64_t mapped;
	struct placement place;
	char by[64];
	int64_t vm[SAMPLE_VM];
	struct perf_counts perf, first_perf;
	struct host_state host, first_host;
	json_t *walk;
	unsigned int flags, first_flags;
	bool complete;
};

/**
 * struct bench - what all sessions of a command share
 * @wanted: operations a thread, by workload; 0: not calibrated yet
 * @tuned: by backing and workload: its choice, 0: none yet
 * @step_ns: of the clock
 * @perf: counters, NULL: none are taken
 * @host: of the last timed part
 * @walk: timing_verify_after() also times page walks, if the module is there. It
 *	is set in the warm-up: emptied TLBs and caches do not meet counted runs.
 */
struct bench {
	const struct plan *plan;
	struct crew *crew;
	struct shard *shards;
	struct hpbuf_nl *nl;
	uint64_t wanted[PLAN_WORKLOADS];
	uint64_t tuned[PLAN_BACKINGS][PLAN_WORKLOADS];
	uint64_t step_ns;
	struct perf *perf;
	struct host_state host;
	bool walk;
};

/** struct job - a workload for a crew; @arg of the functions below */
struct job {
	const struct workload *w;
	struct shard *shards;
};

/** timing_run, timing_build, timing_prepare - what each member of the crew does */
void timing_run(unsigned int me, void *arg);
void timing_build(unsigned int me, void *arg);
void timing_prepare(unsigned int me, void *arg);

/** timing_timed - the job by @threads members (0: all), as crew_run(); counted; sets host */
struct stage *timing_timed(struct bench *bn, unsigned int threads, struct job *job,
			   struct stages *to, const char *name, struct perf_counts *counts);

/** timing_untimed - @fn by @threads members, of no interest to anyone */
void timing_untimed(struct bench *bn, unsigned int threads, struct job *job,
		    void (*fn)(unsigned int me, void *arg));

/** timing_seed - of the index streams: the same on every backing */
uint64_t timing_seed(const struct plan *p, unsigned int run, unsigned int w);

/**
 * timing_deal - set up the shards of @threads members
 * @wanted: operations a thread
 * @pass: of a workload with two, else 0
 * Returns the operations of all; 0: the array is too small.
 */
uint64_t timing_deal(struct bench *bn, const struct mapping *m, const struct workload *w,
		     unsigned int threads, uint64_t wanted, uint64_t seed, unsigned int pass);

/** timing_finished - every member did all its operations */
bool timing_finished(const struct bench *bn, unsigned int threads);

/** timing_add_up - checksum and the expected one; the shards are used up */
void timing_add_up(struct bench *bn, unsigned int threads, struct job *job,
		   struct sample *out);

/** timing_judge - flags that a timed stage of @threads members raises, the last one */
unsigned int timing_judge(const struct bench *bn, const struct stage *s,
			  const struct workload *w, uint64_t ops, unsigned int threads);

/** timing_verify_before, timing_verify_after - what the memory is mapped by */
void timing_verify_before(struct bench *bn, const struct mapping *m, struct sample *out,
			  struct hp_error *e);
void timing_verify_after(struct bench *bn, const struct mapping *m, struct sample *out);

#endif
