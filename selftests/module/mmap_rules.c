// SPDX-License-Identifier: GPL-2.0-only
/*
 * What mmap() of a buffer refuses, and with which errno (C20).
 */
#include "buf_fixture.h"

#define RW	(PROT_READ | PROT_WRITE)

static long map_errno(void *p)
{
	return p == MAP_FAILED ? -errno : 0;
}

static void *at(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return mmap(addr, len, prot, flags, fd, off);
}

/* -0 is allowed. */
#define EXPECT_MMAP(err, ...) EXPECT_EQ(-(long)(err), map_errno(at(__VA_ARGS__)))

/* An address range of that many pages that is free and aligned. */
static unsigned char *free_range(size_t page, size_t pages)
{
	size_t len = (pages + 1) * page;
	unsigned char *p = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
				MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	munmap(p, len);
	return (unsigned char *)(((uintptr_t)p + page - 1) & ~(page - 1));
}

static int read_only_fd(struct __test_metadata *_metadata, FIXTURE_DATA(buf) *self)
{
	struct hpbuf_info info;
	int fd;

	ASSERT_EQ(0, hpt_info(self->fd, &info));
	fd = hpt_open_id(self->dev, info.id, HPBUF_OPEN_RDONLY);
	ASSERT_LE(0, fd);
	return fd;
}

