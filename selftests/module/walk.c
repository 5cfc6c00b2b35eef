// SPDX-License-Identifier: GPL-2.0-only
/*
 * The leaf census of every kind of mapping, exact to the byte - and it touches
 * nothing.
 */
#include "hpbuf_test.h"

#include <libhpbuf.h>

#ifndef MADV_NOHUGEPAGE
#define MADV_NOHUGEPAGE	15
#endif

#define RW	(PROT_READ | PROT_WRITE)

FIXTURE(walk) {
	struct hpbuf_nl *nl;
	unsigned char *range;	/* 2 MiB-aligned, nothing is mapped there */
	size_t len;
};

FIXTURE_SETUP(walk)
{
	unsigned char *p;

	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	self->len = 32 * SZ_2M;
	p = mmap(NULL, self->len + SZ_2M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, munmap(p, self->len + SZ_2M));
	self->range = (unsigned char *)(((uintptr_t)p + SZ_2M - 1) & ~(SZ_2M - 1));
}

FIXTURE_TEARDOWN(walk)
{
	hpbuf_nl_close(self->nl);
}

static unsigned char *put(struct __test_metadata *_metadata, unsigned char *at, size_t len,
			  int prot, int advice)
{
	ASSERT_EQ(at, mmap(at, len, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			   -1, 0));
	if (advice) {
		ASSERT_EQ(0, madvise(at, len, advice));
	}
	return at;
}

#define EXPECT_CENSUS(addr, size, pte, pmd, pud) do {			\
	struct hpbuf_nl_walk _w;					\
									\
	ASSERT_EQ(0, hpbuf_nl_walk(self->nl, addr, size, &_w))		\
		TH_LOG("%s", hpbuf_nl_strerror(self->nl));		\
	EXPECT_EQ((uint64_t)(pte), _w.pte_bytes);			\
	EXPECT_EQ((uint64_t)(pmd), _w.pmd_bytes);			\
	EXPECT_EQ((uint64_t)(pud), _w.pud_bytes);			\
	EXPECT_EQ((uint64_t)(size) - (pte) - (pmd) - (pud), _w.none_bytes); \
	EXPECT_TRUE(_w.levels == 4 || _w.levels == 5);			\
	if ((pte) + (pmd) + (pud)) {					\
		EXPECT_NE(0, _w.table_bytes);				\
	}								\
	EXPECT_EQ(0, _w.table_bytes % SZ_4K);				\
} while (0)

/* Every second page of 4 KiB. */
TEST_F(walk, half_populated)
{
	unsigned char *p = put(_metadata, self->range, 8 * SZ_2M, RW, MADV_NOHUGEPAGE);
	size_t off;

	EXPECT_CENSUS(p, 8 * SZ_2M, 0, 0, 0);
	for (off = 0; off < 8 * SZ_2M; off += 2 * SZ_4K)
		p[off] = 1;
	EXPECT_CENSUS(p, 8 * SZ_2M, 4 * SZ_2M, 0, 0);
	/* parts, down to one page of each kind */
	EXPECT_CENSUS(p, SZ_4K, SZ_4K, 0, 0);
	EXPECT_CENSUS(p + SZ_4K, SZ_4K, 0, 0, 0);
	EXPECT_CENSUS(p + SZ_4K, 3 * SZ_4K, SZ_4K, 0, 0);
	EXPECT_CENSUS(p + SZ_2M - SZ_4K, 2 * SZ_4K, SZ_4K, 0, 0);
}

/* Looking must not fault anything in. */
TEST_F(walk, touches_nothing)
{
	unsigned char *p = put(_metadata, self->range, self->len, RW, MADV_NOHUGEPAGE), vec[512];
	struct rusage before, after;
	struct hpbuf_nl_walk w;
	int i;

	p[0] = 1;
	ASSERT_EQ(0, hpbuf_nl_walk(self->nl, p, self->len, &w));
	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, hpbuf_nl_walk(self->nl, p, self->len, &w));
	}
	getrusage(RUSAGE_SELF, &after);
	EXPECT_GE(before.ru_minflt + 5, after.ru_minflt);
	EXPECT_EQ(SZ_4K, w.pte_bytes);
	ASSERT_EQ(0, mincore(p, SZ_2M, vec));
	for (i = 1; i < 512; i++) {
		EXPECT_EQ(0, vec[i]);
	}
}

