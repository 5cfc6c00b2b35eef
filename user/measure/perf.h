/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Performance counters of this process and of the threads it starts later: TLB,
 * page walks, cycles, page faults. All of them may be missing, each by itself.
 */
#ifndef HPCTL_PERF_H
#define HPCTL_PERF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/** What is counted. The TLB's are of loads. */
enum perf_id {
	PERF_USER_CYCLES,
	PERF_KERNEL_CYCLES,
	PERF_DTLB_LOADS,	/* on AMD those that missed the first level */
	PERF_DTLB_MISSES,	/* all levels */
	PERF_WALKS,
	PERF_WALK_CYCLES,
	PERF_PAGE_FAULTS,	/* by getrusage(): always there */
	PERF_IDS
};

/** Counters of a group are on the CPU together, or none of them is. */
enum perf_group {
	PERF_GROUP_CYCLES,
	PERF_GROUP_TLB,
	PERF_GROUPS
};

/**
 * struct perf_counts - of one timed part
 * @v: counts, scaled up to the whole time; -1: not counted
 * @running: by group, the part of the time, 0..1, that it was on the CPU; what is
 *	below 1 was scaled (multiplexing)
 * @taken: perf_stop() has filled it
 */
struct perf_counts {
	int64_t v[PERF_IDS];
	double running[PERF_GROUPS];
	bool taken;
};

struct perf;

/**
 * perf_open - before the threads that are to be counted are started
 * Returns NULL without memory. Counters that cannot be had are left out.
 */
struct perf *perf_open(void);
void perf_close(struct perf *perf);

/** perf_hardware - whether any counter of the CPU's can be had */
bool perf_hardware(const struct perf *perf);

/**
 * perf_why - one line on what is missing, "" when nothing is
 * Begins with "absent:" (there are none, or no event for it), "forbidden:" or
 * "user-only:" (kernel.perf_event_paranoid), or "unknown:".
 */
const char *perf_why(const struct perf *perf);

/** perf_start, perf_stop - around a timed part; @perf may be NULL */
void perf_start(struct perf *perf);
void perf_stop(struct perf *perf, struct perf_counts *counts);

/**
 * perf_add - @one to the sum @to, which is zeroed at first
 * What is missing in one of them is missing in the sum.
 */
void perf_add(struct perf_counts *to, const struct perf_counts *one);

/** perf_json - the object "perf" of a row; null when no hardware counter counted */
json_t *perf_json(const struct perf_counts *c);

/** perf_faults_json - page faults, null when they were not counted */
json_t *perf_faults_json(const struct perf_counts *c);

#endif
