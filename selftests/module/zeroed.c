// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one user wrote never reaches the next: filled, freed, allocated again
 * and read, many times over and with several buffers of both sizes in turn.
 */
#include "hpbuf_test.h"

#define PATTERN	0xa5a5a5a5a5a5a5a5ULL

FIXTURE(zeroed) {
	int dev;
};

FIXTURE_SETUP(zeroed)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
}

FIXTURE_TEARDOWN(zeroed)
{
	close(self->dev);
}

static void fill(unsigned char *p, size_t size, size_t stride)
{
	size_t off;

	for (off = 0; off < size; off += stride)
		*(volatile uint64_t *)(p + off) = PATTERN;
	*(volatile uint64_t *)(p + size - 8) = PATTERN;
}

/* Allocate, expect zero, fill; the descriptor is returned. */
static int take(struct __test_metadata *_metadata, int dev, uint64_t bytes,
		unsigned int shift, size_t stride)
{
	struct hpbuf_alloc a;
	unsigned char *p;
	long at;
	int fd = hpt_alloc(dev, bytes, shift, &a);

	if (fd < 0)
		return fd;
	p = hpt_map(fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	at = hpt_nonzero(p, a.size, stride);
	EXPECT_EQ(-1, at)
		TH_LOG("%#lx holds %#lx", at, *(unsigned long *)(p + at));
	fill(p, a.size, stride);
	munmap(p, a.size);
	return fd;
}

TEST_F(zeroed, pages_of_2m)
{
	unsigned long rounds = hpt_env("HPBUF_ROUNDS", 10), r;
	int fd[4], i;

	for (r = 0; r < rounds; r++) {
		for (i = 0; i < 4; i++) {
			fd[i] = take(_metadata, self->dev, 4 * SZ_2M, HPBUF_SHIFT_2M, 8);
			ASSERT_LE(0, fd[i]);
		}
		for (i = 0; i < 4; i++)
			close(fd[i]);
	}
}

TEST_F(zeroed, pages_of_1g)
{
	int r, fd;

	for (r = 0; r < 3; r++) {
		fd = take(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_1G, 1024);
		if (fd == -EBUSY || fd == -EOPNOTSUPP)
			SKIP(return, "needs a 1 GiB page, found: %s", strerror(-fd));
		ASSERT_LE(0, fd);
		close(fd);
	}
}

/* The same memory, first as small pages and then as large ones, and back. */
TEST_F(zeroed, sizes_in_turn)
{
	int r, fd;

	for (r = 0; r < 2; r++) {
		fd = take(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_2M, 1024);
		ASSERT_LE(0, fd);
		close(fd);
		fd = take(_metadata, self->dev, SZ_1G, HPBUF_SHIFT_1G, 1024);
		if (fd == -EBUSY || fd == -EOPNOTSUPP)
			SKIP(return, "needs a 1 GiB page, found: %s", strerror(-fd));
		ASSERT_LE(0, fd);
		close(fd);
	}
}

/* Not in anonymous memory either: the kernel got clean or cleared pages back. */
TEST_F(zeroed, not_in_anonymous_memory)
{
	size_t size = 64UL << 20;
	unsigned char *p;
	int fd = take(_metadata, self->dev, size, HPBUF_SHIFT_2M, 8);

	ASSERT_LE(0, fd);
	close(fd);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, hpt_nonzero(p, size, 8));
	munmap(p, size);
}

HPBUF_TEST_MAIN
