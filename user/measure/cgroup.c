// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "measure/proc.h"

/* Larger ones are no limit: v1 writes "none" as a huge number. */
#define NO_LIMIT	(UINT64_C(1) << 60)

/**
 * struct group - where this process is in a hierarchy
 * @root: where that is mounted
 * @dir: our place below it: "", or "/a/b"
 */
struct group {
	char root[256], dir[512];
	bool v2;
};

/* A word of the list "cpu,cpuacct". */
static bool in_list(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (!strncmp(list, word, len) && (list[len] == ',' || !list[len]))
			return true;
	return false;
}

/* Our path in the hierarchy of @controller, "" for v2's only one. */
static bool own_path(const char *controller, char *path, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[600];
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
		ok = *controller ? in_list(list + 1, controller) : !list[1];
		if (ok)
			snprintf(path, size, "%s", at);
	}
	fclose(f);
	return ok;
}

/*
 * Where it is mounted, and which part of it: a container sees its own cgroup as the
 * root of the mount, and yet its whole path in /proc/self/cgroup.
 */
static bool mounted(const char *controller, char *part, size_t part_size, char *root,
		    size_t root_size)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[1024], from[256], at[256], type[32], options[256];
	bool ok = false;

	if (!f)
		return false;
	while (!ok && fgets(line, sizeof(line), f)) {
		char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*s %*s %*s %255s %255s", from, at) != 2 ||
		    sscanf(rest, " - %31s %*s %255s", type, options) != 2)
			continue;
		ok = *controller ? !strcmp(type, "cgroup") && in_list(options, controller) :
		     !strcmp(type, "cgroup2");
	}
	fclose(f);
	if (!ok)
		return false;
	snprintf(part, part_size, "%s", strcmp(from, "/") ? from : "");
	snprintf(root, root_size, "%s", at);
	return true;
}

static bool find(const char *controller, struct group *g)
{
	char path[512], part[256];
	size_t len;

	g->v2 = !own_path(controller, path, sizeof(path)) ||
		!mounted(controller, part, sizeof(part), g->root, sizeof(g->root));
	if (g->v2 && (!own_path("", path, sizeof(path)) ||
		      !mounted("", part, sizeof(part), g->root, sizeof(g->root))))
		return false;
	len = strlen(part);
	/* Outside of what is mounted here: the mount is the nearest to it. */
	if (strncmp(path, part, len) || strstr(path, "/..") || !strcmp(path + len, "/"))
		g->dir[0] = '\0';
	else
		snprintf(g->dir, sizeof(g->dir), "%s", path + len);
	return true;
}

/** struct files - names of a limit, of its use, and of what of that can be given up */
struct files {
	const char *limit, *used, *spare[2];
};

static void look_at(const struct group *g, const char *dir, const struct files *names,
		    bool *found, struct cgroup_limit *l)
{
	struct cgroup_limit one = { 0 };
	char file[900];
	uint64_t v;

	snprintf(file, sizeof(file), "%s%s/%s", g->root, dir, names->limit);
	if (!proc_u64(file, &one.bytes) || one.bytes >= NO_LIMIT)
		return;
	snprintf(file, sizeof(file), "%s%s/%s", g->root, dir, names->used);
	if (!proc_u64(file, &one.used))
		one.used = 0;
	snprintf(file, sizeof(file), "%s%s/memory.stat", g->root, dir);
	for (int i = 0; i < 2 && names->spare[i]; i++)
		if (proc_field(file, names->spare[i], &v))
			one.used -= v < one.used ? v : one.used;
	if (*found && cgroup_room(&one) >= cgroup_room(l))
		return;
	*found = true;
	*l = one;
	snprintf(l->dir, sizeof(l->dir), "%.255s", *dir ? dir : "/");
}

/* A cgroup and its ancestors. */
static void tightest(const struct group *g, const struct files *names, bool *found,
		     struct cgroup_limit *l)
{
	char dir[512];

	snprintf(dir, sizeof(dir), "%s", g->dir);
	for (;;) {
		look_at(g, dir, names, found, l);
		if (!strrchr(dir, '/'))
			return;
		*strrchr(dir, '/') = '\0';
	}
}

bool cgroup_hugetlb(unsigned int page_shift, struct cgroup_limit *l)
{
	static const char *const kinds[] = { "", "rsvd." };
	char limit[48], used[48];
	struct files names = { .limit = limit, .used = used };
	bool found = false;
	struct group g;

	if (!find("hugetlb", &g))
		return false;
	for (int i = 0; i < 2; i++) {
		const char *size = page_shift == 30 ? "1GB" : "2MB";

		snprintf(limit, sizeof(limit), "hugetlb.%s.%s%s", size, kinds[i],
			 g.v2 ? "max" : "limit_in_bytes");
		snprintf(used, sizeof(used), "hugetlb.%s.%s%s", size, kinds[i],
			 g.v2 ? "current" : "usage_in_bytes");
		tightest(&g, &names, &found, l);
	}
	return found;
}

bool cgroup_memory(struct cgroup_limit *l)
{
	static const struct files v1 = {
		"memory.limit_in_bytes", "memory.usage_in_bytes",
		{ "total_inactive_file ", "total_active_file " },
	}, v2 = {
		"memory.max", "memory.current", { "inactive_file ", "active_file " },
	};
	bool found = false;
	struct group g;

	if (find("memory", &g))
		tightest(&g, g.v2 ? &v2 : &v1, &found, l);
	return found;
}
