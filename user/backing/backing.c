// SPDX-License-Identifier: GPL-2.0-or-later
#include "backing/backing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "array.h"
#include "measure/stop.h"

#ifndef PR_THP_DISABLE_EXCEPT_ADVISED
#define PR_THP_DISABLE_EXCEPT_ADVISED	(1 << 1)
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

static const struct backing_ops *const table[] = {
	&backing_anon_4k, &backing_anon_thp, &backing_hugetlb_2m, &backing_hugetlb_1g,
	&backing_hpbuf_2m, &backing_hpbuf_1g, &backing_hugetlbfs,
};

const char *const backing_names[] = {
	"anon-4k", "anon-thp", "hugetlb-2m", "hugetlb-1g", "hpbuf-2m", "hpbuf-1g", NULL,
};

static bool is_named(const struct backing_ops *ops, const char *text, const char **path)
{
	size_t len = strlen(ops->name);

	*path = "";
	if (ops->name[len - 1] != ':')
		return !strcmp(text, ops->name);
	*path = text + len;
	return !strncmp(text, ops->name, len) && **path;
}

int backing_parse(const char *text, struct backing *b, struct hp_error *e)
{
	const char *path;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (!is_named(table[i], text, &path))
			continue;
		memset(b, 0, sizeof(*b));
		if (strlen(path) >= sizeof(b->path))
			return hp_fail(e, HP_USAGE, ENAMETOOLONG, "path too long: \"%.60s...\"",
				       path);
		b->ops = table[i];
		b->page_shift = table[i]->page_shift;
		snprintf(b->label, sizeof(b->label), "%s", text);
		snprintf(b->path, sizeof(b->path), "%s", path);
		return HP_OK;
	}
	hp_fail(e, HP_USAGE, 0, "unknown backing \"%.60s\"", text);
	return hp_hint(e, "anon-4k anon-thp hugetlb-2m hugetlb-1g hugetlbfs:PATH hpbuf-2m hpbuf-1g");
}

bool backing_round(const struct backing *b, uint64_t asked, uint64_t *bytes)
{
	/* A huge THP array is what the program asked for, and the rest stays small. */
	uint64_t page = b->ops == &backing_anon_thp ? 4096 : backing_page(b);

	if (asked > (UINT64_C(1) << 63) - page)
		return false;
	*bytes = (asked + page - 1) & ~(page - 1);
	return true;
}

bool backing_census(const struct mapping *m, struct hpbuf_nl *nl, struct census *c)
{
	if (census_walk(c, nl, m->addr, m->bytes))
		return true;
	if (m->b->ops->census)
		return m->b->ops->census(m, c);
	return census_smaps(c, m->addr, m->bytes);
}

bool backing_place(const struct mapping *m, struct placement *p)
{
	if (m->b->ops->place)
		return m->b->ops->place(m, p);
	/* What was to be transparent huge pages may be small ones in part. */
	return placement_of(p, m->addr, m->bytes, m->b->ops->pool ? backing_page(m->b) : 4096);
}

int region_reserve(struct mapping *m, uint64_t align, struct hp_error *e)
{
	uint64_t need = m->bytes + 2 * align;
	uintptr_t start;
	void *p;

	p = mmap(NULL, need, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return hp_fail(e, HP_RESOURCE, errno, "no address space for %llu bytes: %s",
			       (unsigned long long)need, strerror(errno));
	/* At least one page of the region is left on either side. */
	start = ((uintptr_t)p + align) & ~(uintptr_t)(align - 1);
	m->region = p;
	m->region_bytes = need;
	m->addr = (unsigned char *)start;
	return HP_OK;
}

int region_release(struct mapping *m, struct hp_error *e)
{
	if (m->region && munmap(m->region, m->region_bytes))
		return hp_fail(e, HP_FAILED, errno, "munmap of %s: %s", m->b->label,
			       strerror(errno));
	m->region = NULL;
	m->addr = NULL;
	return HP_OK;
}

int populate_write(unsigned char *addr, uint64_t len, uint64_t chunk)
{
	while (len && !stop_pending()) {
		uint64_t n = len < chunk ? len : chunk;

		if (madvise(addr, n, MADV_POPULATE_WRITE)) {
			if (errno == EINTR)
				continue;
			return errno;
		}
		addr += n;
		len -= n;
	}
	return 0;
}

/* 1, and the flags that it was set with. */
bool thp_off_here(bool advised)
{
	int how = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);

	return how > 0 && !(advised && how & PR_THP_DISABLE_EXCEPT_ADVISED);
}
