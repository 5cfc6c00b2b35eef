// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations on a machine whose memory is in pieces (C36): others go on being
 * served while one runs, a time limit and SIGKILL end it, and what did not work
 * has left nothing.
 *
 * The memory is put in pieces by anonymous huge pages, every second of which is
 * given back: no gigabyte is free, all of it can be moved.
 */
#include "hpbuf_test.h"

#include <libhpbuf.h>

static unsigned char *pieces;
static size_t pieces_size;

/* Once for the program; the tests inherit it. */
static void break_up_memory(void)
{
	long avail = meminfo("MemAvailable");
	size_t off;

	if (avail < (long)(2 * SZ_1G)) {
		ksft_print_header();
		ksft_exit_skip("needs 2 GiB available, found %ld bytes\n", avail);
	}
	pieces_size = (avail - SZ_1G / 2) & ~(SZ_2M - 1);
	pieces = mmap(NULL, pieces_size + SZ_2M, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pieces == MAP_FAILED)
		ksft_exit_fail_perror("mmap");
	/* a part of a huge page would not be given back at once */
	pieces = (unsigned char *)(((uintptr_t)pieces + SZ_2M - 1) & ~(SZ_2M - 1));
	(void)!madvise(pieces, pieces_size, MADV_HUGEPAGE);
	for (off = 0; off < pieces_size; off += SZ_2M)
		pieces[off] = 1;
	for (off = 0; off < pieces_size; off += 2 * SZ_2M)
		(void)!madvise(pieces + off, SZ_2M, MADV_DONTNEED);
}

FIXTURE(busy) {
	int dev;
	uint64_t used;
};

FIXTURE_SETUP(busy)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->used = hpt_used(self->dev);
}

FIXTURE_TEARDOWN(busy)
{
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	close(self->dev);
}

struct job {
	int ended;		/* in shared memory: the order of things */
	int result;
};

static struct job *new_job(void)
{
	struct job *j = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			     -1, 0);

	return j == MAP_FAILED ? NULL : j;
}

/* Allocate 1 GiB in a child; @say gets a byte before it starts. */
static pid_t start_alloc(struct job *j, int say, unsigned int shift, uint32_t timeout_ms)
{
	struct hpbuf_alloc a = {
		.bytes = SZ_1G, .page_shift = shift, .timeout_ms = timeout_ms,
	};
	pid_t pid = hpt_fork();
	int dev;

	if (pid)
		return pid;
	dev = hpt_open(NULL);
	if (dev < 0 || write(say, "", 1) != 1)
		_exit(1);
	j->result = hpt_alloc_req(dev, &a);
	__atomic_store_n(&j->ended, 1, __ATOMIC_SEQ_CST);
	_exit(0);
}

static int count_one(const struct hpbuf_nl_buf *b, void *arg)
{
	(void)b;
	++*(int *)arg;
	return 0;
}

/* What others do meanwhile; true if all of it was answered. */
static bool others_are_served(int dev, struct hpbuf_nl *nl)
{
	struct hpbuf_info info;
	struct hpbuf_alloc a = {
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M, .flags = HPBUF_ALLOC_PERSIST,
	};
	int n = 0;

	if (hpt_alloc_req(dev, &a) < 0 || hpt_info(a.fd, &info))
		return false;
	close(a.fd);
	return !hpbuf_nl_bufs(nl, count_one, &n) && n && !hpt_free(dev, a.id, NULL);
}

static bool is_fair(int result)
{
	return result >= 0 || result == -EBUSY || result == -ENOMEM || result == -ETIMEDOUT;
}

