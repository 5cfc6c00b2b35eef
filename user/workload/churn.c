// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * churn: get memory, touch every page of it, give it back; again and again. What a
 * GiB of that costs in user and in system time, stage by stage, the stages being
 * the sums of all cycles: create and free where the backing makes its memory apart
 * from mapping it, map, touch (with the page faults), unmap.
 *
 * --ops is the number of cycles. The last one's leaves are verified.
 *
 * Checksum: the byte written in every 4 KiB, and a byte beside it, which must be 0
 * as in all memory that comes anew.
 */
#include <stdio.h>
#include <string.h>

#include "hold.h"
#include "measure/stop.h"
#include "timing.h"
#include "workload/workload.h"

#define STEP		4096
#define CYCLES		4
#define GIB		1073741824.0

/* A page that two shards share belongs to the one that has its start. */
static uint64_t steps(const struct shard *s, uint64_t *start)
{
	uint64_t a = (s->first * 5 + STEP - 1) / STEP;
	uint64_t b = ((s->first + s->count) * 5 + STEP - 1) / STEP;

	*start = a;
	return b - a;
}

static inline unsigned char byte_of(uint64_t step)
{
	return (unsigned char)(step * 151 + 1);
}

static uint64_t churn_ops(const struct shard *s, uint64_t wanted)
{
	uint64_t start;

	(void)wanted;
	return steps(s, &start);
}

static void churn_run(struct shard *s)
{
	uint64_t start, n = steps(s, &start), sum = 0;
	volatile unsigned char *p = s->base;

	s->done = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = (start + i) * STEP + ((start + i) * 37 & 31) * 64;

		/* A page may take long to come: look each time it could. */
		if (!(i & 511) && stop_pending())
			return;
		p[at] = byte_of(start + i);
		/* Half a page on or back it is the same page, and not written. */
		sum += p[at] + p[at ^ STEP / 2];
	}
	s->done = n;
	s->sum = sum;
}

static uint64_t churn_expect(const struct shard *s)
{
	uint64_t start, n = steps(s, &start), sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += byte_of(start + i);
	return sum;
}

/* Add a cycle's stages to the sums; where memory stands is the last one's. */
static void add_cycle(struct stages *sum, const struct stages *one)
{
	for (unsigned int i = 0; i < one->nr; i++) {
		const struct stage *s = &one->s[i];
		struct stage *to = (struct stage *)stage_find(sum, s->name);

		if (!to && sum->nr < STAGE_MAX) {
			sum->s[sum->nr++] = *s;
			continue;
		}
		for (unsigned int f = 0; to && f < STAGE_FIELDS; f++)
			to->v[f] = (f <= STAGE_SYSTEM ? to->v[f] : 0) + s->v[f];
	}
}

static int cycle(struct bench *bn, const struct backing *b, bool last, struct sample *out,
		 struct hp_error *e)
{
	struct job job = { &workload_churn, bn->shards };
	unsigned int threads = crew_size(bn->crew);
	struct hp_error bad = { 0 };
	struct stages one = { 0 };
	struct mapping m;
	int ret;

	ret = hold_acquire(bn->plan, b, &m, &one, e);
	if (ret)
		return ret;
	timing_deal(bn, &m, job.w, threads, 0, 0, 0);
	crew_run(bn->crew, 0, timing_run, &job, &one, "touch");
	if (timing_finished(bn, threads)) {
		struct sample sums = { 0 };

		if (last) {
			timing_verify_before(bn, &m, out, &bad);
			timing_verify_after(bn, &m, out);
		}
		timing_add_up(bn, threads, &job, &sums);
		out->sum += sums.sum;
		out->expected += sums.expected;
		out->flags |= sums.flags;
		out->ops++;
	}
	hold_release(&m, &one, e);
	add_cycle(&out->stages, &one);
	if (bad.code)
		*e = bad;
	return e->code;
}

static int churn_sequence(struct bench *bn, const struct backing *b, struct sample *out,
			  struct hp_error *e)
{
	uint64_t cycles = bn->plan->ops ? bn->plan->ops : CYCLES;
	int ret = HP_OK;

	for (uint64_t i = 0; i < cycles && !ret && !stop_pending(); i++)
		ret = cycle(bn, b, i + 1 == cycles, out, e);
	out->complete = !ret && out->ops == cycles;
	return ret;
}

static double sum_of(const json_t *stages, const char *field)
{
	const json_t *s;
	double sum = 0;
	size_t i;

	json_array_foreach(stages, i, s)
		sum += json_number_value(json_object_get(s, field));
	return sum;
}

/* "churn": {"cycles", "bytes", "per_gib": {"ns", "user_ns", "system_ns", "stages": {}}} */
static void churn_report(const struct sample *s, json_t *row)
{
	const json_t *stages = json_object_get(row, "stages"), *st;
	double gib = (double)s->mapped * (double)s->ops / GIB;
	json_t *per = json_object(), *each = json_object();
	static const char *const fields[] = { "ns", "user_ns", "system_ns" };
	size_t i;

	for (i = 0; i < 3; i++)
		json_object_set_new(per, fields[i], json_integer((json_int_t)
				    (sum_of(stages, fields[i]) / gib)));
	json_array_foreach(stages, i, st)
		json_object_set_new(each, json_string_value(json_object_get(st, "name")),
				    json_integer((json_int_t)(json_number_value(
					json_object_get(st, "ns")) / gib)));
	json_object_set_new(per, "stages", each);
	json_object_set_new(row, "churn", json_pack("{s:I, s:I, s:o}",
		"cycles", (json_int_t)s->ops, "bytes", (json_int_t)(s->mapped * s->ops),
		"per_gib", per));
}

const struct workload workload_churn = {
	.name = "churn",
	.brief = "allocate, touch and free in cycles: user and system time a GiB",
	.stages = true,
	.fixed = true,
	.dirties = true,
	.op_bytes = 1,
	.ops = churn_ops,
	.run = churn_run,
	.expect = churn_expect,
	.sequence = churn_sequence,
	.report = churn_report,
};
