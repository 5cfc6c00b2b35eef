// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"
#include "trust.h"

static json_t *real_or_null(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *ns_json(double v)
{
	return isfinite(v) ? json_integer((json_int_t)llround(v)) : json_null();
}

static json_t *u64_json(uint64_t v)
{
	return v ? json_integer((json_int_t)v) : json_null();
}

static json_t *pair(json_t *a, json_t *b)
{
	json_t *list = json_array();

	json_array_append_new(list, a);
	json_array_append_new(list, b);
	return list;
}

static json_t *level_json(size_t n)
{
	return stats_level(n) > 0 ? json_real(stats_level(n)) : json_null();
}

static void put_numbers(const struct row *row, json_t *o)
{
	const struct stats *s = &row->stats;
	uint64_t ops = row_ops(row);
	double per = row->nr ? s->median : NAN;
	json_t *samples = json_array();
	double ready[row->nr + 1];
	struct stats rs;

	for (unsigned int i = 0; i < row->nr; i++) {
		json_array_append_new(samples, ns_json(row->ns[i]));
		ready[i] = row_ready_ns(row_sample(row, row->run[i]), row_workload(row));
	}
	json_object_set_new(o, "ready_ns", stats_of(ready, row->nr, 0, &rs) ?
			    ns_json(rs.median) : json_null());
	json_object_set_new(o, "samples_ns", samples);
	json_object_set_new(o, "warmup_ns",
			    u64_json((uint64_t)row_sample_ns(row_sample(row, 0), row_workload(row),
							 row->pass)));
	json_object_set_new(o, "ops", u64_json(ops));
	json_object_set_new(o, "op_ns", ops ? real_or_null(per / (double)ops) : json_null());
	if (ops)
		json_object_set_new(o, "ops_per_s",
				    json_pack("{s:f, s:f, s:f}",
					      "median", 1e9 * (double)ops / s->median,
					      "p10", 1e9 * (double)ops / s->p90,
					      "p90", 1e9 * (double)ops / s->p10));
	else
		json_object_set_new(o, "ops_per_s", json_null());
	json_object_set_new(o, "median_ns", ns_json(per));
	json_object_set_new(o, "p10_ns", ns_json(row->nr ? s->p10 : NAN));
	json_object_set_new(o, "p90_ns", ns_json(row->nr ? s->p90 : NAN));
	json_object_set_new(o, "mad_ns", ns_json(row->nr ? s->mad : NAN));
	json_object_set_new(o, "ci95_ns", row->nr >= 3 ? pair(ns_json(s->lo), ns_json(s->hi)) :
			    json_null());
	json_object_set_new(o, "ci_level", level_json(row->nr));
}

/* Sums over the counted runs. */
static json_t *vm_json(const struct row *row)
{
	static const char *const names[SAMPLE_VM] = {
		[VM_SWAP_IN] = "swap_in", [VM_SWAP_OUT] = "swap_out",
		[VM_THP_ALLOC] = "thp_fault_alloc", [VM_THP_FALLBACK] = "thp_fault_fallback",
		[VM_COMPACT_STALL] = "compact_stall", [VM_ALLOC_STALL] = "alloc_stall",
	};
	json_t *o = json_object();

	for (unsigned int k = 0; k < SAMPLE_VM; k++) {
		int64_t sum = 0;

		for (unsigned int i = 0; i < row->nr; i++)
			sum += row_sample(row, row->run[i])->vm[k];
		json_object_set_new(o, names[k], json_integer(sum));
	}
	return o;
}

/* Of the counted runs: the sum of what was stolen, and the span of the clock rate. */
static json_t *machine_json(const struct row *row)
{
	uint64_t least = 0, most = 0;
	unsigned int moved = 0;
	bool watched = row->nr;
	int64_t steal = 0;

	for (unsigned int i = 0; i < row->nr; i++) {
		const struct host_state *h = row_host(row_sample(row, row->run[i]), row->pass);

		watched = watched && h->cpus;
		steal = steal < 0 || h->steal_ns < 0 ? -1 : steal + h->steal_ns;
		moved += h->moved;
		most = h->khz > most ? h->khz : most;
		least = !least || (h->khz && h->khz < least) ? h->khz : least;
	}
	return json_pack("{s:o, s:o, s:o, s:o}",
			 "steal_ns", watched && steal >= 0 ? json_integer(steal) : json_null(),
			 "migrated", watched ? json_integer(moved) : json_null(), "khz_min", u64_json(least),
			 "khz_max", u64_json(most));
}

static const char *verdict_of(const struct stats *s)
{
	if (!isfinite(s->lo))
		return "too few runs";
	if (s->lo > 1)
		return "faster";
	return s->hi < 1 ? "slower" : "no difference shown";
}

/* Pairs of the same run; both sides verified, or there is no ratio. */
static void put_ratio(const struct row *row, unsigned int bad, json_t *o)
{
	const struct bench_result *r = row->r;
	double ref[row->nr + 1], x[row->nr + 1];
	struct stats s;
	size_t n = 0;

	json_object_set_new(o, "ratio", json_null());
	if (row->b == row->ref || bad)
		return;
	for (unsigned int i = 0; i < row->nr; i++) {
		const struct sample *other = bench_sample(r, row->run[i], row->ref, row->w);

		if (!other->complete || other->flags & bad)
			continue;
		ref[n] = row_sample_ns(other, row_workload(row), row->pass);
		x[n++] = row->ns[i];
	}
	if (!stats_ratio(ref, x, n, r->bench.plan->seed, &s))
		return;
	json_object_set_new(o, "ratio",
			    json_pack("{s:s, s:f, s:o, s:o, s:s}",
				      "to", r->bench.plan->b[row->ref].label,
				      "value", s.median,
				      "ci95", isfinite(s.lo) ?
				      pair(json_real(s.lo), json_real(s.hi)) : json_null(),
				      "ci_level", level_json(n),
				      "verdict", verdict_of(&s)));
}

static void put_memory(const struct row *row, json_t *o)
{
	const struct plan *p = row->r->bench.plan;
	const struct backing *b = &p->b[row->b];
	const struct sample *s = row_sample(row, row->nr ? row->run[row->nr - 1] : 0);
	struct stages *runs = calloc(row->nr + 1, sizeof(*runs));
	char text[32];

	for (unsigned int i = 0; runs && i < row->nr; i++)
		runs[i] = row_sample(row, row->run[i])->stages;
	json_object_set_new(o, "page_bytes_asked", json_integer((json_int_t)backing_page(b)));
	json_object_set_new(o, "leaf", census_json(s->after.by ? &s->after : &s->before));
	json_object_set_new(o, "leaf_before", census_json(&s->before));
	json_object_set_new(o, "leaf_share", s->before.by ?
			    json_real(census_share(s->after.by ? &s->after : &s->before,
						   b->page_shift)) : json_null());
	json_object_set_new(o, "bytes_asked", json_integer((json_int_t)p->bytes));
	json_object_set_new(o, "bytes", u64_json(s->mapped));
	json_object_set_new(o, "elements", json_integer((json_int_t)p->n));
	json_object_set_new(o, "threads", json_integer(p->threads));
	json_object_set_new(o, "stages", runs ? stages_json(runs, row->nr) : json_array());
	json_object_set_new(o, "nodes", placement_json(&s->place));
	json_object_set_new(o, "nodes_by", s->place.by ? json_string(s->place.by) : json_null());
	json_object_set_new(o, "verified",
			    json_boolean(row->nr && !(row->flags & (SAMPLE_SHARE | SAMPLE_NODE |
								    SAMPLE_UNVERIFIED))));
	json_object_set_new(o, "verified_by", *s->by ? json_string(s->by) : json_null());
	/* 64 bits do not fit every reader's numbers. */
	snprintf(text, sizeof(text), "0x%016" PRIx64, s->sum);
	json_object_set_new(o, "checksum", s->complete ? json_string(text) : json_null());
	snprintf(text, sizeof(text), "0x%016" PRIx64, s->expected);
	json_object_set_new(o, "checksum_expected", s->complete ? json_string(text) : json_null());
	free(runs);
}

/* Beside the times: page walks, and the counters of all counted runs together. */
static void put_extras(const struct row *row, json_t *o)
{
	const struct bench_result *r = row->r;
	struct perf_counts sum = { .taken = false };
	json_t *walk = bench_sample(r, 0, row->b, row->w)->walk;
	const char *why = perf_why(r->bench.perf);

	for (unsigned int i = 0; i < row->nr; i++) {
		const struct sample *s = row_sample(row, row->run[i]);

		perf_add(&sum, row->pass == 1 ? &s->first_perf : &s->perf);
	}
	json_object_set_new(o, "walk", walk ? json_incref(walk) : json_null());
	json_object_set_new(o, "perf", perf_json(&sum));
	json_object_set_new(o, "perf_why", *why ? json_string(why) : json_null());
	json_object_set_new(o, "page_faults", perf_faults_json(&sum));
}

static void add_row(struct row *row, json_t *doc, struct tally *t)
{
	static const char *const passes[] = { NULL, "first", "second" };
	const struct plan *p = row->r->bench.plan;
	const struct workload *w = row_workload(row);
	json_t *o = json_object();
	char label[64];

	snprintf(label, sizeof(label), "%s%s%s", w->name, row->pass ? " " : "",
		 row->pass == 1 ? "1st" : row->pass ? "2nd" : "");
	json_object_set_new(o, "workload", json_string(w->name));
	json_object_set_new(o, "pass", row->pass ? json_string(passes[row->pass]) : json_null());
	json_object_set_new(o, "label", json_string(label));
	json_object_set_new(o, "backing", out_string(p->b[row->b].label));
	if (row_collect(row)) {
		put_memory(row, o);
		put_numbers(row, o);
		if (w->report && row->nr)
			w->report(row_sample(row, row->run[row->nr - 1]), o);
		put_ratio(row, row->flags & (SAMPLE_SHARE | SAMPLE_UNVERIFIED | SAMPLE_CHECKSUM |
					     SAMPLE_IMPLAUSIBLE | SAMPLE_NODE), o);
		trust_row(t, row->flags, o);
		json_object_set_new(o, "system", vm_json(row));
		json_object_set_new(o, "machine", machine_json(row));
		put_extras(row, o);
		json_object_set_new(o, "partial", json_boolean(row->nr < p->runs));
		json_array_append(json_object_get(doc, "results"), o);
	}
	json_decref(o);
	free(row->ns);
	free(row->run);
}

/* The first backing of the list that could be had. */
static unsigned int reference(const struct bench_result *r)
{
	unsigned int b = 0;

	while (b + 1 < r->bench.plan->nr_b && r->missing[b].code)
		b++;
	return b;
}

void rows_add(const struct bench_result *r, json_t *doc, struct tally *t)
{
	const struct plan *p = r->bench.plan;

	t->runs = r->done ? r->done - 1 : 0;
	for (unsigned int w = 0; w < p->nr_w; w++) {
		for (unsigned int pass = p->w[w]->fresh; pass <= 2U * p->w[w]->fresh; pass++) {
			for (unsigned int b = 0; b < p->nr_b; b++) {
				struct row row = { .r = r, .w = w, .b = b, .pass = pass };

				row.ref = reference(r);
				if (!r->missing[b].code)
					add_row(&row, doc, t);
			}
		}
	}
}
