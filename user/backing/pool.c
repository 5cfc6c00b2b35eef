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

/* This process's path in the hugetlb controller; v1 by its name, v2 by "0::". */
static bool own_cgroup(const char *want, char *path, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[512];
	bool ok = false;

	if (!f)
		return false;
	while (!ok && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *at;

		line[strcspn(line, "\n")] = '\0';
		at = list ? strchr(list + 1, ':') : NULL;
		if (!at)
			continue;
		*at++ = '\0';
		ok = !strcmp(list + 1, want);
		if (ok)
			snprintf(path, size, "%s", strcmp(at, "/") ? at : "");
	}
	fclose(f);
	return ok;
}

/* Where a hierarchy is mounted: the line of its type and, for v1, controller. */
static bool cgroup_root(const char *type, const char *option, char *root, size_t size)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char line[1024], dir[256], fs[32], opts[512];
	bool ok = false;

	if (!f)
		return false;
	while (!ok && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %255s %31s %511s", dir, fs, opts) != 3)
			continue;
		ok = !strcmp(fs, type) && (!option || strstr(opts, option));
		if (ok)
			snprintf(root, size, "%s", dir);
	}
	fclose(f);
	return ok;
}

static const char *size_name(unsigned int page_shift)
{
	return page_shift == 30 ? "1GB" : "2MB";
}

/** struct limit - the lowest one found so far */
struct limit {
	bool found;
	uint64_t bytes, used;
	char dir[512];
};

/* One cgroup; @rsvd: limits on promises, which mmap() meets, or on pages in use. */
static void look_at(const char *root, const char *dir, unsigned int page_shift, bool v2,
		    const char *rsvd, struct limit *l)
{
	static const char *const names[2][2] = {
		{ "limit_in_bytes", "usage_in_bytes" }, { "max", "current" },
	};
	char file[1024];
	uint64_t v;

	snprintf(file, sizeof(file), "%s%s/hugetlb.%s.%s%s", root, dir, size_name(page_shift),
		 rsvd, names[v2][0]);
	/* v1 writes "none" as a huge number, v2 as the word "max". */
	if (!proc_u64(file, &v) || v >= UINT64_C(1) << 60 || (l->found && v >= l->bytes))
		return;
	l->found = true;
	l->bytes = v;
	snprintf(l->dir, sizeof(l->dir), "%s", *dir ? dir : "/");
	snprintf(file, sizeof(file), "%s%s/hugetlb.%s.%s%s", root, dir, size_name(page_shift),
		 rsvd, names[v2][1]);
	if (!proc_u64(file, &l->used))
		l->used = 0;
}

/* A cgroup and its ancestors. */
static void lowest(const char *root, const char *own, unsigned int page_shift, bool v2,
		   struct limit *l)
{
	char dir[512];

	snprintf(dir, sizeof(dir), "%s", own);
	for (;;) {
		look_at(root, dir, page_shift, v2, "", l);
		look_at(root, dir, page_shift, v2, "rsvd.", l);
		if (!strrchr(dir, '/'))
			return;
		*strrchr(dir, '/') = '\0';
	}
}

bool pool_cgroup(unsigned int page_shift, char *path, size_t size, uint64_t *limit,
		 uint64_t *used)
{
	char own[512], root[256];
	struct limit l = { 0 };

	if (own_cgroup("hugetlb", own, sizeof(own)) &&
	    cgroup_root("cgroup", "hugetlb", root, sizeof(root)))
		lowest(root, own, page_shift, false, &l);
	else if (own_cgroup("", own, sizeof(own)) &&
		 cgroup_root("cgroup2", NULL, root, sizeof(root)))
		lowest(root, own, page_shift, true, &l);
	if (!l.found)
		return false;
	snprintf(path, size, "%s", l.dir);
	*limit = l.bytes;
	*used = l.used;
	return true;
}