static bool thp_always(void)
{
	char text[64];

	return !hpt_read_text("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)) &&
		!strstr(text, "[never]");
}

/* Four huge pages of eight, then a part of one given back: it is split. */
TEST_F(walk, transparent_huge_pages)
{
	unsigned char *p = put(_metadata, self->range, 8 * SZ_2M, RW, MADV_HUGEPAGE);
	struct hpbuf_nl_walk w;
	int i;

	if (!thp_always())
		SKIP(return, "needs transparent huge pages, found never");
	for (i = 0; i < 4; i++)
		p[2 * i * SZ_2M + 77] = 1;
	ASSERT_EQ(0, hpbuf_nl_walk(self->nl, p, 8 * SZ_2M, &w));
	if (w.pmd_bytes != 4 * SZ_2M)
		SKIP(return, "needs 4 huge pages, found %llu bytes in them",
		     (unsigned long long)w.pmd_bytes);
	EXPECT_CENSUS(p, 8 * SZ_2M, 0, 4 * SZ_2M, 0);
	/* a part of a leaf counts with its part */
	EXPECT_CENSUS(p + SZ_4K, SZ_4K, 0, SZ_4K, 0);
	EXPECT_CENSUS(p + SZ_2M - SZ_4K, 2 * SZ_4K, 0, SZ_4K, 0);
	ASSERT_EQ(0, madvise(p, SZ_4K, MADV_DONTNEED));
	EXPECT_CENSUS(p, 8 * SZ_2M, SZ_2M - SZ_4K, 3 * SZ_2M, 0);
}

/* Two mappings with a gap, one of them without access. */
TEST_F(walk, two_mappings_and_a_gap)
{
	unsigned char *a = put(_metadata, self->range, SZ_2M, RW, MADV_NOHUGEPAGE);
	unsigned char *b = put(_metadata, self->range + 3 * SZ_2M, SZ_2M, RW, MADV_NOHUGEPAGE);
	size_t off;

	for (off = 0; off < SZ_2M; off += SZ_4K)
		a[off] = 1;
	for (off = 0; off < SZ_2M / 4; off += SZ_4K)
		b[off] = 1;
	EXPECT_CENSUS(a, 4 * SZ_2M, SZ_2M + SZ_2M / 4, 0, 0);
	EXPECT_CENSUS(a + SZ_2M, 2 * SZ_2M, 0, 0, 0);
}

/* The hardware finds no leaf where nothing may be read. */
TEST_F(walk, no_access)
{
	unsigned char *p = put(_metadata, self->range, SZ_2M, RW, MADV_NOHUGEPAGE);
	size_t off;

	for (off = 0; off < SZ_2M; off += SZ_4K)
		p[off] = 1;
	ASSERT_EQ(0, mprotect(p, SZ_2M / 2, PROT_NONE));
	EXPECT_CENSUS(p, SZ_2M, SZ_2M / 2, 0, 0);
	ASSERT_EQ(0, mprotect(p, SZ_2M / 2, PROT_READ));
	EXPECT_CENSUS(p, SZ_2M, SZ_2M, 0, 0);
}

TEST_F(walk, nothing_mapped)
{
	EXPECT_CENSUS(self->range, self->len, 0, 0, 0);
	EXPECT_CENSUS((void *)0, SZ_4K, 0, 0, 0);
}

/* The zero page is a leaf like any other. */
TEST_F(walk, zero_pages)
{
	unsigned char *p = put(_metadata, self->range, SZ_2M, RW, MADV_NOHUGEPAGE);
	volatile unsigned char sum = 0;
	size_t off;

	for (off = 0; off < SZ_2M; off += SZ_4K)
		sum += p[off];
	EXPECT_EQ(0, sum);
	EXPECT_CENSUS(p, SZ_2M, SZ_2M, 0, 0);
}

/* A hugetlb pool that is made larger for the test and put back. */
struct hugetlb {
	char path[96], was[32];
};

static bool hugetlb_grow(struct hugetlb *h, const char *size, long pages)
{
	char want[32], text[32];

	snprintf(h->path, sizeof(h->path), "/sys/kernel/mm/hugepages/hugepages-%s/nr_hugepages",
		 size);
	if (hpt_read_text(h->path, h->was, sizeof(h->was)))
		return false;
	snprintf(want, sizeof(want), "%ld", atol(h->was) + pages);
	return !hpt_write_text(h->path, want) && !hpt_read_text(h->path, text, sizeof(text)) &&
		atol(text) == atol(want);
}

static void hugetlb_put_back(const struct hugetlb *h)
{
	if (h->was[0])
		hpt_write_text(h->path, h->was);
}

static void *hugetlb_map(size_t len, int shift)
{
	return mmap(NULL, len, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | shift << 26, -1, 0);
}

TEST_F(walk, hugetlb_2m)
{
	struct hugetlb h = { .was = "" };
	unsigned char *p;

	if (!hugetlb_grow(&h, "2048kB", 2)) {
		hugetlb_put_back(&h);
		SKIP(return, "needs 2 hugetlb pages of 2 MiB more than %s", h.was);
	}
	p = hugetlb_map(2 * SZ_2M, 21);
	EXPECT_NE(MAP_FAILED, p);
	if (p != MAP_FAILED) {
		p[SZ_2M] = 1;
		EXPECT_CENSUS(p, 2 * SZ_2M, 0, SZ_2M, 0);
		munmap(p, 2 * SZ_2M);
	}
	hugetlb_put_back(&h);
}

TEST_F(walk, hpbuf)
{
	int dev = hpt_open(NULL), fd;
	struct hpbuf_alloc a;
	unsigned char *p;

	ASSERT_LE(0, dev);
	ASSERT_LE(0, hpt_alloc(dev, 3 * SZ_2M, HPBUF_SHIFT_2M, &a));
	/* The last page in another gigabyte, so that a fault there maps no other. */
	p = mmap((void *)(0x600000000000 + SZ_1G - 2 * SZ_2M), a.size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, a.fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	p[2 * SZ_2M] = 1;
	EXPECT_CENSUS(p, a.size, 0, SZ_2M, 0);
	EXPECT_CENSUS(p + 2 * SZ_2M - SZ_4K, 2 * SZ_4K, 0, SZ_4K, 0);
	munmap(p, a.size);
	EXPECT_CENSUS(p, a.size, 0, 0, 0);
	close(a.fd);

	fd = hpt_alloc_1g(dev, 1, &a);
	if (fd == -EBUSY || fd == -EOPNOTSUPP)
		SKIP(return, "needs a 1 GiB page, found: %s", strerror(-fd));
	ASSERT_LE(0, fd);
	p = hpt_map(fd, SZ_1G);
	ASSERT_NE(MAP_FAILED, p);
	p[0] = 1;
	EXPECT_CENSUS(p, SZ_1G, 0, 0, SZ_1G);
	EXPECT_CENSUS(p + SZ_1G / 2, SZ_4K, 0, 0, SZ_4K);
	EXPECT_CENSUS(p + SZ_4K, SZ_2M, 0, 0, SZ_2M);
	munmap(p, SZ_1G);
	EXPECT_CENSUS(p, SZ_1G, 0, 0, 0);
}

/* Tables are counted once each: one PTE table for 2 MiB of pages. */
TEST_F(walk, tables)
{
	unsigned char *p = put(_metadata, self->range, 2 * SZ_2M, RW, MADV_NOHUGEPAGE);
	struct hpbuf_nl_walk one, two;

	p[0] = 1;
	ASSERT_EQ(0, hpbuf_nl_walk(self->nl, p, SZ_2M, &one));
	p[SZ_2M] = 1;
	ASSERT_EQ(0, hpbuf_nl_walk(self->nl, p, 2 * SZ_2M, &two));
	EXPECT_LE(one.table_bytes + SZ_4K, two.table_bytes);
	EXPECT_GE(one.table_bytes + 4 * SZ_4K, two.table_bytes);
}

HPBUF_TEST_MAIN
