// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sparse: one byte in every 2 MiB, and what memory that takes: the pages behind
 * it and the page tables, for every byte that was wanted. With 4 KiB pages that
 * is a page and, of the tables, a page; with 2 MiB pages 512 times that page.
 *
 * What a backing takes is, of the module's, the whole buffer, and else the pages
 * that are mapped: by census, not RSS, which other things of the process are in.
 *
 * Checksum: the bytes read back.
 */
#include <stdio.h>
#include <string.h>

#include "hold.h"
#include "measure/stop.h"
#include "timing.h"
#include "workload/workload.h"

#define SPACING		(UINT64_C(2) << 20)
#define SMALL_PAGE	4096
#define SHARE		0.95

static uint64_t touches(const struct mapping *m)
{
	return (m->asked + SPACING - 1) / SPACING;
}

/* Not the first line of each: they would all be in one set of the cache. */
static volatile unsigned char *place(const struct mapping *m, uint64_t i)
{
	uint64_t at = i * SPACING + (i * 37 & 63) * 64;

	return m->addr + (at < m->bytes ? at : i * SPACING);
}

static unsigned char byte_of(uint64_t i)
{
	return (unsigned char)(i * 151 + 1) | 1;
}

static void touch(const struct mapping *m, struct sample *out)
{
	uint64_t n = touches(m);
	struct stage_clock c;

	stage_begin(&c);
	for (out->ops = 0; out->ops < n && !stop_pending(); out->ops++)
		*place(m, out->ops) = byte_of(out->ops);
	stage_end(&c, &out->stages, "touch");
	stage_begin(&c);
	for (uint64_t i = 0; i < out->ops; i++) {
		out->sum += *place(m, i);
		out->expected += byte_of(i);
	}
	stage_end(&c, &out->stages, "read");
	if (out->sum != out->expected)
		out->flags |= SAMPLE_CHECKSUM;
	out->complete = out->ops == n;
}

static uint64_t mapped_of(const struct census *c)
{
	return c->pte + c->pmd + c->pud;
}

static double share_of(const struct census *c, unsigned int shift)
{
	struct census mapped = *c;

	mapped.none = 0;
	return census_share(&mapped, shift);
}

/* Most of it is not mapped, and is not meant to be. */
static void verify(struct bench *bn, const struct mapping *m, struct sample *out)
{
	out->mapped = m->bytes;
	if (!backing_census(m, bn->nl, &out->before)) {
		out->flags |= SAMPLE_UNVERIFIED;
		return;
	}
	out->after = out->before;
	snprintf(out->by, sizeof(out->by), "%s", out->before.by);
	if (share_of(&out->after, m->b->page_shift) < SHARE)
		out->flags |= SAMPLE_SHARE;
}

static int sparse_sequence(struct bench *bn, const struct backing *b, struct sample *out,
			   struct hp_error *e)
{
	struct stage_clock c;
	struct mapping m;
	int ret;

	stage_begin(&c);
	stage_end(&c, &out->stages, "before");
	ret = hold_acquire(bn->plan, b, &m, &out->stages, e);
	if (ret)
		return ret;
	touch(&m, out);
	verify(bn, &m, out);
	return hold_release(&m, &out->stages, e);
}

static json_t *table_bytes(const struct sample *s)
{
	const struct stage *a = stage_find(&s->stages, "before");
	const struct stage *b = stage_find(&s->stages, "touch");

	if (!a || !b || a->v[STAGE_PTE] < 0 || b->v[STAGE_PTE] < a->v[STAGE_PTE])
		return json_null();
	return json_integer(b->v[STAGE_PTE] - a->v[STAGE_PTE]);
}

/* A buffer of the module's is there as a whole, mapped or not. */
static bool is_whole(const json_t *row)
{
	struct hp_error ignored = { 0 };
	struct backing b;

	return !backing_parse(json_string_value(json_object_get(row, "backing")), &b, &ignored) &&
	       b.ops->module;
}

static unsigned int shift_of(const json_t *row)
{
	json_int_t page = json_integer_value(json_object_get(row, "page_bytes_asked"));

	return page > 0 ? (unsigned int)__builtin_ctzll((unsigned long long)page) : 0;
}

/*
 * "sparse": {"bytes" wanted, "backing_bytes", "table_bytes", "backing_per_byte",
 * "cost_per_byte" with the tables, "blow_up" of the backing against 4 KiB pages}
 */
static void sparse_report(const struct sample *s, json_t *row)
{
	bool whole = is_whole(row), known = s->after.by || whole;
	double n = (double)s->ops;
	double backing = (double)(whole ? s->mapped : mapped_of(&s->after));
	json_t *tables = table_bytes(s);
	double cost = backing + json_number_value(tables);

	/* Of what is mapped; the rest is meant not to be. */
	if (s->after.by)
		json_object_set_new(row, "leaf_share", json_real(share_of(&s->after, shift_of(row))));
	json_object_set_new(row, "sparse", json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}",
		"bytes", (json_int_t)s->ops,
		"backing_bytes", known ? json_integer((json_int_t)backing) : json_null(),
		"table_bytes", tables,
		"backing_per_byte", known ? json_real(backing / n) : json_null(),
		"cost_per_byte", known && json_is_integer(tables) ? json_real(cost / n) :
		json_null(),
		"blow_up", known ? json_real(backing / (n * SMALL_PAGE)) : json_null()));
}

const struct workload workload_sparse = {
	.name = "sparse",
	.brief = "one byte in every 2 MiB: what memory that takes",
	.stages = true,
	.fixed = true,
	.dirties = true,
	.op_bytes = 1,
	.sequence = sparse_sequence,
	.report = sparse_report,
};
