// SPDX-License-Identifier: GPL-2.0-only
/*
 * References on a buffer's pages: whatever took some, the end of the buffer
 * gives the memory back - and no earlier than the last of them is dropped.
 */
#include "hpbuf_test.h"

#include <sys/uio.h>

FIXTURE(references) {
	int dev;
	uint64_t used;
	struct freemem before;
	struct hpbuf_alloc a;
	unsigned char *p;
	int pipe[2];
};

FIXTURE_VARIANT(references) {
	unsigned int shift;
};

FIXTURE_VARIANT_ADD(references, p2m) { .shift = HPBUF_SHIFT_2M };
FIXTURE_VARIANT_ADD(references, p1g) { .shift = HPBUF_SHIFT_1G };

static int get(int dev, unsigned int shift, struct hpbuf_alloc *a)
{
	return shift == HPBUF_SHIFT_1G ? hpt_alloc_1g(dev, 1, a) :
		hpt_alloc(dev, SZ_2M, shift, a);
}

FIXTURE_SETUP(references)
{
	int ret;

	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->used = hpt_used(self->dev);
	ASSERT_EQ(0, pipe(self->pipe));
	freemem_read(&self->before);
	ret = get(self->dev, variant->shift, &self->a);
	if (ret == -EBUSY || ret == -EOPNOTSUPP)
		SKIP(return, "needs a page of 2^%u, found: %s", variant->shift, strerror(-ret));
	ASSERT_LE(0, ret)
		TH_LOG("alloc: %s", strerror(-ret));
	self->p = hpt_map(self->a.fd, self->a.size);
	ASSERT_NE(MAP_FAILED, self->p);
}

FIXTURE_TEARDOWN(references)
{
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_TRUE(freemem_is_back(&self->before));
}

static void drop(struct __test_metadata *_metadata, FIXTURE_DATA(references) *self)
{
	EXPECT_EQ(0, munmap(self->p, self->a.size));
	EXPECT_EQ(0, close(self->a.fd));
}

/* The page's count as root sees it; -1 where pagemap does not tell the frame. */
static int64_t page_count(const void *addr)
{
	uint64_t entry = 0, count = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (pread(fd, &entry, 8, (uintptr_t)addr / SZ_4K * 8) != 8)
		entry = 0;
	close(fd);
	entry &= (1ULL << 55) - 1;
	fd = open("/proc/kpagecount", O_RDONLY | O_CLOEXEC);
	if (!entry || fd < 0)
		return -1;
	if (pread(fd, &count, 8, entry * 8) != 8)
		count = -1;
	close(fd);
	return count;
}

/* Everything that takes references, on every page of a range, often. */
TEST_F(references, balance)
{
	struct iovec local, remote, iov;
	unsigned char seen[SZ_4K];
	int64_t count;
	int i;

	self->p[0] = 1;
	count = page_count(self->p);
	if (count < 0)
		TH_LOG("pagemap does not tell the frame: memory and log decide");
	for (i = 0; i < 1000; i++) {
		iov = (struct iovec){ self->p + (i % 512) * SZ_4K, SZ_4K };
		local = (struct iovec){ seen, 64 };
		remote = (struct iovec){ iov.iov_base, 64 };
		(void)!process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
		if (vmsplice(self->pipe[1], &iov, 1, SPLICE_F_NONBLOCK) > 0)
			(void)!read(self->pipe[0], seen, SZ_4K);
	}
	self->p[0] = 2;
	EXPECT_EQ(count, page_count(self->p));
	drop(_metadata, self);
}

/*
 * Pages in a pipe outlive the buffer. The next buffer must not see through
 * them, nor the pipe into the next buffer.
 */
TEST_F(references, pinned_beyond_the_end)
{
	struct iovec iov = { self->p, SZ_4K };
	unsigned char seen[SZ_4K];
	struct hpbuf_alloc next;
	unsigned char *q;

	memset(self->p, 0xa5, SZ_4K);
	if (vmsplice(self->pipe[1], &iov, 1, 0) != SZ_4K) {
		EXPECT_EQ(EFAULT, errno);
		drop(_metadata, self);
		SKIP(return, "needs pages that can be pinned, found: %s", strerror(EFAULT));
	}
	drop(_metadata, self);
	if (get(self->dev, variant->shift, &next) >= 0) {
		q = hpt_map(next.fd, next.size);
		ASSERT_NE(MAP_FAILED, q);
		EXPECT_EQ(0, *(uint64_t *)q);
		memset(q, 0x5a, SZ_4K);
		munmap(q, next.size);
		close(next.fd);
	}
	ASSERT_EQ(SZ_4K, read(self->pipe[0], seen, SZ_4K));
	EXPECT_EQ(0xa5, seen[0]);
	EXPECT_EQ(0xa5, seen[SZ_4K - 1]);
}

/* The same with the pipe's reader gone: the pins are dropped unread. */
TEST_F(references, pipe_closed_unread)
{
	struct iovec iov = { self->p + SZ_4K, 4 * SZ_4K };
	ssize_t n;

	n = vmsplice(self->pipe[1], &iov, 1, SPLICE_F_NONBLOCK);
	EXPECT_TRUE(n > 0 || errno == EFAULT);
	drop(_metadata, self);
	close(self->pipe[0]);
	close(self->pipe[1]);
}

/* A process that dies with pages pinned. */
static int die_pinned(void *arg)
{
	FIXTURE_DATA(references) *self = arg;
	struct iovec iov = { self->p, SZ_4K };

	(void)!vmsplice(self->pipe[1], &iov, 1, SPLICE_F_NONBLOCK);
	raise(SIGKILL);
	return 0;
}

TEST_F(references, killed_while_pinned)
{
	unsigned char seen[SZ_4K];

	self->p[0] = 0x42;
	EXPECT_EQ(128 + SIGKILL, hpt_in_child(die_pinned, self));
	drop(_metadata, self);
	fcntl(self->pipe[0], F_SETFL, O_NONBLOCK);
	if (read(self->pipe[0], seen, SZ_4K) == SZ_4K) {
		EXPECT_EQ(0x42, seen[0]);
	}
}

HPBUF_TEST_MAIN
