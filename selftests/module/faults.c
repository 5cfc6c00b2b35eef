// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many threads fault one leaf at once (C23), and leaves that are installed
 * before anybody touches them.
 */
#include "buf_fixture.h"

#include <pthread.h>

#define THREADS	32

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ	22
#define MADV_POPULATE_WRITE	23
#endif

struct toucher {
	pthread_t thread;
	pthread_barrier_t *barrier;
	unsigned char *addr, *marks;
	int n, mem;
	bool ok;
};

static void *touch(void *arg)
{
	struct toucher *t = arg;
	uint64_t word = 0;

	pthread_barrier_wait(t->barrier);
	if (t->n % 8 == 7) {		/* one in eight through /proc/self/mem */
		t->ok = pread(t->mem, &word, 8, (uintptr_t)t->marks) == 8 &&
			word == hpt_mark(0, BUF_SALT);
		*t->addr = t->n;
	} else if (t->n & 1) {		/* half read first, half write first */
		t->ok = *(volatile uint64_t *)t->marks == hpt_mark(0, BUF_SALT);
		*t->addr = t->n;
	} else {
		*t->addr = t->n;
		t->ok = *(volatile uint64_t *)t->marks == hpt_mark(0, BUF_SALT);
	}
	return NULL;
}

TEST_F(buf, many_threads_one_leaf)
{
	unsigned char *q = hpt_map(self->fd, self->page);
	struct toucher t[THREADS];
	struct hpbuf_info before, after;
	pthread_barrier_t barrier;
	int i, mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	ASSERT_NE(MAP_FAILED, q);
	ASSERT_LE(0, mem);
	ASSERT_EQ(0, hpt_info(self->fd, &before));
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		t[i] = (struct toucher){
			.barrier = &barrier, .n = i, .mem = mem, .marks = q,
			.addr = q + (self->page / THREADS) * i + 64,
		};
		ASSERT_EQ(0, pthread_create(&t[i].thread, NULL, touch, &t[i]));
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i].thread, NULL);
	for (i = 0; i < THREADS; i++) {
		EXPECT_TRUE(t[i].ok)
			TH_LOG("thread %d", i);
		EXPECT_EQ(i, *t[i].addr);
	}
	ASSERT_EQ(0, hpt_info(self->fd, &after));
	EXPECT_LT(before.faults, after.faults);
	/* every thread may have come to install it; no more than that */
	EXPECT_LE(after.faults, before.faults + 2 * THREADS);
	EXPECT_WHOLE_LEAVES(self->size + self->page);
	munmap(q, self->page);
	close(mem);
	EXPECT_INTACT();
}

TEST_F(buf, populate)
{
	unsigned char *q = hpt_map(self->fd, self->size);
	struct hpbuf_populate pop = { .addr = (uintptr_t)q, .len = self->size };
	struct hpbuf_info before, after;

	ASSERT_NE(MAP_FAILED, q);
	ASSERT_NE(0, buf_caps.flags & HPBUF_CAP_POPULATE);
	ASSERT_EQ(0, ioctl(self->fd, HPBUF_IOC_POPULATE, &pop))
		TH_LOG("%s", strerror(errno));
	EXPECT_EQ(self->size, pop.done);
	EXPECT_WHOLE_LEAVES(2 * self->size);
	ASSERT_EQ(0, hpt_info(self->fd, &before));
	hpt_write_back(&q[self->size - 1]);
	EXPECT_EQ(-1, hpt_check(q, self->size, BUF_SALT));
	ASSERT_EQ(0, hpt_info(self->fd, &after));
	EXPECT_EQ(before.faults, after.faults);
	munmap(q, self->size);
}

TEST_F(buf, populate_a_part_and_again)
{
	unsigned char *q = hpt_map(self->fd, self->size);
	struct hpbuf_populate pop = {
		.addr = (uintptr_t)q + self->size - self->page, .len = self->page,
	};
	uint64_t reach;

	ASSERT_NE(MAP_FAILED, q);
	reach = hpt_one_fault(q, self->size, q + self->size - self->page, self->page);
	ASSERT_EQ(0, ioctl(self->fd, HPBUF_IOC_POPULATE, &pop));
	EXPECT_EQ(self->page, pop.done);
	EXPECT_WHOLE_LEAVES(self->size + reach);
	pop.done = 0;
	ASSERT_EQ(0, ioctl(self->fd, HPBUF_IOC_POPULATE, &pop));
	EXPECT_EQ(self->page, pop.done);
	EXPECT_WHOLE_LEAVES(self->size + reach);
	munmap(q, self->size);
}

