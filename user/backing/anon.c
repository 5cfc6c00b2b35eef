// SPDX-License-Identifier: GPL-2.0-or-later
/* Anonymous memory: 4 KiB pages and nothing else, or transparent huge pages. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "array.h"
#include "backing/backing.h"
#include "measure/cgroup.h"
#include "measure/proc.h"
#include "measure/small.h"
#include "measure/stop.h"

#define THP_DIR		"/sys/kernel/mm/transparent_hugepage"
#define THP_ENABLED	THP_DIR "/enabled"
#define CHUNK		(UINT64_C(64) << 20)
#define ALIGN		(UINT64_C(2) << 20)

/* Whether the kernel would promise as much to anybody. */
static int check_commit(const struct backing *b, uint64_t bytes, struct hp_error *e)
{
	uint64_t mode = 0, limit = 0, used = 0;

	proc_u64("/proc/sys/vm/overcommit_memory", &mode);
	if (mode != 2 || !proc_field("/proc/meminfo", "CommitLimit:", &limit) ||
	    !proc_field("/proc/meminfo", "Committed_AS:", &used))
		return HP_OK;
	limit *= 1024;
	used *= 1024;
	if (used < limit && bytes <= limit - used)
		return HP_OK;
	hp_fail(e, HP_RESOURCE, ENOMEM,
		"%s: vm.overcommit_memory is 2: of %llu bytes that may be promised %llu are, needs %llu",
		b->label, (unsigned long long)limit, (unsigned long long)used,
		(unsigned long long)bytes);
	return hp_hint(e, "a higher vm.overcommit_ratio, or vm.overcommit_memory 0");
}

