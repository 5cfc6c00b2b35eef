/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What alloc_2m.c and alloc_1g.c check alike.
 */
#ifndef HPBUF_ALLOC_TEST_H
#define HPBUF_ALLOC_TEST_H

#include "hpbuf_test.h"

#include <libhpbuf.h>

#define SALT	0xa110cULL

FIXTURE(alloc) {
	int dev;
};

FIXTURE_SETUP(alloc)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
}

FIXTURE_TEARDOWN(alloc)
{
	close(self->dev);
}

#define NEED_1G(dev) do {						\
	struct hpbuf_caps _c;						\
									\
	ASSERT_EQ(0, hpt_caps(dev, &_c));				\
	if (!(_c.page_shifts & SZ_1G))					\
		SKIP(return, "needs a CPU with 1 GiB pages, found page_shifts 0x%llx", \
		     (unsigned long long)_c.page_shifts);		\
} while (0)

#define NEED_ROOM(dev, bytes) do {					\
	struct hpbuf_caps _c;						\
									\
	ASSERT_EQ(0, hpt_caps(dev, &_c));				\
	if (_c.max_bytes - _c.used_bytes < (bytes))			\
		SKIP(return, "needs %lu bytes under max_bytes, found %llu of %llu used", \
		     (unsigned long)(bytes), (unsigned long long)_c.used_bytes, \
		     (unsigned long long)_c.max_bytes);			\
} while (0)

/* The two witnesses of how it is mapped must agree: INFO and netlink's walk. */
static void check_leaves(struct __test_metadata *_metadata, int fd, void *p,
			 uint64_t size, unsigned int shift, uint64_t mapped)
{
	struct hpbuf_nl_walk w;
	struct hpbuf_info i;
	struct hpbuf_nl *nl;

	ASSERT_EQ(0, hpt_info(fd, &i));
	EXPECT_EQ(0, i.leaf_bytes_pte);
	EXPECT_EQ(shift == HPBUF_SHIFT_2M ? mapped : 0, i.leaf_bytes_pmd);
	EXPECT_EQ(shift == HPBUF_SHIFT_1G ? mapped : 0, i.leaf_bytes_pud);
	EXPECT_EQ(size - mapped, i.leaf_bytes_none);

	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, hpbuf_nl_walk(nl, p, size, &w))
		TH_LOG("walk: %s", hpbuf_nl_strerror(nl));
	hpbuf_nl_close(nl);
	EXPECT_EQ(0, w.pte_bytes);
	EXPECT_EQ(i.leaf_bytes_pmd, w.pmd_bytes);
	EXPECT_EQ(i.leaf_bytes_pud, w.pud_bytes);
	EXPECT_EQ(i.leaf_bytes_none, w.none_bytes);
}

static void check_info(struct __test_metadata *_metadata, const struct hpbuf_alloc *a,
		       uint64_t asked, unsigned int shift, unsigned int pages)
{
	unsigned int n, on_nodes = 0;
	struct hpbuf_info i;

	ASSERT_EQ(0, hpt_info(a->fd, &i));
	EXPECT_EQ(a->id, i.id);
	EXPECT_EQ(shift, i.page_shift);
	EXPECT_EQ(0, i.flags & ~HPBUF_INFO_ZERO_NS);
	EXPECT_EQ(geteuid(), i.uid);
	EXPECT_EQ(asked, i.asked);
	EXPECT_EQ((uint64_t)pages << shift, i.size);
	EXPECT_STREQ("", i.name);
	EXPECT_NE(0, i.created_ns);
	EXPECT_NE(0, i.alloc_ns);
	EXPECT_LE(i.scan_ns + i.migrate_ns + i.zero_ns, i.alloc_ns);
	/* The thread that got them, and at most seven that helped it. */
	EXPECT_LT(0, i.thread_ns);
	EXPECT_GE(8 * i.alloc_ns, i.thread_ns);
	EXPECT_EQ(0, i.faults);
	EXPECT_EQ(0, i.mappings);
	EXPECT_EQ(1, i.opens);
	for (n = 0; n < HPBUF_INFO_NODES; n++)
		on_nodes += i.node_pages[n];
	EXPECT_EQ(pages, on_nodes);
}

