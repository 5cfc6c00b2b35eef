// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/small.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/proc.h"

#define THP_DIR		"/sys/kernel/mm/transparent_hugepage"
#define PFN_MASK	((UINT64_C(1) << 55) - 1)
#define PRESENT		(UINT64_C(1) << 63)
#define SAMPLES		8192

/*
 * Call fn for each hugepages-NkB directory but the one of whole PMDs: smaps and the
 * walk show those. False: there is none.
 */
static bool each_size(void (*fn)(const char *dir, void *arg), void *arg)
{
	DIR *d = opendir(THP_DIR);
	struct dirent *de;
	bool any = false;
	uint64_t pmd = 2 << 20;
	char path[512];

	proc_u64(THP_DIR "/hpage_pmd_size", &pmd);
	if (!d)
		return false;
	while ((de = readdir(d))) {
		if (strncmp(de->d_name, "hugepages-", 10) ||
		    strtoull(de->d_name + 10, NULL, 10) * 1024 == pmd)
			continue;
		any = true;
		snprintf(path, sizeof(path), THP_DIR "/%s", de->d_name);
		fn(path, arg);
	}
	closedir(d);
	return any;
}

static void add_allocs(const char *dir, void *arg)
{
	uint64_t *sum = arg, n;
	char path[600];

	snprintf(path, sizeof(path), "%s/stats/anon_fault_alloc", dir);
	if (proc_u64(path, &n))
		*sum += n;
}

bool small_allocs(uint64_t *count)
{
	*count = 0;
	return each_size(add_allocs, count);
}

static void any_enabled(const char *dir, void *arg)
{
	bool *possible = arg;
	char path[600], mode[32];

	snprintf(path, sizeof(path), "%s/enabled", dir);
	if (!proc_bracketed(path, mode, sizeof(mode)))
		return;
	if (!strcmp(mode, "inherit") &&
	    !proc_bracketed(THP_DIR "/enabled", mode, sizeof(mode)))
		return;
	if (strcmp(mode, "never"))
		*possible = true;
}

bool small_possible(void)
{
	bool possible = false;

	each_size(any_enabled, &possible);
	return possible;
}

/*
 * Look at the page flags of pages spread over the range. Returns the number of
 * pages that were looked at, *huge those of a compound page; -1: not allowed.
 */
static long look_at_pages(const void *addr, size_t len, long *huge)
{
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	int flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	size_t pages = len >> 12, step = pages / SAMPLES + 1;
	long seen = -1;

	*huge = 0;
	if (map < 0 || flags < 0)
		goto out;
	seen = 0;
	for (size_t i = 0; i < pages; i += step) {
		off_t at = (off_t)((((uintptr_t)addr >> 12) + i) * 8);
		uint64_t pm, kf;

		if (pread(map, &pm, 8, at) != 8 || !(pm & PRESENT))
			continue;
		/* Zero: the caller lacks CAP_SYS_ADMIN. */
		if (!(pm & PFN_MASK) ||
		    pread(flags, &kf, 8, (off_t)((pm & PFN_MASK) * 8)) != 8) {
			seen = -1;
			break;
		}
		seen++;
		if (kf & (UINT64_C(1) << KPF_COMPOUND_HEAD | UINT64_C(1) << KPF_COMPOUND_TAIL |
			  UINT64_C(1) << KPF_THP | UINT64_C(1) << KPF_HUGE))
			(*huge)++;
	}
out:
	if (map >= 0)
		close(map);
	if (flags >= 0)
		close(flags);
	return seen;
}

int small_verify(const void *addr, size_t len, uint64_t before, bool counted,
		 const char **how, struct hp_error *e)
{
	uint64_t after;
	long huge, seen = look_at_pages(addr, len, &huge);

	if (seen > 0 && huge)
		return hp_fail(e, HP_NOT_AS_ASKED, 0,
			       "the 4 KiB baseline holds huge pages: %ld of %ld pages looked at",
			       huge, seen);
	if (seen > 0) {
		*how = "page flags";
		return HP_OK;
	}
	if (!small_possible()) {
		*how = "smaller THP off";
		return HP_OK;
	}
	if (counted && small_allocs(&after) && after == before) {
		*how = "THP counters";
		return HP_OK;
	}
	hp_fail(e, HP_UNSUPPORTED, 0,
		"cannot verify that the 4 KiB baseline has no huge page: huge pages were taken meanwhile");
	return hp_hint(e, "run as root, so that the pages themselves can be looked at");
}
