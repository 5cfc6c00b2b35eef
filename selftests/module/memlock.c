// SPDX-License-Identifier: GPL-2.0-only
/*
 * RLIMIT_MEMLOCK bounds who lacks CAP_IPC_LOCK, and nobody else.
 */
#include "user.h"

#include <sys/time.h>

FIXTURE(memlock) {
	int dev;
};

FIXTURE_SETUP(memlock)
{
	ASSERT_EQ(0, user_open_up());
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
}

FIXTURE_TEARDOWN(memlock)
{
	close(self->dev);
	user_close_again();
}

static int limit_memlock(unsigned long bytes)
{
	struct rlimit r = { bytes, bytes };

	return setrlimit(RLIMIT_MEMLOCK, &r) ? -errno : 0;
}

static int nobody_within_limit(void *arg)
{
	struct hpbuf_alloc a, b;
	int dev;

	(void)arg;
	if (limit_memlock(4 * SZ_2M) || hpt_become(HPT_NOBODY))
		return 1;
	dev = hpt_open(NULL);
	if (dev < 0)
		return 2;
	if (hpt_alloc(dev, 3 * SZ_2M, HPBUF_SHIFT_2M, &a) < 0)
		return 3;
	if (hpt_alloc(dev, 2 * SZ_2M, HPBUF_SHIFT_2M, &b) != -EDQUOT)
		return 4;
	if (hpt_used(dev) < 3 * SZ_2M)
		return 5;
	if (hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &b) < 0)
		return 6;
	return 0;
}

TEST_F(memlock, binds_without_the_capability)
{
	uint64_t used = hpt_used(self->dev);

	EXPECT_EQ(0, hpt_in_child(nobody_within_limit, NULL));
	EXPECT_TRUE(hpt_used_becomes(self->dev, used));
}

/* What is given back counts no longer. */
static int nobody_again_and_again(void *arg)
{
	struct hpbuf_alloc a;
	int dev, i, ret;
	void *p;

	(void)arg;
	if (limit_memlock(SZ_2M) || hpt_become(HPT_NOBODY))
		return 1;
	dev = hpt_open(NULL);
	if (dev < 0)
		return 2;
	for (i = 0; i < 50; i++) {
		/* the last reference may go a moment after close() */
		int try = 0;

		do {
			ret = hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a);
			if (ret == -EDQUOT)
				usleep(20000);
		} while (ret == -EDQUOT && ++try < 50);
		if (ret < 0)
			return 3;
		p = hpt_map(a.fd, a.size);
		if (p == MAP_FAILED)
			return 4;
		*(volatile char *)p = 1;
		close(a.fd);
		munmap(p, a.size);
	}
	return 0;
}

TEST_F(memlock, is_returned)
{
	EXPECT_EQ(0, hpt_in_child(nobody_again_and_again, NULL));
}

/* A refused or failed allocation costs nothing. */
static int nobody_refused(void *arg)
{
	struct hpbuf_alloc a;
	int dev, i;

	(void)arg;
	if (limit_memlock(SZ_2M) || hpt_become(HPT_NOBODY))
		return 1;
	dev = hpt_open(NULL);
	if (dev < 0)
		return 2;
	for (i = 0; i < 10; i++) {
		if (hpt_alloc(dev, 2 * SZ_2M, HPBUF_SHIFT_2M, &a) != -EDQUOT)
			return 3;
		if (hpt_alloc(dev, 1ULL << 50, HPBUF_SHIFT_2M, &a) >= 0)
			return 4;
	}
	return hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a) < 0 ? 5 : 0;
}

TEST_F(memlock, refusals_cost_nothing)
{
	EXPECT_EQ(0, hpt_in_child(nobody_refused, NULL));
}

static int nobody_beyond(void *arg)
{
	struct hpbuf_alloc a;

	return hpt_alloc(*(int *)arg, SZ_2M, HPBUF_SHIFT_2M, &a) == -EDQUOT ? 0 : 3;
}

/* A child of his is the same user. */
static int nobody_at_the_limit(void *arg)
{
	struct hpbuf_alloc a;

	if (limit_memlock(SZ_2M) || hpt_become(HPT_NOBODY))
		return 1;
	if (hpt_alloc(*(int *)arg, SZ_2M, HPBUF_SHIFT_2M, &a) < 0)
		return 2;
	return hpt_in_child(nobody_beyond, arg);
}

TEST_F(memlock, is_the_users_and_not_the_processs)
{
	EXPECT_EQ(0, hpt_in_child(nobody_at_the_limit, &self->dev));
}

static int others_beside(void *arg)
{
	struct hpbuf_alloc a;
	pid_t pid;

	if (limit_memlock(SZ_2M) || hpt_alloc(*(int *)arg, SZ_2M, HPBUF_SHIFT_2M, &a) < 0)
		return 1;
	pid = hpt_fork();
	if (!pid) {
		if (hpt_become(HPT_OTHER))
			_exit(2);
		_exit(hpt_alloc(*(int *)arg, SZ_2M, HPBUF_SHIFT_2M, &a) < 0 ? 3 : 0);
	}
	return hpt_wait(pid);
}

TEST_F(memlock, each_user_has_his_own)
{
	EXPECT_EQ(0, hpt_in_child(others_beside, &self->dev));
}

static int root_without_limit(void *arg)
{
	struct hpbuf_alloc a;

	if (limit_memlock(0))
		return 1;
	return hpt_alloc(*(int *)arg, 2 * SZ_2M, HPBUF_SHIFT_2M, &a) < 0 ? 2 : 0;
}

TEST_F(memlock, does_not_bind_with_the_capability)
{
	EXPECT_EQ(0, hpt_in_child(root_without_limit, &self->dev));
}

HPBUF_TEST_MAIN