TEST_F(buf, protections_of_a_writable_descriptor)
{
	int fd = self->fd;
	size_t n = self->page;

	EXPECT_MMAP(0, NULL, n, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT_MMAP(0, NULL, n, RW, MAP_SHARED, fd, 0);
	EXPECT_MMAP(0, NULL, n, PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT_MMAP(0, NULL, n, PROT_NONE, MAP_SHARED, fd, 0);
	EXPECT_MMAP(EPERM, NULL, n, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	EXPECT_MMAP(EPERM, NULL, n, RW | PROT_EXEC, MAP_SHARED, fd, 0);
	EXPECT_MMAP(EPERM, NULL, n, PROT_EXEC, MAP_SHARED, fd, 0);
	EXPECT_MMAP(EINVAL, NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT_MMAP(EINVAL, NULL, n, RW, MAP_PRIVATE, fd, 0);
	EXPECT_INTACT();
}

TEST_F(buf, protections_of_a_read_only_descriptor)
{
	int fd = read_only_fd(_metadata, self);
	size_t n = self->page;

	EXPECT_MMAP(0, NULL, n, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT_MMAP(EACCES, NULL, n, RW, MAP_SHARED, fd, 0);
	EXPECT_MMAP(EACCES, NULL, n, PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT_MMAP(EINVAL, NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT_MMAP(EINVAL, NULL, n, RW, MAP_PRIVATE, fd, 0);
	EXPECT_MMAP(EPERM, NULL, n, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
}

/* What mmap() refused, mprotect() does not give. */
TEST_F(buf, no_more_by_mprotect)
{
	int fd = read_only_fd(_metadata, self);
	unsigned char *q, val;

	q = mmap(NULL, self->page, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, q);
	EXPECT_EQ(0, hpt_peek(q, &val));
	EXPECT_NE(0, mprotect(q, self->page, RW));
	EXPECT_TRUE(errno == EACCES || (errno == EINVAL && self->page == SZ_1G))
		TH_LOG("%s", strerror(errno));
	EXPECT_EQ(SIGSEGV, hpt_poke(q, 0xff));
	EXPECT_NE(0, mprotect(q, self->page, PROT_READ | PROT_EXEC));
	munmap(q, self->page);
	EXPECT_NE(0, mprotect(self->p, self->page, RW | PROT_EXEC));
	EXPECT_INTACT();
}

TEST_F(buf, no_access_means_none)
{
	unsigned char *q = mmap(NULL, self->page, PROT_NONE, MAP_SHARED, self->fd, 0), val;

	ASSERT_NE(MAP_FAILED, q);
	EXPECT_EQ(SIGSEGV, hpt_peek(q, &val));
	EXPECT_EQ(SIGSEGV, hpt_poke(q + self->page - 1, 1));
	munmap(q, self->page);
	q = mmap(NULL, self->page, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, q);
	EXPECT_EQ(0, hpt_peek(q + 4096, &val));
	EXPECT_EQ(SIGSEGV, hpt_poke(q + 4096, 1));
	munmap(q, self->page);
	EXPECT_INTACT();
}

/* MAP_FIXED is refused, and what was there before stays. */
TEST_F(buf, map_fixed)
{
	unsigned char *q = free_range(self->page, 1);

	ASSERT_NE(NULL, q);
	EXPECT_MMAP(EINVAL, q, self->page, RW, MAP_SHARED | MAP_FIXED, self->fd, 0);
	ASSERT_EQ(q, mmap(q, SZ_4K, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			  -1, 0));
	*q = 0x5a;
	EXPECT_MMAP(EINVAL, q, self->page, RW, MAP_SHARED | MAP_FIXED, self->fd, 0);
	EXPECT_EQ(0x5a, *q);
	EXPECT_MMAP(EINVAL, self->p, self->page, RW, MAP_SHARED | MAP_FIXED, self->fd, 0);
	EXPECT_INTACT();
}

TEST_F(buf, map_fixed_noreplace)
{
	int flags = MAP_SHARED | MAP_FIXED_NOREPLACE;
	unsigned char *q = free_range(self->page, 2);

	ASSERT_NE(NULL, q);
	EXPECT_MMAP(EINVAL, q + SZ_4K, self->page, RW, flags, self->fd, 0);
	EXPECT_MMAP(EINVAL, q + self->page / 2, self->page, RW, flags, self->fd, 0);
	ASSERT_EQ(q, mmap(q, self->page, RW, flags, self->fd, 0))
		TH_LOG("%s", strerror(errno));
	EXPECT_EQ(hpt_mark(0, BUF_SALT), *(uint64_t *)q);
	EXPECT_MMAP(EEXIST, q, self->page, RW, flags, self->fd, 0);
	EXPECT_MMAP(EEXIST, self->p, self->page, RW, flags, self->fd, 0);
	munmap(q, self->page);
	EXPECT_INTACT();
}

/* A hint may be followed or not: the mapping is aligned and whole. */
TEST_F(buf, hints)
{
	unsigned char *range = free_range(self->page, 2);
	void *hints[] = {
		range, range + SZ_4K, range + self->page - SZ_4K, self->p, self->p + SZ_4K,
		(void *)1, (void *)SZ_4K, (void *)(-1UL << 12), (void *)(1UL << 46),
		(void *)((1UL << 47) - SZ_4K), (void *)(1UL << 52), (void *)&hints,
	};
	unsigned char *q;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hints); i++) {
		q = mmap(hints[i], self->page, RW, MAP_SHARED, self->fd, 0);
		ASSERT_NE(MAP_FAILED, q)
			TH_LOG("hint %p: %s", hints[i], strerror(errno));
		EXPECT_EQ(0, (uintptr_t)q & (self->page - 1))
			TH_LOG("hint %p", hints[i]);
		EXPECT_EQ(hpt_mark(0, BUF_SALT), *(uint64_t *)q);
		munmap(q, self->page);
	}
	EXPECT_INTACT();
}

TEST_F(buf, offsets)
{
	size_t n = self->page;
	off_t bad[] = { SZ_4K, n / 2, n - SZ_4K, n + SZ_4K };
	unsigned char *q;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_MMAP(EINVAL, NULL, n, RW, MAP_SHARED, self->fd, bad[i]);
	}

	q = mmap(NULL, n, RW, MAP_SHARED, self->fd, self->size - n);
	ASSERT_NE(MAP_FAILED, q);
	EXPECT_EQ(0, memcmp(q, self->p + self->size - n, SZ_4K));
	EXPECT_EQ(0, memcmp(q + n - SZ_4K, self->p + self->size - SZ_4K, SZ_4K));
	q[8] = 0x77;
	EXPECT_EQ(0x77, self->p[self->size - n + 8]);
	q[8] = 0;
	munmap(q, n);
	EXPECT_INTACT();
}

TEST_F(buf, beyond_the_end)
{
	size_t n = self->page;
	off_t far[] = { self->size, self->size + n, 1L << 40, 1L << 62,
			(off_t)(-1UL << 31 & ~(1UL << 63)) };
	unsigned int i;

	EXPECT_NE(0, map_errno(at(NULL, self->size + n, RW, MAP_SHARED, self->fd, 0)));
	EXPECT_NE(0, map_errno(at(NULL, self->size, RW, MAP_SHARED, self->fd, n)));
	EXPECT_NE(0, map_errno(at(NULL, 1UL << 46, RW, MAP_SHARED, self->fd, 0)));
	for (i = 0; i < ARRAY_SIZE(far); i++) {
		EXPECT_NE(0, map_errno(at(NULL, n, RW, MAP_SHARED, self->fd, far[i])))
			TH_LOG("offset %#lx", (long)far[i]);
	}
	EXPECT_INTACT();
}

TEST_F(buf, lengths)
{
	size_t n = self->page, bad[] = { SZ_4K, n / 2, n - SZ_4K, n + SZ_4K };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_MMAP(EINVAL, NULL, bad[i], RW, MAP_SHARED, self->fd, 0);
	}
	EXPECT_MMAP(EINVAL, NULL, 0, RW, MAP_SHARED, self->fd, 0);
	EXPECT_INTACT();
}

/* munmap() rounds an odd length up to 4 KiB: still a part of a page (C06). */
TEST_F(buf, munmap_of_what_was_asked)
{
	EXPECT_EQ(-EINVAL, hpt_errno(munmap(self->p, self->size - self->page + 1)));
	EXPECT_EQ(-EINVAL, hpt_errno(munmap(self->p, self->size - SZ_4K)));
	EXPECT_INTACT();
	EXPECT_EQ(0, munmap(self->p, self->size));
}

/* Flags that ask for more than a plain mapping: refused, or all is well. */
TEST_F(buf, other_flags)
{
	static const int flags[] = {
		MAP_LOCKED, MAP_NORESERVE, MAP_POPULATE, MAP_NONBLOCK | MAP_POPULATE,
		MAP_STACK, MAP_HUGETLB, MAP_HUGETLB | 21 << 26, MAP_HUGETLB | 30 << 26,
		MAP_GROWSDOWN, MAP_32BIT, 0x080000 /* MAP_SYNC */,
	};
	unsigned char *q, val;
	unsigned int i;
	int sig;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		q = mmap(NULL, self->page, RW, MAP_SHARED | flags[i], self->fd, 0);
		if (q == MAP_FAILED)
			continue;
		EXPECT_EQ(0, (uintptr_t)q & (self->page - 1))
			TH_LOG("flags %#x", flags[i]);
		sig = hpt_peek(q, &val);
		EXPECT_EQ(0, sig)
			TH_LOG("flags %#x: mapped, and signal %d at the first touch",
			       flags[i], sig);
		if (!sig) {
			EXPECT_EQ(-1, hpt_check(q, self->page, BUF_SALT));
		}
		EXPECT_EQ(0, munmap(q, self->page));
	}
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, RW, 3 /* SHARED_VALIDATE */ | 0x080000,
				   self->fd, 0));
	EXPECT_INTACT();
}

TEST_F(buf, two_mappings_are_one_memory)
{
	unsigned char *q = hpt_map(self->fd, self->size);
	struct hpbuf_info info;

	ASSERT_NE(MAP_FAILED, q);
	EXPECT_EQ(-1, hpt_check(q, self->size, BUF_SALT));
	q[self->size - 9] ^= 0xff;
	EXPECT_EQ(q[self->size - 9], self->p[self->size - 9]);
	q[self->size - 9] ^= 0xff;
	ASSERT_EQ(0, hpt_info(self->fd, &info));
	EXPECT_EQ(2, info.mappings);
	munmap(q, self->size);
	ASSERT_EQ(0, hpt_info(self->fd, &info));
	EXPECT_EQ(1, info.mappings);
	EXPECT_INTACT();
}

/* The device itself is nothing to map. */
TEST_F(buf, the_device_is_not_mappable)
{
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, RW, MAP_SHARED, self->dev, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->page, PROT_READ, MAP_PRIVATE, self->dev, 0));
}

BUF_TEST_MAIN(3, 1)
