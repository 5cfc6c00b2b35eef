// SPDX-License-Identifier: GPL-2.0-or-later
#include "backing/pool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure/proc.h"
#include "nodes.h"

/* One file of a pool: of the machine, or of a node. */
static bool read_file(const char *dir, unsigned int page_shift, const char *name, uint64_t *to)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/hugepages-%lukB/%s", dir, 1UL << (page_shift - 10), name);
	return proc_u64(path, to);
}

bool pool_read(unsigned int page_shift, struct pool *p)
{
	static const char dir[] = "/sys/kernel/mm/hugepages";

	return read_file(dir, page_shift, "nr_hugepages", &p->nr) &&
	       read_file(dir, page_shift, "free_hugepages", &p->free) &&
	       read_file(dir, page_shift, "resv_hugepages", &p->resv) &&
	       read_file(dir, page_shift, "surplus_hugepages", &p->surplus) &&
	       read_file(dir, page_shift, "nr_overcommit_hugepages", &p->overcommit);
}

bool pool_node_read(unsigned int node, unsigned int page_shift, struct pool *p)
{
	char dir[80];

	memset(p, 0, sizeof(*p));
	snprintf(dir, sizeof(dir), "/sys/devices/system/node/node%u/hugepages", node);
	return read_file(dir, page_shift, "nr_hugepages", &p->nr) &&
	       read_file(dir, page_shift, "free_hugepages", &p->free) &&
	       read_file(dir, page_shift, "surplus_hugepages", &p->surplus);
}

uint64_t pool_avail(const struct pool *p)
{
	return p->free > p->resv ? p->free - p->resv : 0;
}

uint64_t pool_avail_on(unsigned int page_shift, const uint64_t *nodes)
{
	struct pool all, one, some = { 0 };

	if (!pool_read(page_shift, &all))
		return 0;
	if (!nodes)
		return pool_avail(&all);
	for (unsigned int n = 0; n < HP_NODES_MAX; n++)
		if (nodes_has(nodes, n) && pool_node_read(n, page_shift, &one))
			some.free += one.free;
	/* Promises are not made by node: all of them may fall on these. */
	some.resv = all.resv;
	return pool_avail(&some);
}