/* Map, touch every page once by writing, and count faults and leaves. */
static void check_buffer(struct __test_metadata *_metadata, int dev, uint64_t asked,
			 unsigned int shift, unsigned int pages)
{
	uint64_t size = (uint64_t)pages << shift, used = hpt_used(dev);
	struct hpbuf_alloc a;
	struct hpbuf_info i;
	unsigned char *p;
	int ret = hpt_alloc(dev, asked, shift, &a);

	/* One gigabyte is there after boot; that a second one is, no one says. */
	if (ret == -EBUSY && shift == HPBUF_SHIFT_1G && pages > 1)
		SKIP(return, "needs %u free pieces of 1 GiB, found fewer", pages);
	ASSERT_LE(0, ret)
		TH_LOG("alloc: %s", strerror(-ret));
	ASSERT_EQ(size, a.size);
	EXPECT_NE(0, a.id);
	EXPECT_EQ(used + size, hpt_used(dev));
	check_info(_metadata, &a, asked, shift, pages);

	p = hpt_map(a.fd, size);
	ASSERT_NE(MAP_FAILED, p)
		TH_LOG("mmap: %s", strerror(errno));
	EXPECT_EQ(0, (uintptr_t)p & ((1UL << shift) - 1));
	check_leaves(_metadata, a.fd, p, size, shift, 0);

	p[0] = 1;
	check_leaves(_metadata, a.fd, p, size, shift, hpt_one_fault(p, size, p, 1UL << shift));
	p[0] = 0;
	hpt_stamp(p, size, SALT);
	EXPECT_EQ(-1, hpt_check(p, size, SALT));
	check_leaves(_metadata, a.fd, p, size, shift, size);

	ASSERT_EQ(0, hpt_info(a.fd, &i));
	EXPECT_EQ(hpt_faults(p, size, 1UL << shift), i.faults);
	EXPECT_EQ(1, i.mappings);
	EXPECT_LE(i.fault_max_ns, i.fault_ns);

	EXPECT_EQ(0, munmap(p, size));
	close(a.fd);
	EXPECT_TRUE(hpt_used_becomes(dev, used));
}

static void alloc_and_drop(struct __test_metadata *_metadata, int dev, uint64_t bytes,
			   unsigned int shift)
{
	struct hpbuf_alloc a;
	unsigned char *p;

	ASSERT_LE(0, hpt_alloc(dev, bytes, shift, &a))
		TH_LOG("alloc: %s", strerror(errno));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	hpt_stamp(p, a.size, SALT);
	EXPECT_EQ(0, munmap(p, a.size));
	close(a.fd);
}

static void check_returned(struct __test_metadata *_metadata, int dev, uint64_t bytes,
			   unsigned int shift)
{
	struct freemem before;
	int i;

	alloc_and_drop(_metadata, dev, bytes, shift);	/* caches are warm now */
	freemem_read(&before);
	for (i = 0; i < 3; i++)
		alloc_and_drop(_metadata, dev, bytes, shift);
	EXPECT_TRUE(freemem_is_back(&before));
}

static void check_zero_again(struct __test_metadata *_metadata, int dev, uint64_t bytes,
			     unsigned int shift, size_t stride)
{
	struct hpbuf_alloc a;
	unsigned char *p;

	alloc_and_drop(_metadata, dev, bytes, shift);
	ASSERT_LE(0, hpt_alloc(dev, bytes, shift, &a))
		TH_LOG("alloc: %s", strerror(errno));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, hpt_nonzero(p, a.size, stride));
	munmap(p, a.size);
	close(a.fd);
}

static void check_remaps(struct __test_metadata *_metadata, int dev, uint64_t bytes,
			 unsigned int shift, int rounds)
{
	struct hpbuf_alloc a;
	unsigned char *p;
	int i;

	ASSERT_LE(0, hpt_alloc(dev, bytes, shift, &a))
		TH_LOG("alloc: %s", strerror(errno));
	for (i = 0; i < rounds; i++) {
		p = hpt_map(a.fd, a.size);
		ASSERT_NE(MAP_FAILED, p);
		if (!i)
			hpt_stamp(p, a.size, SALT);
		ASSERT_EQ(hpt_mark(0, SALT), *(uint64_t *)p);
		ASSERT_EQ(hpt_mark(~(a.size - SZ_4K), SALT), *(uint64_t *)(p + a.size - 8));
		if (i == rounds - 1) {
			EXPECT_EQ(-1, hpt_check(p, a.size, SALT));
		}
		ASSERT_EQ(0, munmap(p, a.size));
	}
	close(a.fd);
}

#endif
