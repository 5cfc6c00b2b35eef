/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether memory came back.
 *
 * A driver's pages are in no counter of the kernel. So the sum of all that is
 * counted - free pages, those on per-CPU lists, caches, anonymous memory, slab,
 * page tables, stacks - falls by exactly what a driver holds, and unlike MemFree
 * it stays put when a cache grows. It is read per node.
 */
#ifndef HPBUF_FREEMEM_H
#define HPBUF_FREEMEM_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FREEMEM_NODES	64
#define FREEMEM_SLACK	(2L << 20)	/* exclusive */
#define FREEMEM_TRIES	100
#define FREEMEM_PAUSE	50000		/* us */

struct freemem {
	long node[FREEMEM_NODES];	/* bytes that are free or accounted for */
};

/* A "Key: N kB" line of /proc/meminfo in bytes, -1 if it is not there. */
static inline long meminfo(const char *key)
{
	FILE *f = fopen("/proc/meminfo", "re");
	size_t len = strlen(key);
	char line[256];
	long ret = -1;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, key, len) && line[len] == ':') {
			ret = atol(line + len + 1) << 10;
			break;
		}
	}
	if (f)
		fclose(f);
	return ret;
}

static inline long freemem_node(int node)
{
	static const char * const keys[] = {
		"MemFree", "FilePages", "AnonPages", "KernelStack", "PageTables",
		"SecPageTables", "Slab", "Unaccepted",
	};
	char path[80], line[256], key[64];
	unsigned int i;
	long sum = 0, kb;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Node %*d %63[^:]: %ld", key, &kb) != 2)
			continue;
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (!strcmp(key, keys[i]))
				sum += kb << 10;
	}
	fclose(f);
	return sum;
}

/* Pages on the per-CPU lists are free but not in MemFree. */
static inline void freemem_percpu(struct freemem *m)
{
	FILE *f = fopen("/proc/zoneinfo", "re");
	int node = -1, n;
	char line[256];
	long count;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Node %d, zone", &n) == 1)
			node = n;
		else if (sscanf(line, " count: %ld", &count) == 1 &&
			 node >= 0 && node < FREEMEM_NODES)
			m->node[node] += count * sysconf(_SC_PAGESIZE);
	}
	if (f)
		fclose(f);
}

/*
 * Kernels with detectors keep each stack trace they have seen, in pools of four pages
 * that are in no counter and are never given back (lib/stackdepot.c). Which node they
 * are of is not told: they are taken for the first one's.
 */
static inline void freemem_stacks(struct freemem *m)
{
	FILE *f = fopen("/sys/kernel/debug/stackdepot/stats", "re");
	long pools;

	if (f && fscanf(f, "pools: %ld", &pools) == 1)
		m->node[0] += pools * 4 * sysconf(_SC_PAGESIZE);
	if (f)
		fclose(f);
}

static inline void freemem_read(struct freemem *m)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY | O_CLOEXEC);
	int i;

	/* fold the per-CPU differences into the counters */
	if (fd < 0 || write(fd, "1", 1) < 0)
		fprintf(stderr, "# the counters could not be refreshed\n");
	if (fd >= 0)
		close(fd);
	for (i = 0; i < FREEMEM_NODES; i++)
		m->node[i] = freemem_node(i);
	freemem_percpu(m);
	freemem_stacks(m);
}

/* Did any node lose FREEMEM_SLACK or more? Waits a bounded time for its return. */
static inline bool freemem_is_back(const struct freemem *before)
{
	struct freemem now;
	bool lost = false;
	int i, try;

	for (try = 0; try < FREEMEM_TRIES; try++) {
		freemem_read(&now);
		lost = false;
		for (i = 0; i < FREEMEM_NODES; i++)
			if (before->node[i] - now.node[i] >= FREEMEM_SLACK)
				lost = true;
		if (!lost)
			return true;
		usleep(FREEMEM_PAUSE);
	}
	for (i = 0; i < FREEMEM_NODES; i++)
		if (before->node[i] >= 0)
			fprintf(stderr, "# node %d: %ld bytes before, %ld after, lost %ld\n",
				i, before->node[i], now.node[i],
				before->node[i] - now.node[i]);
	return false;
}

#endif
