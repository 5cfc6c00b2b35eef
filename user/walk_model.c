// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk_model.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/cache.h"

#define ENTRY		8
#define ENTRIES		512
#define LINE		64

/* The kernel hides the flag when it runs on four levels. */
unsigned int walk_levels_here(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	unsigned int levels = 4;
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		if (strncmp(line, "flags", 5))
			continue;
		if (strstr(line, " la57"))
			levels = 5;
		break;
	}
	free(line);
	if (f)
		fclose(f);
	return levels;
}

unsigned int walk_refs(unsigned int levels, unsigned int page_shift)
{
	return levels - (page_shift - 12) / 9;
}

/* Entries of @pages leaves, and of the levels above them. */
static uint64_t entries_bytes(uint64_t pages, unsigned int refs)
{
	uint64_t sum = 0;

	while (refs--) {
		sum += (pages * ENTRY + LINE - 1) & ~(uint64_t)(LINE - 1);
		pages = (pages + ENTRIES - 1) / ENTRIES;
	}
	return sum;
}

uint64_t walk_tables(uint64_t bytes, unsigned int levels, unsigned int page_shift)
{
	uint64_t page = UINT64_C(1) << page_shift;

	return entries_bytes(bytes / page + (bytes % page != 0), walk_refs(levels, page_shift));
}

uint64_t walk_reach(uint64_t cache, unsigned int levels, unsigned int page_shift)
{
	unsigned int refs = walk_refs(levels, page_shift);
	uint64_t lo = 0, hi = cache / ENTRY;

	/* @lo pages fit, more than @hi do not. */
	while (lo < hi) {
		uint64_t mid = hi - (hi - lo) / 2;

		if (entries_bytes(mid, refs) <= cache)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo << page_shift;
}

static json_t *known(uint64_t bytes)
{
	return bytes ? json_integer((json_int_t)bytes) : json_null();
}

json_t *walk_model_json(unsigned int levels, unsigned int page_shift)
{
	uint64_t l2 = cache_bytes(2), l3 = cache_bytes(3);

	return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o}",
			 "levels", (int)levels,
			 "refs", (int)walk_refs(levels, page_shift),
			 "l2_bytes", known(l2),
			 "l3_bytes", known(l3),
			 "l2_reach_bytes", known(walk_reach(l2, levels, page_shift)),
			 "l3_reach_bytes", known(walk_reach(l3, levels, page_shift)));
}