/* Serve others while 1 GiB is allocated, and see that they are not kept waiting. */
static void serve_meanwhile(struct __test_metadata *_metadata, FIXTURE_DATA(busy) *self,
			    unsigned int shift)
{
	struct job *j = new_job();
	bool served, first = false;
	struct hpbuf_nl *nl;
	int say[2], try;
	pid_t pid;
	char byte;

	ASSERT_NE(NULL, j);
	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, pipe(say));
	/* it may be over before we get to run: then again */
	for (try = 0; try < 5 && !first; try++) {
		j->ended = 0;
		pid = start_alloc(j, say[1], shift, 0);
		ASSERT_EQ(1, read(say[0], &byte, 1));
		served = others_are_served(self->dev, nl);
		first = !__atomic_load_n(&j->ended, __ATOMIC_SEQ_CST);
		ASSERT_EQ(0, hpt_wait(pid));
		EXPECT_TRUE(served);
		EXPECT_TRUE(is_fair(j->result))
			TH_LOG("%s", strerror(-j->result));
	}
	hpbuf_nl_close(nl);
	if (!first && j->result == -EBUSY)
		SKIP(return, "needs an allocation that takes a while, found: %s at once",
		     strerror(-j->result));
	EXPECT_TRUE(first)
		TH_LOG("others were served only after it had ended");
}

TEST_F(busy, others_are_served_meanwhile_1g)
{
	serve_meanwhile(_metadata, self, HPBUF_SHIFT_1G);
}

TEST_F(busy, others_are_served_meanwhile_2m)
{
	serve_meanwhile(_metadata, self, HPBUF_SHIFT_2M);
}

TEST_F(busy, sigkill_ends_it)
{
	struct job *j = new_job();
	struct freemem before, now;
	int say[2], try, ret, node;
	pid_t pid;
	char byte;

	ASSERT_NE(NULL, j);
	ASSERT_EQ(0, pipe(say));
	pid = start_alloc(j, say[1], HPBUF_SHIFT_1G, 0);	/* one in peace: pieces are moved now */
	ASSERT_EQ(1, read(say[0], &byte, 1));
	ASSERT_EQ(0, hpt_wait(pid));
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	freemem_read(&before);
	for (try = 0; try < 5; try++) {
		j->ended = 0;
		pid = start_alloc(j, say[1], HPBUF_SHIFT_1G, 0);
		ASSERT_EQ(1, read(say[0], &byte, 1));
		usleep(20000 * try);
		kill(pid, SIGKILL);
		ret = hpt_wait(pid);
		EXPECT_TRUE(ret == 128 + SIGKILL || j->ended)
			TH_LOG("ended with %d", ret);
	}
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	/*
	 * What an allocation could lose is a page of 1 GiB, or its part that was
	 * migrated. The kernel's counters move by some MiB under this pressure.
	 */
	if (freemem_is_back(&before))
		return;
	freemem_read(&now);
	for (node = 0; node < FREEMEM_NODES; node++) {
		EXPECT_GT((long)(64 * SZ_2M), before.node[node] - now.node[node]);
	}
}

TEST_F(busy, a_time_limit_is_kept)
{
	struct job *j = new_job();
	int say[2];
	pid_t pid;
	char byte;

	ASSERT_NE(NULL, j);
	ASSERT_EQ(0, pipe(say));
	pid = start_alloc(j, say[1], HPBUF_SHIFT_1G, 1);
	ASSERT_EQ(1, read(say[0], &byte, 1));
	ASSERT_EQ(0, hpt_wait(pid));
	/* it may be that lucky; what it may not is to fail otherwise */
	EXPECT_TRUE(is_fair(j->result))
		TH_LOG("%s", strerror(-j->result));
}

/* More than is free: all or nothing, and the pieces' bytes are untouched. */
TEST_F(busy, all_or_nothing)
{
	struct hpbuf_alloc a;
	struct hpbuf_caps caps;
	size_t off;
	int ret;

	ASSERT_EQ(0, hpt_caps(self->dev, &caps));
	ret = hpt_alloc(self->dev, 2 * SZ_1G, HPBUF_SHIFT_1G, &a);
	EXPECT_TRUE(ret >= 0 || ret == -EBUSY || ret == -ENOMEM || ret == -ENOSPC)
		TH_LOG("%s", strerror(-ret));
	EXPECT_EQ(ret < 0 ? self->used : self->used + 2 * SZ_1G, hpt_used(self->dev));
	if (ret >= 0)
		close(ret);
	for (off = SZ_2M; off < pieces_size; off += 2 * SZ_2M) {
		ASSERT_EQ(1, pieces[off]);
	}
}

HPBUF_TEST_MAIN_WITH(break_up_memory())
