// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/workload.h"

#include <string.h>

/* Elements whose bytes are whole 4 KiB pages: 4096 * 5 = 5 pages. */
#define SHARD_UNIT	4096

const struct workload *const workload_table[] = {
	&workload_touch, &workload_fill, &workload_rand_fill, &workload_rand_gen,
	&workload_get, &workload_get_safe, &workload_get_fast, &workload_get_batch,
	&workload_set, &workload_set_fast, &workload_chase, &workload_hash, &workload_index,
	&workload_index_range, &workload_scan, &workload_churn, &workload_sparse,
	&workload_matrix, NULL
};

const char *const workload_names[] = {
	"touch", "fill", "rand-fill", "rand-gen", "get", "get-safe", "get-fast", "get-batch",
	"set", "set-fast", "chase", "hash", "index", "index-range", "scan", "churn", "sparse",
	"matrix", NULL
};

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workload_table[i]; i++)
		if (!strcmp(workload_table[i]->name, name))
			return workload_table[i];
	return NULL;
}

bool shard_split(struct shard *s, unsigned int nr, void *base, uint64_t n)
{
	uint64_t unit = n / nr >= SHARD_UNIT ? SHARD_UNIT : 1;
	uint64_t units = n / unit, at = 0;

	if (n < nr)
		return false;
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t part = units / nr + (i < units % nr);

		memset(&s[i], 0, sizeof(s[i]));
		s[i].base = base;
		s[i].n = n;
		s[i].first = at;
		s[i].count = part * unit;
		at += s[i].count;
	}
	/* What is less than a unit goes to the last. */
	s[nr - 1].count += n - at;
	return true;
}
