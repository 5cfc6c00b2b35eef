// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ratios on this machine, without the module: the workloads against plain C on
 * the same memory, and against each other.
 *
 *	get to a plain loop	that the measuring loop is no slower than it has to be
 *	get-batch to get	what prefetching gives
 *	chase to a plain chase	that it measures what others' chases do
 *	fill to memset		that it runs at the memory's rate
 *
 * usage: native [SIZE]		of the array (4G, or half of what is available)
 *
 * Huge pages come from the hugetlb pool, filled for the run where that is allowed,
 * else they are transparent ones. Exit 0 whatever the ratios are; 1: wrong data;
 * else hpctl's codes.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "backing/reserve.h"
#include "compare.h"
#include "control.h"
#include "hold.h"
#include "measure/proc.h"
#include "measure/stop.h"
#include "packed.h"
#include "parse.h"
#include "plan.h"
#include "workload/data.h"
#include "workload/workload.h"

#define PAIRS		41
#define OPS		(UINT64_C(1) << 21)
#define SIZE_MOST	(UINT64_C(4) << 30)
#define SIZE_UNIT	(UINT64_C(512) << 20)
#define SHIFT_2M	21

/** struct bed - memory, as the one shard of one thread */
struct bed {
	struct plan plan;
	struct mapping m;
	struct shard shard;
	uint64_t depth;
};

static void deal(struct bed *bed, const struct workload *w, uint64_t wanted, uint64_t seed,
		 unsigned int pass)
{
	shard_split(&bed->shard, 1, bed->m.addr, bed->plan.n);
	bed->shard.seed = seed;
	bed->shard.pass = pass;
	bed->shard.tuned = bed->depth;
	bed->shard.ops = w->ops(&bed->shard, wanted);
}

/* A turn of @w: its time, 0 when the sum is not what it should be. */
static uint64_t turn(struct bed *bed, const struct workload *w, uint64_t wanted, uint64_t seed,
		     unsigned int pass)
{
	uint64_t from, ns;

	deal(bed, w, wanted, seed, pass);
	from = cpu_ns();
	w->run(&bed->shard);
	ns = cpu_ns() - from;
	if (stop_pending())
		return ns;
	if (w->settle)
		w->settle(&bed->shard);
	return bed->shard.sum == w->expect(&bed->shard) ? ns : 0;
}

static uint64_t run_get(void *arg, uint64_t seed)
{
	return turn(arg, &workload_get, OPS, seed, 0);
}

static uint64_t run_batch(void *arg, uint64_t seed)
{
	return turn(arg, &workload_get_batch, OPS, seed, 0);
}

static uint64_t run_plain_get(void *arg, uint64_t seed)
{
	struct bed *bed = arg;
	uint64_t from, ns, sum;

	deal(bed, &workload_get, OPS, seed, 0);
	from = cpu_ns();
	sum = control_get(bed->m.addr, bed->plan.n, OPS, seed);
	ns = cpu_ns() - from;
	return sum == workload_get.expect(&bed->shard) ? ns : 0;
}

static uint64_t run_fill(void *arg, uint64_t seed)
{
	return turn(arg, &workload_fill, 0, seed, 2);
}

static uint64_t run_memset(void *arg, uint64_t seed)
{
	struct bed *bed = arg;
	uint64_t bytes = bed->plan.n * PACKED_WIDTH, from = cpu_ns(), ns;

	memset(bed->m.addr, (int)(seed & 0xff), bytes);
	ns = cpu_ns() - from;
	return bed->m.addr[seed % bytes] == (seed & 0xff) ? ns : 0;
}

/* Both sides go round once untimed, so that the caches hold what they will. */
static uint64_t run_chase(void *arg, uint64_t seed)
{
	struct bed *bed = arg;

	deal(bed, &workload_chase, 1, seed, 0);
	workload_chase.prepare(&bed->shard);
	workload_chase.run(&bed->shard);
	return turn(bed, &workload_chase, 1, seed, 0);
}

static uint64_t run_plain_chase(void *arg, uint64_t seed)
{
	struct bed *bed = arg;
	uint64_t pages = bed->plan.n * PACKED_WIDTH / 4096, from, ns;
	void **start = control_chain(bed->m.addr, pages * 4096, (unsigned int)seed);

	if (!start || control_chase(start, pages) != start)
		return 0;
	from = cpu_ns();
	start = control_chase(start, pages);
	ns = cpu_ns() - from;
	return start ? ns : 0;
}

static const struct side get = { "get", run_get }, plain_get = { "plain C", run_plain_get },
	batch = { "get-batch", run_batch }, fill = { "fill", run_fill },
	set_memory = { "memset", run_memset }, chase = { "chase", run_chase },
	plain_chase = { "plain pointer chase", run_plain_chase };

/* The array as the reading workloads expect it. */
static void init(struct bed *bed)
{
	deal(bed, &workload_fill, 0, 0, 0);
	workload_fill.run(&bed->shard);
}

