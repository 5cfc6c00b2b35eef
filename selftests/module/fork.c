// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers are shared over fork(): children see and write the same bytes, unmap
 * what they like and end in any order; the buffer stays until the last is gone
 * (C17). HPBUF_ROUNDS sets the rounds.
 */
#include "buf_fixture.h"

#define CHILDREN	8

/* Child @n writes here; far apart, in every page of the buffer. */
static size_t slot(const FIXTURE_DATA(buf) *self, int n)
{
	return (self->size / CHILDREN * n & ~(SZ_4K - 1)) + 64;
}

static int child(const FIXTURE_DATA(buf) *self, int n, unsigned char val, int go)
{
	size_t page = self->page, leaf = (size_t)n * page % self->size;
	unsigned char byte;

	if (*(uint64_t *)(self->p + self->size - SZ_4K) !=
	    hpt_mark(self->size - SZ_4K, BUF_SALT))
		return 10;
	self->p[slot(self, n)] = val;
	if (n & 1) {		/* some let one whole leaf go before they end */
		if (munmap(self->p + leaf, page))
			return 11;
		if (hpt_peek(self->p + leaf, &byte) != SIGSEGV)
			return 12;
	}
	if (n == 2 && munmap(self->p, self->size))
		return 13;
	/* wait for our turn to end */
	return read(go, &byte, 1) == 1 ? 0 : 14;
}

static void one_round(struct __test_metadata *_metadata, FIXTURE_DATA(buf) *self,
		      unsigned int round, uint32_t *seed)
{
	int go[CHILDREN][2], order[CHILDREN], i, j, t;
	pid_t pid[CHILDREN];

	for (i = 0; i < CHILDREN; i++) {
		order[i] = i;
		ASSERT_EQ(0, pipe(go[i]));
		pid[i] = hpt_fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			_exit(child(self, i, round + i, go[i][0]));
	}
	for (i = CHILDREN - 1; i > 0; i--) {
		j = hpt_rand(seed) % (i + 1);
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	for (i = 0; i < CHILDREN; i++) {
		t = order[i];
		ASSERT_EQ(1, write(go[t][1], "", 1));
		EXPECT_EQ(0, hpt_wait(pid[t]))
			TH_LOG("child %d of round %u", t, round);
		close(go[t][0]);
		close(go[t][1]);
		EXPECT_EQ((unsigned char)(round + t), self->p[slot(self, t)]);
	}
}

TEST_F(buf, children_end_in_any_order)
{
	unsigned long rounds = hpt_env("HPBUF_ROUNDS", 5), r;
	struct hpbuf_info info;
	uint32_t seed = 0x12345;

	for (r = 0; r < rounds; r++)
		one_round(_metadata, self, r, &seed);
	EXPECT_INTACT();
	ASSERT_EQ(0, hpt_info(self->fd, &info));
	EXPECT_EQ(1, info.mappings);
}

/* The parent lets go of everything first. */
static int orphan(const FIXTURE_DATA(buf) *self, const struct hpbuf_alloc *a,
		  unsigned char *p, int go)
{
	char byte;

	(void)self;
	if (read(go, &byte, 1) != 1)
		return 10;
	return hpt_check(p, a->size, 0xdad) == -1 ? 0 : 11;
}

TEST_F(buf, child_outlives_the_parents_mapping)
{
	uint64_t used = hpt_used(self->dev);
	struct hpbuf_alloc a;
	unsigned char *p;
	int go[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	ASSERT_LE(0, hpt_alloc(self->dev, 2 * SZ_2M, HPBUF_SHIFT_2M, &a));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	hpt_stamp(p, a.size, 0xdad);
	pid = hpt_fork();
	if (!pid) {
		close(a.fd);
		_exit(orphan(self, &a, p, go[0]));
	}
	munmap(p, a.size);
	close(a.fd);
	EXPECT_EQ(used + a.size, hpt_used(self->dev));
	ASSERT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(0, hpt_wait(pid));
	EXPECT_TRUE(hpt_used_becomes(self->dev, used));
}

/* exec() drops mapping and descriptor. */
TEST_F(buf, gone_after_exec)
{
	struct hpbuf_info info;
	pid_t pid = hpt_fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	EXPECT_EQ(0, hpt_wait(pid));
	ASSERT_EQ(0, hpt_info(self->fd, &info));
	EXPECT_EQ(1, info.mappings);
	EXPECT_INTACT();
}

/* A child never touched it: it faults the leaf in by itself. */
static int touch_untouched(void *arg)
{
	volatile unsigned char *p = arg;

	p[123] = 0x42;
	return p[123] == 0x42 ? 0 : 1;
}

TEST_F(buf, child_faults_first)
{
	unsigned char *q = hpt_map(self->fd, self->size);

	ASSERT_NE(MAP_FAILED, q);
	EXPECT_EQ(0, hpt_in_child(touch_untouched, q));
	EXPECT_EQ(0x42, q[123]);
	EXPECT_EQ(0x42, self->p[123]);
	munmap(q, self->size);
	EXPECT_INTACT();
}

BUF_TEST_MAIN(3, 1)
