// SPDX-License-Identifier: GPL-2.0-or-later
/* What came of pool set and pool restore: a row for each node and page size. */
#include <string.h>

#include "pool_set.h"

static const struct out_col cols[] = {
	{ "NODE", "node", OUT_COUNT, true },
	{ "PAGE", "page_bytes", OUT_BYTES, true },
	{ "BEFORE", "before", OUT_COUNT, true },
	{ "ASKED", "asked", OUT_COUNT, true },
	{ "GOT", "got", OUT_COUNT, true },
	{ "MIN", "min", OUT_COUNT, true },
	{ "READY", "ready", OUT_COUNT, true },
	{ "OUTCOME", "outcome", OUT_TEXT, true },
	{ "ERROR", "error", OUT_TEXT, false },
	{ "DIRTY", "dirty", OUT_COUNT, false },
	{ "LENT", "lent", OUT_COUNT, false },
	{ NULL, NULL, OUT_TEXT, false }
};

int pool_results_check(const struct out_opts *o, struct hp_error *e)
{
	return out_check_columns(o, cols, e);
}

static const char *outcome_name(enum pool_outcome outcome)
{
	static const char *const names[] = {
		[POOL_UNTRIED] = "not tried",
		[POOL_WORKING] = "filling",
		[POOL_SET] = "set",
		[POOL_SHORT] = "short",
		[POOL_FAILED] = "failed",
		[POOL_RESTORED] = "put back",
	};

	return names[outcome];
}

static json_t *integer_if(bool has, uint64_t v)
{
	return has ? json_integer((json_int_t)v) : json_null();
}

static json_t *row_of(const struct pool_step *s)
{
	const char *error = s->why.err ? strerrorname_np(s->why.err) : NULL;
	bool known = s->now.has_want;

	return json_pack("{s:s, s:I, s:I, s:o, s:I, s:o, s:I, s:o, s:o, s:o, s:s, s:o}",
			 "pool", "hpbuf", "node", (json_int_t)s->ask.node,
			 "page_bytes", (json_int_t)1 << s->ask.page_shift,
			 "before", integer_if(s->former.has_want, s->former.want),
			 "asked", (json_int_t)s->ask.want,
			 "got", integer_if(s->has_got, s->got),
			 "min", (json_int_t)s->ask.min,
			 "ready", integer_if(known, s->now.ready),
			 "dirty", integer_if(known && s->now.has_dirty, s->now.dirty),
			 "lent", integer_if(known && s->now.has_lent, s->now.lent),
			 "outcome", outcome_name(s->outcome),
			 "error", error ? json_string(error) : json_null());
}

int pool_results(const struct pool_job *job, struct hp_error *e)
{
	json_t *rows = json_object_get(job->doc, "results");
	struct hp_error table = { 0 };

	for (size_t i = 0; i < job->nr; i++)
		json_array_append_new(rows, row_of(&job->steps[i]));
	if (job->nr && out_table(job->o, rows, cols, &table) && !e->code)
		*e = table;
	return e->code;
}
