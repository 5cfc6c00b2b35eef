/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of run and compare: what is to be done, from the command line, with
 * nothing done yet. Backings x workloads x runs.
 */
#ifndef HPCTL_PLAN_H
#define HPCTL_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "backing/backing.h"
#include "cmd.h"
#include "opts.h"
#include "parse.h"
#include "sweep.h"
#include "workload/workload.h"

#define PLAN_BACKINGS	12
#define PLAN_WORKLOADS	32
#define PLAN_RUNS	1000
#define PLAN_THREADS	1024

/** Keys of the options that plan_take() takes, beside letters. */
enum plan_key {
	KEY_BUFFER = HP_KEY, KEY_COUNT, KEY_OPS, KEY_SEED, KEY_TIMEOUT, KEY_SPARE, KEY_RESERVE,
	KEY_DRY_RUN, KEY_COUNTERS, KEY_NODES, KEY_SWEEP, KEY_PLAN_END
};

/**
 * struct plan
 * @explicit_b: the backings were asked for: one that cannot be had is an error
 * @bytes: of the array; a multiple of 5 and maybe a rest, 0: choose
 * @n: elements
 * @sweep: sizes asked by --sweep; @bytes and @n are the largest before the first run
 * @count: elements asked by --count, 0: by size
 * @ops: operations asked for a timed run, all threads together; 0: calibrate
 * @runs: counted runs; one more goes first and is not counted
 * @limit_ns: time limit of the whole
 * @spare: bytes of memory to be left
 * @spare_set: --spare was given
 * @reserve: fill hugetlb pools
 * @nodes: NUMA nodes that memory and threads are to be on, if @nodes_set
 * @counters: without the CPU's counters nothing is to be run
 */
struct plan {
	struct backing b[PLAN_BACKINGS];
	unsigned int nr_b;
	bool explicit_b;
	const struct workload *w[PLAN_WORKLOADS];
	unsigned int nr_w;
	struct sweep sweep;
	uint64_t bytes, n, count;
	uint64_t ops;
	uint64_t seed;
	unsigned int threads, runs;
	uint64_t limit_ns;
	uint64_t spare;
	bool spare_set, reserve, dry_run, counters;
	bool nodes_set;
	uint64_t nodes[HP_NODE_WORDS];
	uint32_t buffer;
	const char *device;
};

/** Options of run and of compare. */
extern const struct hp_opt cmd_run_opts[], cmd_compare_opts[];

/**
 * plan_parse - options and operands into @p
 * @opts: cmd_run_opts or cmd_compare_opts
 * @workloads: those to take when none is named, NULL at the end
 * @backings: likewise
 *
 * Returns 1 to go on. 0: stop, `return hp_opts_end(ctx, argv[0], e)`.
 */
int plan_parse(struct plan *p, struct hp_ctx *ctx, const struct hp_opt *opts, int argc,
	       char **argv, const char *const *workloads, const char *const *backings,
	       struct hp_error *e);

/* The parts of plan_parse(), for a command that has options of its own too. */

/** plan_init - defaults: a seed by the clock, one thread, and so on */
void plan_init(struct plan *p);

/** plan_take - one option of the plan, a hp_take_fn */
int plan_take(int key, const char *value, void *plan, struct hp_error *e);

/**
 * plan_finish - what was not given
 * @workloads: NULL: nothing is run; else as in plan_parse()
 */
int plan_finish(struct plan *p, const struct hp_ctx *ctx, const char *const *workloads,
		const char *const *backings, struct hp_error *e);

/** plan_help - the workloads and backings there are, for the help of run and compare */
void plan_help(void);

/**
 * plan_size - settle the array's size and check that this machine has room
 *
 * Called after the backings are known to exist. HP_RESOURCE: too large for the
 * memory that is there less what has to be left; nothing was touched.
 */
int plan_size(struct plan *p, struct hp_error *e);

/** plan_at - the same plan with an array of @bytes */
void plan_at(struct plan *p, uint64_t bytes);

/** plan_fits - whether every thread has work in every workload; else HP_USAGE */
int plan_fits(const struct plan *p, struct hp_error *e);

/** plan_need - bytes of ordinary free memory that a mapping of @b takes */
uint64_t plan_need(const struct plan *p, const struct backing *b);

/** plan_room - whether @need bytes can be taken now and @p->spare be left */
int plan_room(const struct plan *p, uint64_t need, const char *what, struct hp_error *e);

#endif