/* Address space, and writable private memory, that this process may have. */
static int check_rlimit(const struct backing *b, uint64_t bytes, struct hp_error *e)
{
	static const struct {
		int which;
		const char *name, *ulimit, *used;
	} limits[] = {
		{ RLIMIT_AS, "RLIMIT_AS", "-v", "VmSize:" },
		{ RLIMIT_DATA, "RLIMIT_DATA", "-d", "VmData:" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		uint64_t used = 0;
		struct rlimit lim;

		if (getrlimit(limits[i].which, &lim) || lim.rlim_cur == RLIM_INFINITY)
			continue;
		proc_field("/proc/self/status", limits[i].used, &used);
		used *= 1024;
		if (used < lim.rlim_cur && bytes <= lim.rlim_cur - used)
			continue;
		hp_fail(e, HP_RESOURCE, ENOMEM, "%s: %s is %llu bytes, used %llu, needs %llu",
			b->label, limits[i].name, (unsigned long long)lim.rlim_cur,
			(unsigned long long)used, (unsigned long long)bytes);
		return hp_hint(e, "ulimit %s unlimited", limits[i].ulimit);
	}
	return HP_OK;
}

/* Beyond its limit the kernel does not refuse, but kill. */
static int check_group(const struct backing *b, uint64_t bytes, struct hp_error *e)
{
	struct cgroup_limit l;

	if (!cgroup_memory(&l) || bytes <= cgroup_room(&l))
		return HP_OK;
	hp_fail(e, HP_RESOURCE, ENOMEM,
		"%s: limited by the memory cgroup %s: limit %llu bytes, used %llu, needs %llu",
		b->label, l.dir, (unsigned long long)l.bytes, (unsigned long long)l.used,
		(unsigned long long)bytes);
	return hp_hint(e, "a smaller --size, or a higher limit of the container or service");
}

/*
 * What makes mmap() fail with ENOMEM and does not say which it was, or the program
 * end without a word. @asked is 0 when
 * the size is not known yet.
 */
static int check_promise(const struct backing *b, uint64_t asked, struct hp_error *e)
{
	uint64_t bytes;

	if (!backing_round(b, asked, &bytes) || !bytes)
		return HP_OK;
	if (check_commit(b, bytes, e) || check_rlimit(b, bytes, e))
		return e->code;
	return check_group(b, bytes, e);
}

static int probe_4k(struct backing *b, uint64_t asked, struct hp_error *e)
{
	return check_promise(b, asked, e);
}

/*
 * The switch that decides on whole PMDs: from kernel 6.8 on that of their size, which
 * may say "inherit", and before it the only one.
 */
static bool read_switch(char *path, size_t size, char *mode, size_t mode_size)
{
	uint64_t pmd = ALIGN;

	proc_u64(THP_DIR "/hpage_pmd_size", &pmd);
	snprintf(path, size, THP_DIR "/hugepages-%llukB/enabled", (unsigned long long)pmd >> 10);
	if (proc_bracketed(path, mode, mode_size) && strcmp(mode, "inherit"))
		return true;
	snprintf(path, size, THP_ENABLED);
	return proc_bracketed(path, mode, mode_size);
}

static int probe_thp(struct backing *b, uint64_t asked, struct hp_error *e)
{
	char mode[32], path[128];

	/* madvise() succeeds all the same, and nothing becomes huge. */
	if (thp_off_here(true)) {
		hp_fail(e, HP_UNSUPPORTED, 0,
			"%s: transparent huge pages are switched off for this process (PR_SET_THP_DISABLE, inherited from a parent)",
			b->label);
		return hp_hint(e, "start hpctl from a process that did not switch them off; a service manager or runtime may have");
	}
	if (!read_switch(path, sizeof(path), mode, sizeof(mode)))
		return hp_fail(e, HP_UNSUPPORTED, 0,
			       "%s: this kernel has no transparent huge pages", b->label);
	if (!strcmp(mode, "never")) {
		hp_fail(e, HP_UNSUPPORTED, 0, "%s: %s is \"never\"", b->label, path);
		return hp_hint(e, "echo madvise > %s", path);
	}
	return check_promise(b, asked, e);
}

static int map_anon(struct mapping *m, int advice, struct hp_error *e)
{
	int ret = region_reserve(m, ALIGN, e);

	if (ret)
		return ret;
	if (mmap(m->addr, m->bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		ret = hp_fail(e, HP_RESOURCE, errno, "%s: mmap of %llu bytes: %s", m->b->label,
			      (unsigned long long)m->bytes, strerror(errno));
		goto err;
	}
	/* EINVAL: a kernel without THP, where there is nothing to switch. */
	if (madvise(m->addr, m->bytes, advice) &&
	    !(errno == EINVAL && advice == MADV_NOHUGEPAGE)) {
		ret = hp_fail(e, HP_UNSUPPORTED, errno, "%s: madvise: %s", m->b->label,
			      strerror(errno));
		goto err;
	}
	return HP_OK;
err:
	munmap(m->region, m->region_bytes);
	m->region = NULL;
	return ret;
}

static void note_4k(struct mapping *m)
{
	m->thp_counted = small_allocs(&m->thp_before);
}

/*
 * On its own range, not by prctl(): that would take the 1 GiB leaves from
 * buffers of the module in the same process.
 */
static int map_4k(struct mapping *m, struct hp_error *e)
{
	return map_anon(m, MADV_NOHUGEPAGE, e);
}

static int map_thp(struct mapping *m, struct hp_error *e)
{
	return map_anon(m, MADV_HUGEPAGE, e);
}

static int populate_anon(const struct mapping *m, unsigned char *addr, uint64_t len,
			 struct hp_error *e)
{
	int err = populate_write(addr, len, CHUNK);

	if (err == EINVAL) {
		/* Before 5.14. A shortage of anonymous memory is the OOM killer's. */
		for (uint64_t at = 0; at < len && !stop_pending(); at += 4096)
			*(volatile unsigned char *)(addr + at) = 1;
		err = 0;
	}
	if (err)
		return hp_fail(e, HP_RESOURCE, err, "%s: out of memory while faulting in: %s",
			       m->b->label, strerror(err));
	return HP_OK;
}

static int verify_4k(const struct mapping *m, const char **how, struct hp_error *e)
{
	return small_verify(m->addr, m->bytes, m->thp_before, m->thp_counted, how, e);
}

const struct backing_ops backing_anon_4k = {
	.name = "anon-4k",
	.page_shift = 12,
	.probe = probe_4k,
	.note = note_4k,
	.map = map_4k,
	.populate = populate_anon,
	.verify = verify_4k,
	.unmap = region_release,
};

const struct backing_ops backing_anon_thp = {
	.name = "anon-thp",
	.page_shift = 21,
	.probe = probe_thp,
	.map = map_thp,
	.populate = populate_anon,
	.unmap = region_release,
};
