// SPDX-License-Identifier: GPL-2.0-or-later
/* Huge pages: the CPU's, the kernel's switches and pools. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "doctor/doctor.h"
#include "measure/proc.h"

#define THP_DIR	"/sys/kernel/mm/transparent_hugepage"

void check_pages_1g(const struct doctor *d, struct finding *f)
{
	int has = doctor_cpu_flag(d, "pdpe1gb");

	if (has > 0) {
		doctor_ok(f, "the CPU has them (pdpe1gb)");
	} else if (!has) {
		doctor_warn(f, "the CPU has no 1 GiB pages; 2 MiB pages work");
		doctor_fix(f, "another CPU; of a virtual machine: -cpu host, or +pdpe1gb");
	} else {
		doctor_warn(f, "/proc/cpuinfo cannot be read");
	}
}

static bool switch_word(const struct doctor *d, const char *name, char *word, size_t size)
{
	char path[700];

	return proc_bracketed(doctor_path(d, path, sizeof(path), THP_DIR "/%s", name), word,
			      size);
}

void check_thp(const struct doctor *d, struct finding *f)
{
	char enabled[32], defrag[32] = "n/a", size_2m[32] = "inherit", own[64] = "";

	if (!switch_word(d, "enabled", enabled, sizeof(enabled))) {
		doctor_warn(f, "the kernel has none");
		doctor_fix(f, "a kernel with CONFIG_TRANSPARENT_HUGEPAGE");
		return;
	}
	switch_word(d, "defrag", defrag, sizeof(defrag));
	switch_word(d, "hugepages-2048kB/enabled", size_2m, sizeof(size_2m));
	f->value = json_pack("{s:s, s:s, s:s}", "enabled", enabled, "defrag", defrag,
			     "enabled_2m", size_2m);
	/* The switch of the size (kernel 6.8 and later) goes before the common one. */
	if (strcmp(size_2m, "inherit"))
		snprintf(own, sizeof(own), ", of 2 MiB %s", size_2m);
	if (!strcmp(strcmp(size_2m, "inherit") ? size_2m : enabled, "never")) {
		doctor_warn(f, "enabled %s%s: anon-thp cannot be had", enabled, own);
		doctor_fix(f, "echo madvise >" THP_DIR "/%senabled",
			   *own ? "hugepages-2048kB/" : "");
	} else {
		doctor_ok(f, "enabled %s%s, defrag %s", enabled, own, defrag);
	}
}

/* Handed on over fork and exec; 1: all off, 3: all but where madvise asks (6.18). */
void check_thp_process(const struct doctor *d, struct finding *f)
{
	int off = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);

	(void)d;
	if (off == 1) {
		doctor_fail(f, "switched off for this process and its children: no 1 GiB mappings");
		doctor_fix(f, "start from a parent that has not set PR_SET_THP_DISABLE");
	} else if (off > 1) {
		doctor_warn(f, "switched off for this process but where madvise asks");
		doctor_fix(f, "start from a parent that has not set PR_SET_THP_DISABLE");
	} else if (off < 0) {
		doctor_warn(f, "PR_GET_THP_DISABLE is not known to the kernel");
	} else {
		doctor_ok(f, "not switched off for this process");
	}
}

/* ".../node0/hugepages/hugepages-2048kB" as numbers, and its counters. */
static bool read_pool(const char *dir, unsigned int *node, unsigned long *kb, uint64_t *nr,
		      uint64_t *free)
{
	const char *at = strstr(dir, "/node/node");
	char path[700];

	if (!at || sscanf(at, "/node/node%u/hugepages/hugepages-%lukB", node, kb) != 2)
		return false;
	snprintf(path, sizeof(path), "%s/nr_hugepages", dir);
	if (!proc_u64(path, nr))
		return false;
	snprintf(path, sizeof(path), "%s/free_hugepages", dir);
	return proc_u64(path, free);
}

void check_hugetlb(const struct doctor *d, struct finding *f)
{
	char pattern[700], found[200] = "";
	uint64_t nr, free, all = 0;
	unsigned long kb;
	unsigned int node;
	glob_t g;

	doctor_path(d, pattern, sizeof(pattern),
		    "/sys/devices/system/node/node*/hugepages/hugepages-*kB");
	if (glob(pattern, 0, NULL, &g)) {
		doctor_warn(f, "the kernel has no pools");
		doctor_fix(f, "a kernel with CONFIG_HUGETLBFS");
		return;
	}
	f->value = json_array();
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (!read_pool(g.gl_pathv[i], &node, &kb, &nr, &free))
			continue;
		all += nr;
		json_array_append_new(f->value, json_pack("{s:i, s:I, s:I, s:I}", "node", node,
			"page_bytes", (json_int_t)(kb * 1024), "pages", (json_int_t)nr,
			"free", (json_int_t)free));
		snprintf(found + strlen(found), sizeof(found) - strlen(found),
			 "%snode %u %lu%c %llu/%llu", *found ? ", " : "", node,
			 kb >= 1 << 20 ? kb >> 20 : kb >> 10, kb >= 1 << 20 ? 'G' : 'M',
			 (unsigned long long)free, (unsigned long long)nr);
	}
	globfree(&g);
	if (all) {
		doctor_ok(f, "%s free", found);
	} else {
		doctor_warn(f, "%s free: hugetlb cannot be had", found);
		doctor_fix(f, "--reserve fills them for a run; for good: sysctl vm.nr_hugepages=N");
	}
}
