/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stage: one step of a measurement and what it cost: time, page faults, CPU
 * time; and where the process stood at its end: page tables, RSS, swap, hugetlb.
 */
#ifndef HPCTL_STAGE_H
#define HPCTL_STAGE_H

#include <jansson.h>
#include <stdint.h>
#include <sys/resource.h>

enum stage_field {
	STAGE_NS,
	STAGE_MINFLT,
	STAGE_MAJFLT,
	STAGE_USER,
	STAGE_SYSTEM,
	STAGE_PTE,
	STAGE_RSS,
	STAGE_SWAP,
	STAGE_HUGETLB,
	STAGE_ANON_HUGE,	/* of the whole system, as the pools below */
	STAGE_POOL_2M,
	STAGE_POOL_1G,
	STAGE_FIELDS
};

#define STAGE_MAX	12

/**
 * struct stage
 * @name: map, populate, init, warm, timed, unmap, ...
 * @v: by enum stage_field; nanoseconds, counts, bytes; -1 when unknown
 */
struct stage {
	char name[16];
	int64_t v[STAGE_FIELDS];
};

/** struct stages - the stages of one run, in their order */
struct stages {
	unsigned int nr;
	struct stage s[STAGE_MAX];
};

/** struct stage_clock - a stage that is under way */
struct stage_clock {
	struct rusage ru;
	uint64_t ns;
};

/** stage_begin - last thing before the work */
void stage_begin(struct stage_clock *c);

/**
 * stage_end - first thing after it
 * Appends a stage to @to (one too many is dropped), and returns it or NULL.
 */
struct stage *stage_end(struct stage_clock *c, struct stages *to, const char *name);

/** stage_find - by name, NULL when there is none */
const struct stage *stage_find(const struct stages *st, const char *name);

/**
 * stages_json - one list out of @nr runs, of the same stages each
 * Every figure is the median of the runs; "samples_ns" has each run's time.
 */
json_t *stages_json(const struct stages *runs, unsigned int nr);

#endif
