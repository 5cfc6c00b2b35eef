// SPDX-License-Identifier: GPL-2.0-or-later
/* How much memory this process may have. */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "measure/proc.h"
#include "out/out.h"

#define MIB	(UINT64_C(1) << 20)
#define GIB	(UINT64_C(1) << 30)

/* The soft limit in bytes, UINT64_MAX for none. */
static bool read_memlock(const struct doctor *d, uint64_t *bytes)
{
	static const char key[] = "Max locked memory";
	char path[600], line[256];
	bool ok = false;
	FILE *f;

	f = fopen(doctor_path(d, path, sizeof(path), "/proc/self/limits"), "re");
	while (f && !ok && fgets(line, sizeof(line), f)) {
		char *at = line + sizeof(key) - 1;

		if (strncmp(line, key, sizeof(key) - 1))
			continue;
		ok = true;
		at += strspn(at, " ");
		*bytes = strncmp(at, "unlimited", 9) ? strtoull(at, NULL, 10) : UINT64_MAX;
	}
	if (f)
		fclose(f);
	return ok;
}

void check_memlock(const struct doctor *d, struct finding *f)
{
	uint64_t bytes;
	char text[32];

	if (!read_memlock(d, &bytes)) {
		doctor_warn(f, "/proc/self/limits cannot be read");
		return;
	}
	if (bytes != UINT64_MAX)
		f->value = json_integer((json_int_t)bytes);
	if (bytes == UINT64_MAX) {
		doctor_ok(f, "unlimited");
		return;
	}
	out_bytes(text, bytes);
	if (doctor_effective(d, CAP_IPC_LOCK)) {
		doctor_ok(f, "%s, which CAP_IPC_LOCK lifts", text);
		return;
	}
	if (bytes < 2 * MIB)
		doctor_fail(f, "%s: less than one page of 2 MiB", text);
	else if (bytes < GIB)
		doctor_warn(f, "%s: no page of 1 GiB", text);
	else
		doctor_ok(f, "%s", text);
	if (f->state != DOCTOR_OK)
		doctor_fix(f, "\"@%s - memlock unlimited\" in /etc/security/limits.d/%s.conf, then log in again",
			   HPBUF_GROUP, HPBUF_GROUP);
}

/**
 * struct lowest - the lowest limit of a kind on the way up
 * @dir: the cgroup that has it
 */
struct lowest {
	bool found;
	uint64_t bytes;
	char dir[512];
};

static void look_at(const struct doctor *d, const char *mount, const char *dir,
		    const char *file, struct lowest *l)
{
	char path[1024];
	uint64_t v;

	doctor_path(d, path, sizeof(path), "%s%s/%s", mount, dir, file);
	/* v2 says "max", v1 a huge number. */
	if (!proc_u64(path, &v) || v >= UINT64_C(1) << 60 || (l->found && v >= l->bytes))
		return;
	l->found = true;
	l->bytes = v;
	snprintf(l->dir, sizeof(l->dir), "%s", *dir ? dir : "/");
}

/* This process's cgroup of @controller ("": v2), "" for the root. */
static bool own_cgroup(const struct doctor *d, const char *controller, char *dir, size_t size)
{
	char path[600], line[512];
	bool ok = false;
	FILE *f;

	f = fopen(doctor_path(d, path, sizeof(path), "/proc/self/cgroup"), "re");
	while (f && !ok && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *at = list ? strchr(list + 1, ':') : NULL;

		if (!at)
			continue;
		*at++ = '\0';
		at[strcspn(at, "\n")] = '\0';
		ok = !strcmp(list + 1, controller);
		if (ok)
			snprintf(dir, size, "%s", strcmp(at, "/") ? at : "");
	}
	if (f)
		fclose(f);
	return ok;
}

/* @dir is cut down to "" on the way. */
static void climb(const struct doctor *d, const char *mount, char *dir, const char *file,
		  struct lowest *l)
{
	char at[512];

	snprintf(at, sizeof(at), "%s", dir);
	for (;;) {
		look_at(d, mount, at, file, l);
		if (!strrchr(at, '/'))
			return;
		*strrchr(at, '/') = '\0';
	}
}

/* Both hierarchies: a machine may have the controllers in either. */
static bool find_limits(const struct doctor *d, struct lowest *mem, struct lowest l[2])
{
	bool known = false;
	char dir[512];

	if (own_cgroup(d, "", dir, sizeof(dir))) {
		known = true;
		climb(d, "/sys/fs/cgroup", dir, "memory.max", mem);
		climb(d, "/sys/fs/cgroup", dir, "hugetlb.2MB.max", &l[0]);
		climb(d, "/sys/fs/cgroup", dir, "hugetlb.1GB.max", &l[1]);
	}
	if (own_cgroup(d, "memory", dir, sizeof(dir))) {
		known = true;
		climb(d, "/sys/fs/cgroup/memory", dir, "memory.limit_in_bytes", mem);
	}
	if (own_cgroup(d, "hugetlb", dir, sizeof(dir))) {
		climb(d, "/sys/fs/cgroup/hugetlb", dir, "hugetlb.2MB.limit_in_bytes", &l[0]);
		climb(d, "/sys/fs/cgroup/hugetlb", dir, "hugetlb.1GB.limit_in_bytes", &l[1]);
	}
	return known;
}

static json_t *limit_json(const struct lowest *l)
{
	return l->found ? json_integer((json_int_t)l->bytes) : json_null();
}

void check_cgroup(const struct doctor *d, struct finding *f)
{
	struct lowest mem = { 0 }, huge[2] = { { 0 }, { 0 } };
	char text[32];

	if (!find_limits(d, &mem, huge)) {
		doctor_warn(f, "in no cgroup that can be read; memory cgroups do not see hpbuf's pages");
		return;
	}
	f->value = json_pack("{s:o, s:o, s:o}", "memory_bytes", limit_json(&mem),
			     "hugetlb_2m_bytes", limit_json(&huge[0]), "hugetlb_1g_bytes",
			     limit_json(&huge[1]));
	if (mem.found) {
		doctor_warn(f, "%s of memory in %.80s: does not hold hpbuf's pages, which no memory cgroup sees",
			    out_bytes(text, mem.bytes), mem.dir);
		doctor_fix(f, "hold hpbuf by its parameter max_bytes and by memlock");
		return;
	}
	for (int i = 0; i < 2; i++) {
		if (!huge[i].found)
			continue;
		doctor_warn(f, "%s of hugetlb pages of %s in %.80s",
			    out_bytes(text, huge[i].bytes), i ? "1 GiB" : "2 MiB", huge[i].dir);
		doctor_fix(f, "raise it for hugetlb; hpbuf's pages are not under it");
		return;
	}
	doctor_ok(f, "no limit; memory cgroups do not see hpbuf's pages");
}
