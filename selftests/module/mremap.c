// SPDX-License-Identifier: GPL-2.0-only
/*
 * mremap() of a buffer: refused, or right. After whatever it did, no address
 * that is not mapped any more can be read - on no CPU, not after the buffer is
 * gone.
 */
#include "buf_fixture.h"

#include <pthread.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP	4
#endif

/*
 * Judge mremap(p, old_len, ...) = q. Refused: all is as before. Moved: the data
 * is at q, and p is either still the buffer (old_len 0) or nothing.
 */
static void judge(struct __test_metadata *_metadata, FIXTURE_DATA(buf) *self,
		  unsigned char *q, const char *what)
{
	unsigned char val;
	int sig;

	if (q == MAP_FAILED || q == self->p) {
		EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT))
			TH_LOG("%s: the contents changed", what);
		return;
	}
	EXPECT_EQ(hpt_mark(0, BUF_SALT), *(uint64_t *)q)
		TH_LOG("%s: moved, but not the data", what);
	sig = hpt_peek(self->p, &val);
	if (sig) {
		EXPECT_EQ(SIGSEGV, sig);
		return;
	}
	EXPECT_EQ(0, munmap(self->p, self->size))
		TH_LOG("%s: readable, not mapped", what);
	EXPECT_EQ(SIGSEGV, hpt_peek(self->p, &val))
		TH_LOG("%s: readable after munmap()", what);
}

#define JUDGE(...) judge(_metadata, self, mremap(self->p, __VA_ARGS__), #__VA_ARGS__)

TEST_F(buf, grow)
{
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->size, self->size + self->page, 0));
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->size, self->size + self->page,
				     MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->size, self->size + SZ_4K,
				     MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->page, 2 * self->page, MREMAP_MAYMOVE));
	EXPECT_INTACT();
}

/* A move is never right: a 1 GiB leaf cannot be moved by any of these kernels. */
TEST_F(buf, move_to_a_fixed_place)
{
	size_t len = self->size + self->page;
	unsigned char *q = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
				MAP_NORESERVE, -1, 0);
	unsigned char *aligned;

	ASSERT_NE(MAP_FAILED, q);
	aligned = (unsigned char *)(((uintptr_t)q + self->page - 1) & ~(self->page - 1));
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->size, self->size,
				     MREMAP_MAYMOVE | MREMAP_FIXED, aligned));
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->page, self->page,
				     MREMAP_MAYMOVE | MREMAP_FIXED, aligned));
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->size, self->size,
				     MREMAP_MAYMOVE | MREMAP_FIXED, aligned + SZ_4K));
	EXPECT_EQ(MAP_FAILED, mremap(self->p, self->size, self->page,
				     MREMAP_MAYMOVE | MREMAP_FIXED, aligned));
	EXPECT_EQ(MAP_FAILED, mremap(self->p + SZ_4K, SZ_4K, SZ_4K,
				     MREMAP_MAYMOVE | MREMAP_FIXED, aligned));
	EXPECT_EQ(-1, hpt_check(self->p, self->page, BUF_SALT));
}

TEST_F(buf, same_size)
{
	JUDGE(self->size, self->size, 0);
	JUDGE(self->size, self->size, MREMAP_MAYMOVE);
	EXPECT_INTACT();
}

TEST_F(buf, duplicate_by_zero_length)
{
	JUDGE(0, self->size, MREMAP_MAYMOVE);
}

TEST_F(buf, duplicate_by_zero_length_fixed)
{
	unsigned char *q = mmap(NULL, 2 * self->size, PROT_NONE, MAP_PRIVATE |
				MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ASSERT_NE(MAP_FAILED, q);
	q = (unsigned char *)(((uintptr_t)q + self->page - 1) & ~(self->page - 1));
	JUDGE(0, self->page, MREMAP_MAYMOVE | MREMAP_FIXED, q);
}

TEST_F(buf, leave_the_old_mapping)
{
	JUDGE(self->size, self->size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	JUDGE(self->size, self->size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
	      (void *)((uintptr_t)self->p + 16 * self->size));
}

/* Shrinking unmaps the tail: whole leaves, or nothing. */
TEST_F(buf, shrink)
{
	size_t len = self->size - self->page;
	unsigned char val, *q;

	EXPECT_EQ(-EINVAL, hpt_errno((long)mremap(self->p, self->size, self->size - SZ_4K, 0)));
	EXPECT_EQ(-EINVAL, hpt_errno((long)mremap(self->p, self->size, SZ_4K, 0)));
	EXPECT_INTACT();
	if (!len)
		return;
	q = mremap(self->p, self->size, len, 0);
	if (q == MAP_FAILED) {
		EXPECT_INTACT();
		return;
	}
	ASSERT_EQ(self->p, q);
	EXPECT_EQ(-1, hpt_check(self->p, self->page, BUF_SALT));
	EXPECT_EQ(SIGSEGV, hpt_peek(self->p + len, &val));
	EXPECT_WHOLE_LEAVES(len);
}

/* A second thread, on the other CPU where there is one, that keeps reading. */
struct reader {
	unsigned char *addr;
	volatile int reads, stop, signal;
};

static void *read_until_it_faults(void *arg)
{
	struct reader *r = arg;
	unsigned char val;

	hpt_pin_to(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	while (!r->stop) {
		r->signal = hpt_peek(r->addr, &val);
		if (r->signal)
			break;
		r->reads++;
	}
	return NULL;
}

/* The buffer's own memory goes too: what is read late is someone else's. */
TEST_F(buf, no_stale_translation)
{
	struct hpbuf_alloc a;
	struct reader r = { .signal = 0 };
	unsigned char *p, val;
	pthread_t thread;
	int i;

	if (self->page == SZ_1G) {	/* the room is needed for another one */
		p = self->p;
	} else {
		ASSERT_LE(0, hpt_alloc(self->dev, self->page, variant->shift, &a));
		p = hpt_map(a.fd, a.size);
		ASSERT_NE(MAP_FAILED, p);
		*p = 0x5a;
		close(a.fd);
	}
	hpt_pin_to(0);
	r.addr = p + 64;
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_until_it_faults, &r));
	for (i = 0; i < 1000 && r.reads < 100; i++)
		usleep(1000);
	EXPECT_LE(100, r.reads);

	/* a refused move must not leave anything behind either */
	(void)!(mremap(p, self->page, self->page, MREMAP_MAYMOVE | MREMAP_FIXED,
		       p + 64 * self->page) == MAP_FAILED);
	ASSERT_EQ(0, munmap(p, self->page));
	EXPECT_EQ(SIGSEGV, hpt_peek(p + 64, &val));
	for (i = 0; i < 1000 && !r.signal; i++)
		usleep(1000);
	r.stop = 1;
	pthread_join(thread, NULL);
	EXPECT_EQ(SIGSEGV, r.signal)
		TH_LOG("the other CPU still reads what is unmapped");
}

BUF_TEST_MAIN(3, 2)
