// SPDX-License-Identifier: GPL-2.0-or-later
/* Anonymous memory: 4 KiB pages and nothing else, or transparent huge pages. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "backing/backing.h"
#include "measure/proc.h"
#include "measure/small.h"
#include "measure/stop.h"

#define THP_ENABLED	"/sys/kernel/mm/transparent_hugepage/enabled"
#define CHUNK		(UINT64_C(64) << 20)
#define ALIGN		(UINT64_C(2) << 20)

static int probe_4k(struct backing *b, uint64_t asked, struct hp_error *e)
{
	(void)b;
	(void)asked;
	(void)e;
	return HP_OK;
}

static int probe_thp(struct backing *b, uint64_t asked, struct hp_error *e)
{
	char mode[32];

	(void)asked;
	/* madvise() succeeds all the same, and nothing becomes huge. */
	if (thp_off_here()) {
		hp_fail(e, HP_UNSUPPORTED, 0,
			"%s: transparent huge pages are switched off for this process (PR_SET_THP_DISABLE, inherited from a parent)",
			b->label);
		return hp_hint(e, "start hpctl from a process that did not switch them off; a service manager or runtime may have");
	}
	if (!proc_bracketed(THP_ENABLED, mode, sizeof(mode)))
		return hp_fail(e, HP_UNSUPPORTED, 0,
			       "%s: this kernel has no transparent huge pages", b->label);
	if (!strcmp(mode, "never")) {
		hp_fail(e, HP_UNSUPPORTED, 0, "%s: %s is \"never\"", b->label, THP_ENABLED);
		return hp_hint(e, "echo madvise > %s", THP_ENABLED);
	}
	return HP_OK;
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