TEST_F(buf, populate_read_only)
{
	unsigned char *q = mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd, 0);
	struct hpbuf_populate pop = { .addr = (uintptr_t)q, .len = self->size };

	ASSERT_NE(MAP_FAILED, q);
	ASSERT_EQ(0, ioctl(self->fd, HPBUF_IOC_POPULATE, &pop))
		TH_LOG("%s", strerror(errno));
	EXPECT_EQ(self->size, pop.done);
	EXPECT_EQ(SIGSEGV, hpt_poke(q, 1));
	munmap(q, self->size);
	EXPECT_INTACT();
}

#define EXPECT_POPULATE(err, bytes, ...) do {				\
	struct hpbuf_populate _p = { __VA_ARGS__ };			\
									\
	EXPECT_EQ(-(err), hpt_errno(ioctl(self->fd, HPBUF_IOC_POPULATE, &_p))) \
		TH_LOG("addr %#llx len %#llx", (unsigned long long)_p.addr, \
		       (unsigned long long)_p.len);			\
	EXPECT_EQ((uint64_t)(bytes), _p.done);				\
} while (0)

TEST_F(buf, populate_refuses)
{
	uintptr_t p = (uintptr_t)self->p;
	size_t page = self->page;
	unsigned char *other;
	struct hpbuf_alloc a;

	EXPECT_POPULATE(EINVAL, 0, .addr = p, .len = 0);
	EXPECT_POPULATE(EINVAL, 0, .addr = p, .len = SZ_4K);
	EXPECT_POPULATE(EINVAL, 0, .addr = p + SZ_4K, .len = page);
	EXPECT_POPULATE(EINVAL, 0, .addr = p, .len = page + 1);
	EXPECT_POPULATE(EINVAL, 0, .addr = -page, .len = 2 * page);
	EXPECT_POPULATE(EINVAL, 0, .addr = p, .len = -page);
	EXPECT_POPULATE(ENOMEM, 0, .addr = 64 * page, .len = page);
	EXPECT_POPULATE(ENOMEM, 0, .addr = 0, .len = page);

	ASSERT_LE(0, hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &a));
	other = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, other);
	if (page == SZ_2M)
		EXPECT_POPULATE(ENOMEM, 0, .addr = (uintptr_t)other, .len = page);
	munmap(other, a.size);
	close(a.fd);
}

/* The end of the range is not mapped: what was done before is told. */
TEST_F(buf, populate_stops_at_a_hole)
{
	size_t page = self->page, there = self->size - page;
	struct hpbuf_populate pop = { .addr = (uintptr_t)self->p, .len = self->size };

	ASSERT_EQ(0, munmap(self->p + there, page));
	EXPECT_EQ(-ENOMEM, hpt_errno(ioctl(self->fd, HPBUF_IOC_POPULATE, &pop)));
	EXPECT_TRUE(pop.done == 0 || pop.done == there)
		TH_LOG("done is %#llx", (unsigned long long)pop.done);
}

TEST_F(buf, map_populate)
{
	unsigned char *q = mmap(NULL, self->size, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_POPULATE, self->fd, 0);

	ASSERT_NE(MAP_FAILED, q);
	if (buf_caps.flags & HPBUF_CAP_MAP_POPULATE)
		EXPECT_WHOLE_LEAVES(2 * self->size);
	EXPECT_EQ(-1, hpt_check(q, self->size, BUF_SALT));
	munmap(q, self->size);
}

TEST_F(buf, madvise_populate)
{
	unsigned char *q = hpt_map(self->fd, self->size);
	int ret;

	ASSERT_NE(MAP_FAILED, q);
	ret = madvise(q, self->size, MADV_POPULATE_WRITE);
	if (buf_caps.flags & HPBUF_CAP_MAP_POPULATE) {
		EXPECT_EQ(0, ret)
			TH_LOG("%s", strerror(errno));
		EXPECT_WHOLE_LEAVES(2 * self->size);
	} else {
		EXPECT_NE(0, ret);
	}
	EXPECT_EQ(-1, hpt_check(q, self->size, BUF_SALT));
	munmap(q, self->size);
}

BUF_TEST_MAIN(3, 1)
