/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of every kind for the tests of page walks, got and given back. */
#ifndef HPBUF_WALK_MEMORY_H
#define HPBUF_WALK_MEMORY_H

#include "hpbuf_test.h"

#include <linux/mman.h>

#define RW	(PROT_READ | PROT_WRITE)
#define POOL	"/sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages"

struct memory {
	unsigned char *p;
	size_t len;
	int dev, fd;
	unsigned long pool_size, pool_was;
};

static inline void *aligned_hole(size_t len, size_t align)
{
	unsigned char *p = mmap(NULL, len + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || munmap(p, len + align))
		return NULL;
	return (void *)(((uintptr_t)p + align - 1) & ~(align - 1));
}

static inline int get_anon(struct memory *m, int advice)
{
	m->p = aligned_hole(m->len, SZ_2M);
	if (!m->p || mmap(m->p, m->len, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			  -1, 0) != m->p)
		return -errno;
	madvise(m->p, m->len, advice);
	return 0;
}

/* Pages of the pool; an empty one is filled for the time of the test. */
static inline int get_hugetlb(struct memory *m, unsigned int shift)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), POOL, (1UL << shift) >> 10);
	if (hpt_read_text(path, text, sizeof(text)))
		return -EOPNOTSUPP;
	m->pool_size = 1UL << shift;
	m->pool_was = strtoul(text, NULL, 10);
	snprintf(text, sizeof(text), "%zu", m->pool_was + (m->len >> shift));
	hpt_write_text(path, text);
	m->p = mmap(NULL, m->len, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
		    (int)shift << MAP_HUGE_SHIFT, -1, 0);
	return m->p == MAP_FAILED ? -errno : 0;
}

static inline int get_hpbuf(struct memory *m, unsigned int shift)
{
	struct hpbuf_alloc a;

	m->dev = hpt_open(NULL);
	m->fd = hpt_alloc(m->dev, m->len, shift, &a);
	if (m->fd < 0)
		return m->fd;
	m->p = hpt_map(m->fd, m->len);
	return m->p == MAP_FAILED ? -errno : 0;
}

static inline void put_memory(struct memory *m)
{
	char path[96], text[32];

	if (m->p && m->p != MAP_FAILED)
		munmap(m->p, m->len);
	if (m->fd >= 0)
		close(m->fd);
	if (m->dev >= 0)
		close(m->dev);
	if (m->pool_size) {
		snprintf(path, sizeof(path), POOL, m->pool_size >> 10);
		snprintf(text, sizeof(text), "%lu", m->pool_was);
		hpt_write_text(path, text);
	}
}

#endif
