// SPDX-License-Identifier: GPL-2.0-only
#include "guest_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libhpbuf.h"

#define SETTLE_TRIES	3000	/* of 20 ms */

static void step(struct life *l, enum step s, uint64_t *from)
{
	uint64_t now = bench_ticks();

	l->ticks[s] = now - *from;
	l->has |= 1U << s;
	*from = bench_ticks();
}

/* One byte of every 4 KiB: what the first pass of a program over its memory costs. */
static void touch(volatile unsigned char *p, size_t bytes)
{
	size_t off;

	for (off = 0; off < bytes; off += 4096)
		p[off] = 1;
}

/* ---- hpbuf ---- */

struct pool_now {
	unsigned int shift;
	bool found;
	struct hpbuf_nl_pool pool;
};

static int match(const struct hpbuf_nl_pool *p, void *arg)
{
	struct pool_now *n = arg;

	if (p->node || p->page_shift != n->shift)
		return 0;
	n->pool = *p;
	n->found = true;
	return 0;
}

/* -EOPNOTSUPP: a module without a pool. -ETIMEDOUT: not settled in a minute. */
static int settle(struct hpbuf_nl *nl, unsigned int shift, struct hpbuf_nl_pool *pool)
{
	struct pool_now n = { .shift = shift };
	int i, ret;

	for (i = 0; i < SETTLE_TRIES; i++) {
		ret = hpbuf_nl_pools(nl, match, &n);
		if (ret)
			return ret;
		if (!n.found || !n.pool.has_want)
			return -EOPNOTSUPP;
		*pool = n.pool;
		if (!n.pool.filling && !n.pool.dirty)
			return 0;
		usleep(20000);
	}
	return -ETIMEDOUT;
}

/* So many pages are ready, and nothing is going on in the background. */
static int fill(unsigned int shift, uint64_t pages)
{
	struct hpbuf_nl_pool_set set = { .page_shift = shift, .want = pages, .has_min = true };
	struct hpbuf_nl_pool pool;
	struct hpbuf_nl *nl;
	int ret = hpbuf_nl_open(&nl);

	if (ret)
		return ret;
	ret = settle(nl, shift, &pool);
	if (!ret)
		ret = hpbuf_nl_pool_set(nl, &set);
	if (!ret)
		ret = settle(nl, shift, &pool);
	if (!ret && pool.ready != pages)
		ret = pool.has_error ? -(int)pool.error : -ENOMEM;
	hpbuf_nl_close(nl);
	return ret;
}

static int live_buffer(size_t bytes, unsigned int shift, struct life *l)
{
	struct hpbuf_alloc req = { .bytes = bytes, .page_shift = shift };
	int dev = hpbuf_open_device(NULL, NULL), ret;
	uint64_t from;
	void *p;

	if (dev < 0)
		return dev;
	from = bench_ticks();
	ret = hpbuf_alloc(dev, &req);
	step(l, STEP_ALLOC, &from);
	if (ret < 0)
		goto out;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, req.fd, 0);
	step(l, STEP_MAP, &from);
	ret = p == MAP_FAILED ? -errno : 0;
	if (ret)
		goto out;
	touch(p, bytes);
	step(l, STEP_TOUCH, &from);
	munmap(p, bytes);
	step(l, STEP_UNMAP, &from);
	close(req.fd);
	step(l, STEP_FREE, &from);
out:
	close(dev);
	return ret;
}

static int live_ready(size_t bytes, unsigned int shift, struct life *l)
{
	int ret = fill(shift, bytes >> shift), undone;

	if (!ret)
		ret = live_buffer(bytes, shift, l);
	undone = ret == -EOPNOTSUPP ? 0 : fill(shift, 0);
	return ret ? ret : undone;
}

/* A module without a pool is always cold. */
static int live_cold(size_t bytes, unsigned int shift, struct life *l)
{
	int ret = fill(shift, 0);

	return ret && ret != -EOPNOTSUPP ? ret : live_buffer(bytes, shift, l);
}

/* ---- hugetlb ---- */

static int set_hugetlb(unsigned int shift, uint64_t pages)
{
	char path[128], text[32];
	uint64_t got = 0;
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages",
		 1UL << (shift - 10));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)pages);
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	/* A write that succeeds says nothing. */
	if (!ret && pread(fd, text, sizeof(text) - 1, 0) > 0)
		got = strtoull(text, NULL, 10);
	close(fd);
	return ret || got == pages ? ret : -ENOMEM;
}

static int live_hugetlb(size_t bytes, unsigned int shift, struct life *l, uint64_t *from)
{
	void *p;

	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)(shift << MAP_HUGE_SHIFT), -1, 0);
	step(l, STEP_MAP, from);
	if (p == MAP_FAILED)
		return -errno;
	touch(p, bytes);
	step(l, STEP_TOUCH, from);
	munmap(p, bytes);
	step(l, STEP_UNMAP, from);
	return 0;
}

/* The pool was filled before; munmap() gives the pages back to it. */
static int live_filled(size_t bytes, unsigned int shift, struct life *l)
{
	int ret = set_hugetlb(shift, bytes >> shift), undone;
	uint64_t from = bench_ticks();

	if (!ret)
		ret = live_hugetlb(bytes, shift, l, &from);
	undone = set_hugetlb(shift, 0);
	return ret ? ret : undone;
}

/* The pages are taken from the system now, and given back to it. */
static int live_new(size_t bytes, unsigned int shift, struct life *l)
{
	uint64_t from;
	int ret, undone;

	set_hugetlb(shift, 0);
	from = bench_ticks();
	ret = set_hugetlb(shift, bytes >> shift);
	step(l, STEP_ALLOC, &from);
	if (!ret)
		ret = live_hugetlb(bytes, shift, l, &from);
	undone = set_hugetlb(shift, 0);
	step(l, STEP_FREE, &from);
	return ret ? ret : undone;
}

/* ---- anonymous ---- */

static int live_anonymous(size_t bytes, struct life *l, int advice)
{
	size_t huge = 2UL << 20;
	uint64_t from;
	char *all, *p;

	/* Whole huge pages at huge addresses, with and without. */
	from = bench_ticks();
	all = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return -errno;
	p = all + (-(uintptr_t)all & (huge - 1));
	madvise(all, bytes + huge, advice);
	step(l, STEP_MAP, &from);
	touch((unsigned char *)p, bytes);
	step(l, STEP_TOUCH, &from);
	munmap(all, bytes + huge);
	step(l, STEP_UNMAP, &from);
	return 0;
}

static int live_anon(size_t bytes, unsigned int shift, struct life *l)
{
	(void)shift;
	return live_anonymous(bytes, l, MADV_NOHUGEPAGE);
}

static int live_thp(size_t bytes, unsigned int shift, struct life *l)
{
	(void)shift;
	return live_anonymous(bytes, l, MADV_HUGEPAGE);
}

const struct kind kinds[] = {
	[READY] = { "hpbuf, ready pool", live_ready },
	[COLD] = { "hpbuf, cold", live_cold },
	[HUGETLB] = { "hugetlbfs, pool filled", live_filled },
	[HUGETLB_NEW] = { "hugetlbfs, at run time", live_new },
	[ANON] = { "anonymous, 4 KiB", live_anon },
	[ANON_THP] = { "anonymous, THP", live_thp },
};
