// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

bool proc_text(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	ok = fgets(buf, (int)size, f);
	fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

bool proc_u64(const char *path, uint64_t *value)
{
	char buf[64];

	return proc_text(path, buf, sizeof(buf)) && sscanf(buf, "%" SCNu64, value) == 1;
}

bool proc_bracketed(const char *path, char *buf, size_t size)
{
	char line[128], *open, *close;

	if (!proc_text(path, line, sizeof(line)))
		return false;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return false;
	*close = '\0';
	snprintf(buf, size, "%s", open + 1);
	return true;
}

bool proc_field(const char *path, const char *key, uint64_t *value)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(key);
	char line[256];
	bool ok = false;

	if (!f)
		return false;
	while (!ok && fgets(line, sizeof(line), f))
		ok = !strncmp(line, key, len) && sscanf(line + len, "%" SCNu64, value) == 1;
	fclose(f);
	return ok;
}

void proc_status(struct proc_status *s)
{
	struct {
		const char *key;
		int64_t *to;
	} const want[] = {
		{ "VmPTE:", &s->pte }, { "VmRSS:", &s->rss },
		{ "VmSwap:", &s->swap }, { "HugetlbPages:", &s->hugetlb },
	};
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];

	s->pte = s->rss = s->swap = s->hugetlb = -1;
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
			size_t len = strlen(want[i].key);

			if (!strncmp(line, want[i].key, len))
				*want[i].to = (int64_t)(strtoull(line + len, NULL, 10) * 1024);
		}
	}
	fclose(f);
}

static void smaps_line(struct proc_smaps *s, const char *line)
{
	struct {
		const char *key;
		uint64_t *to;
	} const sums[] = {
		{ "Rss:", &s->rss }, { "AnonHugePages:", &s->anon_huge },
		{ "ShmemPmdMapped:", &s->shmem_huge }, { "FilePmdMapped:", &s->file_huge },
		{ "Shared_Hugetlb:", &s->hugetlb }, { "Private_Hugetlb:", &s->hugetlb },
		{ "Swap:", &s->swap },
	};
	uint64_t kb;

	if (sscanf(line, "KernelPageSize: %" SCNu64, &kb) == 1) {
		if (!s->page || kb * 1024 < s->page)
			s->page = kb * 1024;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		size_t len = strlen(sums[i].key);

		if (!strncmp(line, sums[i].key, len))
			*sums[i].to += strtoull(line + len, NULL, 10) * 1024;
	}
}

bool proc_smaps(const void *addr, size_t len, struct proc_smaps *s)
{
	uint64_t start = (uintptr_t)addr, end = start + len;
	FILE *f = fopen("/proc/self/smaps", "re");
	bool inside = false;
	char line[512];

	memset(s, 0, sizeof(*s));
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		uint64_t a, b;
		char perm;

		/* The head of a mapping: hexadecimal, a dash, permissions. */
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %c", &a, &b, &perm) == 3) {
			inside = a < end && b > start;
			if (!inside)
				continue;
			if (a < start || b > end)
				s->loose = true;
			s->covered += (b < end ? b : end) - (a > start ? a : start);
		} else if (inside) {
			smaps_line(s, line);
		}
	}
	fclose(f);
	return true;
}
