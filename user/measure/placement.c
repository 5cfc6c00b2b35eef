// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/placement.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "measure/proc.h"
#include "nodes.h"

#define LOOKS	262144
#define BATCH	1024

bool placement_of(struct placement *p, const void *addr, size_t len, size_t page)
{
	size_t nr = len / page, stride = (nr + LOOKS - 1) / LOOKS;
	void *pages[BATCH];
	int status[BATCH];

	memset(p, 0, sizeof(*p));
	for (size_t at = 0; at < nr;) {
		unsigned long n = 0;

		for (; n < BATCH && at < nr; at += stride)
			pages[n++] = (char *)addr + at * page;
		/* Without a list of nodes nothing is moved. */
		if (move_pages(0, n, pages, NULL, status, 0))
			return false;
		for (unsigned long i = 0; i < n; i++) {
			if (status[i] >= 0 && status[i] < PLACEMENT_NODES)
				p->pages[status[i]]++;
			else if (status[i] != -ENOENT)
				p->unknown++;
		}
	}
	p->by = "move_pages";
	return nr > 0;
}

double placement_share(const struct placement *p, const uint64_t *nodes)
{
	uint64_t all = p->unknown, there = 0;

	for (unsigned int n = 0; n < PLACEMENT_NODES; n++) {
		all += p->pages[n];
		if (nodes_has(nodes, n))
			there += p->pages[n];
	}
	return p->by && all ? (double)there / (double)all : 0;
}

json_t *placement_json(const struct placement *p)
{
	json_t *list;

	if (!p->by)
		return json_null();
	list = json_array();
	for (unsigned int n = 0; n < PLACEMENT_NODES; n++)
		if (p->pages[n])
			json_array_append_new(list, json_pack("{s:I, s:I}",
				"node", (json_int_t)n, "pages", (json_int_t)p->pages[n]));
	return list;
}

/* CPUs of @nodes that this thread may run on now. */
static unsigned int cpus_of(const uint64_t *nodes, cpu_set_t *set)
{
	struct bitmask *cpus = numa_allocate_cpumask();
	cpu_set_t allowed;

	CPU_ZERO(set);
	if (!cpus)
		return 0;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		CPU_ZERO(&allowed);
	for (int n = 0; n <= numa_max_node(); n++) {
		if (!nodes_has(nodes, (unsigned int)n) || numa_node_to_cpus(n, cpus))
			continue;
		for (unsigned int c = 0; c < CPU_SETSIZE && c < cpus->size; c++)
			if (numa_bitmask_isbitset(cpus, c) && CPU_ISSET(c, &allowed))
				CPU_SET(c, set);
	}
	numa_free_cpumask(cpus);
	return (unsigned int)CPU_COUNT(set);
}

static bool is_node_0(const uint64_t *nodes)
{
	for (unsigned int n = 1; n < HP_NODES_MAX; n++)
		if (nodes_has(nodes, n))
			return false;
	return nodes_has(nodes, 0);
}

int placement_confine(const uint64_t *nodes, struct hp_error *e)
{
	uint64_t mask[HP_NODE_WORDS];
	char list[64];
	cpu_set_t set;

	memcpy(mask, nodes, sizeof(mask));
	nodes_text(mask, list, sizeof(list));
	if (numa_available() < 0) {
		if (is_node_0(nodes))
			return HP_OK;
		return hp_fail(e, HP_UNSUPPORTED, ENOSYS, "--nodes %s: this kernel has no NUMA",
			       list);
	}
	if (!cpus_of(nodes, &set)) {
		hp_fail(e, HP_RESOURCE, 0, "--nodes %s: no CPU there that may be used", list);
		return hp_hint(e, "see Cpus_allowed_list in /proc/self/status; a node may have memory alone");
	}
	if (sched_setaffinity(0, sizeof(set), &set))
		return hp_fail(e, HP_RESOURCE, errno, "--nodes %s: %s", list, strerror(errno));
	return HP_OK;
}

int placement_bind(void *addr, size_t len, const uint64_t *nodes, struct hp_error *e)
{
	unsigned long mask[HP_NODES_MAX / (8 * sizeof(long))];

	memcpy(mask, nodes, sizeof(mask));
	/* One more than there are: the kernel takes the last one off. */
	if (!mbind(addr, len, MPOL_BIND, mask, HP_NODES_MAX + 1, 0))
		return HP_OK;
	if (errno == ENOSYS && is_node_0(nodes))
		return HP_OK;
	hp_fail(e, errno == EPERM ? HP_PERMISSION : HP_RESOURCE, errno,
		"--nodes: memory cannot be bound there: %s", strerror(errno));
	return hp_hint(e, "see Mems_allowed_list in /proc/self/status");
}

uint64_t placement_available(const uint64_t *nodes)
{
	static const char *const keys[] = { "MemFree:", "Active(file):", "Inactive(file):" };
	char path[80], key[64];
	uint64_t sum = 0, kb;

	for (unsigned int n = 0; n < HP_NODES_MAX; n++) {
		if (!nodes_has(nodes, n))
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", n);
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			snprintf(key, sizeof(key), "Node %u %s", n, keys[i]);
			if (proc_field(path, key, &kb))
				sum += kb * 1024;
		}
	}
	return sum;
}
