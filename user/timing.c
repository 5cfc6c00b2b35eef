// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/host.h"
#include "measure/proc.h"
#include "measure/stop.h"
#include "packed.h"
#include "walk.h"

#define SHARE		0.95
/* Bytes a nanosecond that no memory reaches: 1 TB/s. */
#define CEILING		1000.0
/* Of the CPU time that the threads could have had. */
#define OWN_CPU		0.8
/* Part of the time that may be stolen, and by how many ticks it is told from none. */
#define STOLEN		0.05
#define STOLEN_TICKS	2
#define TICK_NS		INT64_C(10000000)

void timing_run(unsigned int me, void *arg)
{
	struct job *job = arg;

	job->w->run(&job->shards[me]);
}

void timing_build(unsigned int me, void *arg)
{
	struct job *job = arg;

	job->w->build(&job->shards[me]);
}

void timing_prepare(unsigned int me, void *arg)
{
	struct job *job = arg;

	job->w->prepare(&job->shards[me]);
}

static void job_settle(unsigned int me, void *arg)
{
	struct job *job = arg;

	job->w->settle(&job->shards[me]);
}

static void job_expect(unsigned int me, void *arg)
{
	struct job *job = arg;

	/* Kept where no workload looks: the shard's operations are over. */
	job->shards[me].seed = job->w->expect(&job->shards[me]);
}

/* The CPUs of the first members, each once; returns how many. */
static unsigned int cpus_of(const struct crew *crew, unsigned int members, unsigned int *cpu)
{
	unsigned int nr = 0, k;

	for (unsigned int i = 0; i < members; i++) {
		for (k = 0; k < nr && cpu[k] != crew_cpu(crew, i); k++)
			;
		cpu[k] = crew_cpu(crew, i);
		nr += k == nr;
	}
	return nr;
}

struct stage *timing_timed(struct bench *bn, unsigned int threads, struct job *job,
			   struct stages *to, const char *name, struct perf_counts *counts)
{
	unsigned int nr = threads ? threads : crew_size(bn->crew);
	unsigned int cpu[nr];
	int64_t before, after;
	struct stage *s;

	nr = cpus_of(bn->crew, nr, cpu);
	before = host_steal_ns(cpu, nr);
	perf_start(bn->perf);
	s = crew_run(bn->crew, threads, timing_run, job, to, name);
	perf_stop(bn->perf, counts);
	bn->host.khz = host_khz(cpu[0]);
	after = host_steal_ns(cpu, nr);
	bn->host.steal_ns = before < 0 || after < 0 ? -1 : after - before;
	bn->host.moved = crew_moved(bn->crew);
	bn->host.cpus = nr;
	return s;
}

/* Outside the timed part; all threads of the job. */
void timing_untimed(struct bench *bn, unsigned int threads, struct job *job,
		    void (*fn)(unsigned int me, void *arg))
{
	struct stages dropped = { 0 };

	crew_run(bn->crew, threads, fn, job, &dropped, "");
}

/* Shards of @threads, with the same index streams on every backing. */
uint64_t timing_deal(struct bench *bn, const struct mapping *m, const struct workload *w,
		     unsigned int threads, uint64_t wanted, uint64_t seed, unsigned int pass)
{
	uint64_t total = 0;

	shard_split(bn->shards, threads, m->addr, bn->plan->n);
	for (unsigned int i = 0; i < threads; i++) {
		struct shard *s = &bn->shards[i];

		s->seed = packed_random(&seed);
		s->pass = pass;
		s->ops = w->ops(s, wanted);
		total += s->ops;
	}
	return total;
}

bool timing_finished(const struct bench *bn, unsigned int threads)
{
	for (unsigned int i = 0; i < threads; i++)
		if (bn->shards[i].done < bn->shards[i].ops)
			return false;
	return true;
}

/* Sums of the shards, and what they should be. The shards are used up. */
void timing_add_up(struct bench *bn, unsigned int threads, struct job *job,
		   struct sample *out)
{
	if (job->w->settle)
		timing_untimed(bn, threads, job, job_settle);
	out->sum = 0;
	out->expected = 0;
	for (unsigned int i = 0; i < threads; i++)
		out->sum += bn->shards[i].sum;
	timing_untimed(bn, threads, job, job_expect);
	for (unsigned int i = 0; i < threads; i++)
		out->expected += bn->shards[i].seed;
	if (out->sum != out->expected && !stop_pending())
		out->flags |= SAMPLE_CHECKSUM;
}

