// SPDX-License-Identifier: GPL-2.0-only
/*
 * SIGKILL at every step of a buffer's life, the middle of HPBUF_IOC_ALLOC
 * included: nothing is left behind (C18). HPBUF_ROUNDS sets the rounds.
 */
#include "hpbuf_test.h"

FIXTURE(kill) {
	int dev;
	uint64_t used;
	struct freemem before;
};

FIXTURE_SETUP(kill)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->used = hpt_used(self->dev);
}

FIXTURE_TEARDOWN(kill)
{
	close(self->dev);
}

/* Go through a buffer's life, saying each step before it is done. */
static void live(int say, unsigned int shift, uint64_t bytes)
{
	int dev = hpt_open(NULL), second;
	struct hpbuf_alloc a;
	unsigned char *p;
	char step = 0;

#define SAY() do { if (write(say, &step, 1) != 1) _exit(1); step++; } while (0)
	SAY();
	if (hpt_alloc(dev, bytes, shift, &a) < 0)
		_exit(2);
	SAY();
	p = hpt_map(a.fd, a.size);
	if (p == MAP_FAILED)
		_exit(3);
	SAY();
	hpt_stamp(p, a.size, 1);
	SAY();
	second = hpt_open_id(dev, a.id, HPBUF_OPEN_RDONLY);
	if (second < 0)
		_exit(4);
	close(a.fd);
	SAY();
	munmap(p, a.size);
	SAY();
	close(second);
	SAY();
#undef SAY
	for (;;)
		pause();
}

#define STEPS	7

/* What comes next into this memory is zero, however its last user ended. */
static void expect_zero(struct __test_metadata *_metadata, int dev, uint64_t bytes)
{
	struct hpbuf_alloc a;
	unsigned char *p;

	ASSERT_LE(0, hpt_alloc(dev, bytes, HPBUF_SHIFT_2M, &a));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, hpt_nonzero(p, a.size, 64));
	munmap(p, a.size);
	close(a.fd);
}

/* Kill a child a moment after it announced @step. Returns its wait status. */
static int kill_at(int step, unsigned int delay_us, unsigned int shift, uint64_t bytes)
{
	int fds[2], status;
	char seen = -1;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = hpt_fork();
	if (!pid) {
		close(fds[0]);
		live(fds[1], shift, bytes);
		_exit(0);
	}
	close(fds[1]);
	while (seen < step && read(fds[0], &seen, 1) == 1)
		;
	if (delay_us)
		usleep(delay_us);
	kill(pid, SIGKILL);
	status = hpt_wait(pid);
	close(fds[0]);
	return seen < step ? -1 : status;
}

TEST_F(kill, at_each_step_2m)
{
	unsigned long rounds = hpt_env("HPBUF_ROUNDS", 20), r;
	uint32_t seed = 0xdead;
	int s;

	for (s = 0; s < STEPS; s++) {
		ASSERT_EQ(128 + SIGKILL, kill_at(s, 0, HPBUF_SHIFT_2M, 8 * SZ_2M));
		expect_zero(_metadata, self->dev, 8 * SZ_2M);
	}
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	freemem_read(&self->before);
	for (r = 0; r < rounds; r++) {
		s = hpt_rand(&seed) % STEPS;
		ASSERT_EQ(128 + SIGKILL, kill_at(s, hpt_rand(&seed) % 3000, HPBUF_SHIFT_2M,
						 8 * SZ_2M))
			TH_LOG("round %lu, step %d", r, s);
	}
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_TRUE(freemem_is_back(&self->before));
}

/* The allocation is long here: the signal comes in its middle. */
TEST_F(kill, during_a_long_allocation)
{
	unsigned long rounds = hpt_env("HPBUF_ROUNDS", 20) / 10 + 1, r;
	uint32_t seed = 0xbeef;

	ASSERT_EQ(128 + SIGKILL, kill_at(0, 20000, HPBUF_SHIFT_2M, SZ_1G));
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	freemem_read(&self->before);
	for (r = 0; r < rounds; r++) {
		ASSERT_EQ(128 + SIGKILL, kill_at(0, 1000 + hpt_rand(&seed) % 100000,
						 HPBUF_SHIFT_2M, SZ_1G));
	}
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_TRUE(freemem_is_back(&self->before));
}

TEST_F(kill, at_each_step_1g)
{
	struct hpbuf_caps caps;
	struct hpbuf_alloc a;
	int s, fd;

	ASSERT_EQ(0, hpt_caps(self->dev, &caps));
	if (!(caps.page_shifts & SZ_1G))
		SKIP(return, "needs a CPU with 1 GiB pages");
	fd = hpt_alloc_1g(self->dev, 1, &a);
	if (fd == -EBUSY)
		SKIP(return, "needs 1 GiB of contiguous memory, found none");
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	freemem_read(&self->before);
	for (s = 0; s < STEPS; s++) {
		ASSERT_EQ(128 + SIGKILL, kill_at(s, s ? 0 : 50000, HPBUF_SHIFT_1G, SZ_1G))
			TH_LOG("step %d", s);
	}
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_TRUE(freemem_is_back(&self->before));
}

HPBUF_TEST_MAIN