static bool on_small(struct bed *bed, const char *where)
{
	init(bed);
	return compare_sides(where, &plain_get, &get, bed, PAIRS, bed->plan.seed,
			     (struct target){ .least = 0.98 }) &&
	       compare_sides(where, &set_memory, &fill, bed, PAIRS / 4, bed->plan.seed,
			     (struct target){ .least = 0.8 });
}

static bool on_huge(struct bed *bed, const char *where)
{
	bool fine;

	init(bed);
	deal(bed, &workload_get_batch, OPS, bed->plan.seed, 0);
	bed->depth = workload_get_batch.tune(&bed->shard);
	fine = compare_sides(where, &get, &batch, bed, PAIRS, bed->plan.seed,
			     (struct target){ .least = 1.6 }) &&
	       compare_sides(where, &plain_chase, &chase, bed, PAIRS / 2, bed->plan.seed,
			     (struct target){ .within = 0.03 }) &&
	       compare_sides(where, &set_memory, &fill, bed, PAIRS / 4, bed->plan.seed,
			     (struct target){ .least = 0.8 });
	if (fine)
		printf("(get-batch: %llu accesses ahead)\n", (unsigned long long)bed->depth);
	return fine;
}

/* Get memory of @name, compare on it, give it back. */
static int with_memory(struct bed *bed, const char *name,
		       bool (*on)(struct bed *bed, const char *where), struct hp_error *e)
{
	struct stages dropped = { 0 };
	struct hp_error back = { 0 };
	char where[64];
	bool fine = false;

	bed->plan.nr_b = 1;
	if (backing_parse(name, &bed->plan.b[0], e) ||
	    bed->plan.b[0].ops->probe(&bed->plan.b[0], bed->plan.bytes, e) ||
	    hold_acquire(&bed->plan, &bed->plan.b[0], &bed->m, &dropped, e))
		return e->code;
	if (!bed->plan.b[0].ops->populate(&bed->m, bed->m.addr, bed->m.bytes, e)) {
		snprintf(where, sizeof(where), "%s %.2f GiB", name,
			 (double)bed->plan.bytes / (1 << 30));
		fine = stop_pending() || on(bed, where);
		if (!fine && !stop_pending())
			hp_fail(e, HP_FAILED, 0, "%s: no ratio", name);
	}
	hold_release(&bed->m, &dropped, &back);
	if (!e->code)
		*e = back;
	return e->code;
}

static int huge_pages(struct bed *bed, struct hp_error *e)
{
	struct reserve rv = { .lock = -1 };
	struct hp_error full = { 0 }, back = { 0 }, note = { 0 };
	uint64_t pages = (bed->plan.bytes + (1 << SHIFT_2M) - 1) >> SHIFT_2M;

	if (plan_room(&bed->plan, bed->plan.bytes, "huge pages", e))
		return e->code;
	if (reserve_fill(&rv, SHIFT_2M, pages, NULL, &full)) {
		printf("(transparent huge pages: %s)\n", full.message);
		reserve_restore(&rv, &note, &back);
		with_memory(bed, "anon-thp", on_huge, e);
	} else {
		with_memory(bed, "hugetlb-2m", on_huge, e);
	}
	if (reserve_restore(&rv, &note, &back) && !e->code)
		*e = back;
	return e->code;
}

static int take_size(struct plan *p, const char *text, struct hp_error *e)
{
	uint64_t avail = 0;

	if (text && hp_parse_size(text, &p->bytes, e))
		return e->code;
	proc_field("/proc/meminfo", "MemAvailable:", &avail);
	if (!p->bytes)
		p->bytes = avail * 1024 / 2 / SIZE_UNIT * SIZE_UNIT;
	if (!text && p->bytes > SIZE_MOST)
		p->bytes = SIZE_MOST;
	if (!p->bytes)
		return hp_fail(e, HP_RESOURCE, 0, "%llu KiB of memory are available: too few",
			       (unsigned long long)avail);
	return plan_size(p, e);
}

static void pin(void)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	if (cpu < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(int argc, char **argv)
{
	struct hp_error e = { 0 }, note = { 0 };
	static struct bed bed;

	plan_init(&bed.plan);
	stop_install(bed.plan.limit_ns);
	if (reserve_recover(false, &note))
		printf("(%s)\n", note.message);
	pin();
	if (!take_size(&bed.plan, argc > 1 ? argv[1] : NULL, &e)) {
		printf("seed %llu; times are CPU times of one thread, %d to %d pairs\n",
		       (unsigned long long)bed.plan.seed, PAIRS / 4, PAIRS);
		compare_head();
		if (!with_memory(&bed, "anon-4k", on_small, &e) && !stop_pending())
			huge_pages(&bed, &e);
	}
	stop_error(&e);
	if (e.code)
		fprintf(stderr, "native: %s\n", e.message);
	return e.code;
}