void timing_vm(int64_t vm[SAMPLE_VM])
{
	static const char *const keys[SAMPLE_VM] = {
		[VM_SWAP_IN] = "pswpin ",
		[VM_SWAP_OUT] = "pswpout ",
		[VM_THP_ALLOC] = "thp_fault_alloc ",
		[VM_THP_FALLBACK] = "thp_fault_fallback ",
		[VM_COMPACT_STALL] = "compact_stall ",
		[VM_ALLOC_STALL] = "allocstall_normal ",
	};

	for (unsigned int k = 0; k < SAMPLE_VM; k++) {
		uint64_t v = 0;

		proc_field("/proc/vmstat", keys[k], &v);
		vm[k] = (int64_t)v;
	}
}

/* What a timed stage says about itself. */
unsigned int timing_judge(const struct bench *bn, const struct stage *s,
			  const struct workload *w, uint64_t ops, unsigned int threads)
{
	int64_t ns = s->v[STAGE_NS], cpu = s->v[STAGE_USER] + s->v[STAGE_SYSTEM];
	unsigned int flags = 0;

	if (s->v[STAGE_MINFLT])
		flags |= SAMPLE_FAULTS;
	if (s->v[STAGE_MAJFLT])
		flags |= SAMPLE_MAJOR;
	if (s->v[STAGE_SWAP] > 0)
		flags |= SAMPLE_SWAP;
	if (ns > 10000000 && (double)cpu < OWN_CPU * (double)ns * threads)
		flags |= SAMPLE_PREEMPTED;
	if (bn->host.steal_ns >= STOLEN_TICKS * TICK_NS &&
	    (double)bn->host.steal_ns > STOLEN * (double)ns * bn->host.cpus)
		flags |= SAMPLE_STEAL;
	if (bn->host.moved)
		flags |= SAMPLE_MIGRATED;
	if (ns < (int64_t)(100 * bn->step_ns) ||
	    (double)ops * w->op_bytes / (double)ns > CEILING)
		flags |= SAMPLE_IMPLAUSIBLE;
	return flags;
}

/* What is not known is not on the nodes asked for. */
static unsigned int judge_place(const struct mapping *m, const struct placement *p)
{
	return m->b->nodes && placement_share(p, m->b->nodes) < SHARE ? SAMPLE_NODE : 0;
}

void timing_verify_before(struct bench *bn, const struct mapping *m, struct sample *out,
			  struct hp_error *e)
{
	const char *how = NULL;

	backing_census(m, bn->nl, &out->before);
	if (!backing_place(m, &out->place))
		out->place.by = NULL;
	out->flags |= judge_place(m, &out->place);
	out->mapped = m->bytes;
	if (m->b->ops->verify && m->b->ops->verify(m, &how, e))
		out->flags |= SAMPLE_SHARE;
	if (out->before.by)
		snprintf(out->by, sizeof(out->by), "%s%s%s", out->before.by, how ? "+" : "",
			 how ? how : "");
}

static void walk_few(struct bench *bn, const struct mapping *m, struct sample *out)
{
	struct hpbuf_nl_walk_req req = { .samples = WALK_FEW, .seed = bn->plan->seed };
	struct hp_error ignored = { 0 };

	/* It is an extra here: "hpctl walk" says why it cannot be had. */
	if (bn->walk && bn->nl)
		walk_run(bn->nl, m->addr, m->bytes, &req, &out->walk, &ignored);
}

void timing_verify_after(struct bench *bn, const struct mapping *m, struct sample *out)
{
	unsigned int shift = m->b->page_shift;
	struct placement now;
	double a, b;

	backing_census(m, bn->nl, &out->after);
	/* The kernel's balancing may have moved them. */
	if (m->b->nodes && backing_place(m, &now))
		out->flags |= judge_place(m, &now);
	walk_few(bn, m, out);
	if (!out->before.by || !out->after.by) {
		out->flags |= SAMPLE_UNVERIFIED;
		return;
	}
	a = census_share(&out->before, shift);
	b = census_share(&out->after, shift);
	if (a < SHARE || b < SHARE)
		out->flags |= SAMPLE_SHARE;
	if (fabs(a - b) > 0.01)
		out->flags |= SAMPLE_LEAF_CHANGED;
}

uint64_t timing_seed(const struct plan *p, unsigned int run, unsigned int w)
{
	uint64_t seed = p->seed + run * UINT64_C(0x9e3779b97f4a7c15) + w;

	return packed_random(&seed);
}
