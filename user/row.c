// SPDX-License-Identifier: GPL-2.0-or-later
#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "trust.h"

static const char *stage_name(unsigned int pass)
{
	static const char *const names[] = { "timed", "first", "second" };

	return names[pass];
}

double row_sample_ns(const struct sample *s, const struct workload *w, unsigned int pass)
{
	const struct stage *st;
	double sum = 0;

	if (!w->stages) {
		st = stage_find(&s->stages, stage_name(pass));
		return st ? (double)st->v[STAGE_NS] : 0;
	}
	for (unsigned int i = 0; i < s->stages.nr; i++)
		sum += (double)s->stages.s[i].v[STAGE_NS];
	return sum;
}

/*
 * From nothing to memory that every page of has been written: whichever stage a
 * backing pays in, it is in here. A buffer is zeroed when it is created, others at
 * the first touch.
 */
double row_ready_ns(const struct sample *s, const struct workload *w)
{
	static const char *const parts[] = { "create", "map", "populate", "first", "init" };
	double sum = 0;

	if (w->stages)
		return NAN;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct stage *st = stage_find(&s->stages, parts[i]);

		sum += st ? (double)st->v[STAGE_NS] : 0;
	}
	return sum;
}

const struct sample *row_sample(const struct row *row, unsigned int run)
{
	return bench_sample(row->r, run, row->b, row->w);
}

const struct workload *row_workload(const struct row *row)
{
	return row->r->bench.plan->w[row->w];
}

uint64_t row_ops(const struct row *row)
{
	const struct sample *s;

	if (!row->nr || row_workload(row)->stages)
		return 0;
	s = row_sample(row, row->run[0]);
	return row->pass == 1 ? s->first_ops : s->ops;
}

/* What is about the memory and the data goes for both passes. */
static unsigned int flags_of(const struct sample *s, unsigned int pass)
{
	if (pass != 1)
		return s->flags;
	return s->first_flags | (s->flags & (SAMPLE_SHARE | SAMPLE_NODE | SAMPLE_UNVERIFIED |
					     SAMPLE_CHECKSUM |
					     SAMPLE_LEAF_CHANGED | SAMPLE_SWAP));
}

const struct host_state *row_host(const struct sample *s, unsigned int pass)
{
	return pass == 1 ? &s->first_host : &s->host;
}

bool row_collect(struct row *row)
{
	const struct bench_result *r = row->r;
	unsigned int preempted = 0, stolen = 0;
	uint64_t khz[r->done + 1];

	row->ns = calloc(r->done + 1, sizeof(*row->ns));
	row->run = calloc(r->done + 1, sizeof(*row->run));
	if (!row->ns || !row->run)
		return false;
	for (unsigned int i = 0; i < r->done; i++) {
		const struct sample *s = row_sample(row, i);

		/*
		 * Wrong data counts in the warm-up too. A run that a signal cut short says
		 * nothing about the others: the handler alone is a page fault.
		 */
		row->flags |= flags_of(s, row->pass) &
			      (i && s->complete ? ~0U : SAMPLE_CHECKSUM);
		if (!i || !s->complete)
			continue;
		preempted += (flags_of(s, row->pass) & SAMPLE_PREEMPTED) != 0;
		stolen += (flags_of(s, row->pass) & SAMPLE_STEAL) != 0;
		khz[row->nr] = row_host(s, row->pass)->khz;
		row->ns[row->nr] = row_sample_ns(s, row_workload(row), row->pass);
		row->run[row->nr++] = i;
	}
	/* The median bears a few of those. */
	if (preempted <= row->nr / 2)
		row->flags &= ~(unsigned int)SAMPLE_PREEMPTED;
	if (stolen <= row->nr / 2)
		row->flags &= ~(unsigned int)SAMPLE_STEAL;
	if (!stats_of(row->ns, row->nr, r->bench.plan->seed, &row->stats))
		memset(&row->stats, 0, sizeof(row->stats));
	row->flags |= trust_series(row->ns, row->nr) | trust_clock_rate(khz, row->nr);
	if (row->pass == 1 && row->nr)
		row->flags |= trust_first_pass(row_sample(row, row->run[0])->mapped,
					       r->bench.plan->bytes);
	return true;
}
