// SPDX-License-Identifier: GPL-2.0-or-later
#include "reach.h"

#include "measure/cache.h"
#include "measure/tlb.h"
#include "walk_model.h"

static const unsigned int shifts[TLB_SIZES] = { 12, 21, 30 };

static json_t *caches(void)
{
	json_t *list = json_array();

	for (int level = 1; level <= 3; level++)
		if (cache_bytes((unsigned int)level))
			json_array_append_new(list, json_pack("{s:i, s:I}", "level", level, "bytes",
				(json_int_t)cache_bytes((unsigned int)level)));
	return list;
}

static json_t *tlbs(const struct tlb *t)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < TLB_SIZES; i++)
		if (t->entries[i])
			json_array_append_new(list, json_pack("{s:I, s:I}", "page_bytes",
				(json_int_t)1 << shifts[i], "entries", (json_int_t)t->entries[i]));
	return list;
}

static json_t *tables(void)
{
	unsigned int levels = walk_levels_here();
	json_t *list = json_array();

	for (unsigned int i = 0; i < TLB_SIZES; i++) {
		for (int level = 2; level <= 3; level++) {
			uint64_t bytes = walk_reach(cache_bytes((unsigned int)level), levels,
						    shifts[i]);

			if (bytes)
				json_array_append_new(list, json_pack("{s:I, s:i, s:I}",
					"page_bytes", (json_int_t)1 << shifts[i], "level", level,
					"bytes", (json_int_t)bytes));
		}
	}
	return list;
}

json_t *reach_json(void)
{
	struct tlb t;

	tlb_read(&t);
	return json_pack("{s:o, s:o, s:s?, s:s?, s:o}", "caches", caches(), "tlbs", tlbs(&t),
			 "tlb_from", t.from, "tlb_why", t.why, "tables", tables());
}
