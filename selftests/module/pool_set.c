// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages kept ready: so many as were asked for, taken by allocations, back when the
 * buffer goes whatever ends it, and given back to the system on request and when
 * the module is unloaded.
 */
#include "pool.h"

#include <time.h>

#define SALT	0x9001ULL

FIXTURE(pool) {
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_nl_pool pool;
	uint64_t used;		/* bytes that the module held before */
	struct freemem before;
};

FIXTURE_SETUP(pool)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 0, &self->pool))
		TH_LOG("%s", hpbuf_nl_strerror(self->nl));
	self->used = hpt_used(self->dev);
	freemem_read(&self->before);
}

FIXTURE_TEARDOWN(pool)
{
	EXPECT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 0, &self->pool));
	EXPECT_EQ(0, pool_pages(&self->pool));
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_TRUE(freemem_is_back(&self->before));
	hpbuf_nl_close(self->nl);
	close(self->dev);
}

/* What pool-get tells of @n pages that are all ready. */
#define EXPECT_ALL_READY(n) do {					\
	EXPECT_EQ(n, self->pool.want);					\
	EXPECT_EQ(n, self->pool.ready);					\
	EXPECT_EQ(0, self->pool.dirty);					\
	EXPECT_EQ(0, self->pool.lent);					\
	EXPECT_FALSE(self->pool.has_error);				\
} while (0)

TEST_F(pool, ready_as_asked)
{
	static const unsigned int steps[] = { 8, 3, 10, 1, 64 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, steps[i], &self->pool))
			TH_LOG("%s", hpbuf_nl_strerror(self->nl));
		EXPECT_ALL_READY(steps[i]);
		EXPECT_TRUE(self->pool.has_got);
		EXPECT_LE(steps[i], self->pool.got);
		EXPECT_EQ(0, self->pool.used);
		EXPECT_EQ(self->used + steps[i] * SZ_2M, hpt_used(self->dev));
		EXPECT_EQ(self->used + steps[i] * SZ_2M, self->pool.used_bytes);
	}
}

TEST_F(pool, memory_is_held_and_given_back)
{
	struct freemem now;

	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 64, &self->pool));
	freemem_read(&now);
	EXPECT_LT(60 * (long)SZ_2M, self->before.node[0] - now.node[0]);
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 0, &self->pool));
	EXPECT_ALL_READY(0);
	EXPECT_TRUE(freemem_is_back(&self->before));
}

TEST_F(pool, min_is_told)
{
	ASSERT_EQ(0, pool_set(self->nl, 0, HPBUF_SHIFT_2M, 8, 5, false));
	ASSERT_EQ(0, pool_settle(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
	EXPECT_ALL_READY(8);
	EXPECT_EQ(5, self->pool.min);
	ASSERT_EQ(0, pool_set(self->nl, 0, HPBUF_SHIFT_2M, 8, 0, false));
	ASSERT_EQ(0, pool_settle(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
	EXPECT_ALL_READY(8);
	EXPECT_EQ(0, self->pool.min);
}

/* Pages of the buffer that came from the pool, and all are zero; filled afterwards. */
static uint64_t pooled_of(struct __test_metadata *_metadata, struct hpbuf_nl *nl,
			  const struct hpbuf_alloc *a)
{
	struct hpbuf_nl_buf b;
	unsigned char *p;

	ASSERT_EQ(0, hpbuf_nl_buf_get(nl, a->id, NULL, &b));
	EXPECT_TRUE(b.has_pooled);
	p = hpt_map(a->fd, a->size);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, hpt_nonzero(p, a->size, 8));
	hpt_stamp(p, a->size, SALT);
	munmap(p, a->size);
	return b.pooled;
}

TEST_F(pool, alloc_takes_and_returns)
{
	struct hpbuf_nl_pool full;
	struct hpbuf_alloc a;
	int i;

	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 8, &full));
	for (i = 0; i < 4; i++) {
		/* the cursor of any list of pages goes round in eight */
		ASSERT_LE(0, pool_alloc(self->dev, 3 * SZ_2M, HPBUF_SHIFT_2M, &a));
		EXPECT_EQ(3, pooled_of(_metadata, self->nl, &a));
		ASSERT_EQ(0, pool_get(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
		EXPECT_EQ(3, self->pool.lent);
		EXPECT_EQ(3, self->pool.used);
		EXPECT_EQ(8, self->pool.want);
		EXPECT_EQ(8, pool_pages(&self->pool));
		EXPECT_EQ(full.taken + 3 * (i + 1), self->pool.taken);
		EXPECT_EQ(self->used + 8 * SZ_2M, hpt_used(self->dev));
		close(a.fd);
		ASSERT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_2M, 8, &self->pool));
		EXPECT_ALL_READY(8);
	}
	/* nothing came from the system or went there */
	EXPECT_EQ(full.allocated, self->pool.allocated);
	EXPECT_EQ(full.freed, self->pool.freed);
	EXPECT_EQ(full.shrunk, self->pool.shrunk);
}

TEST_F(pool, more_than_is_ready)
{
	struct hpbuf_alloc a;

	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 4, &self->pool));
	ASSERT_LE(0, pool_alloc(self->dev, 6 * SZ_2M, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(4, pooled_of(_metadata, self->nl, &a));
	ASSERT_EQ(0, pool_get(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
	EXPECT_EQ(0, self->pool.ready);
	EXPECT_EQ(4, self->pool.lent);
	EXPECT_EQ(6, self->pool.used);
	EXPECT_EQ(self->used + 6 * SZ_2M, hpt_used(self->dev));
	close(a.fd);
	ASSERT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_2M, 4, &self->pool));
	EXPECT_ALL_READY(4);
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used + 4 * SZ_2M));
}

/* Without a pool, and from an empty one, no page is of the pool. */
TEST_F(pool, none_without_a_pool)
{
	struct hpbuf_alloc a;

	ASSERT_LE(0, pool_alloc(self->dev, 2 * SZ_2M, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(0, pooled_of(_metadata, self->nl, &a));
	ASSERT_EQ(0, pool_get(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
	EXPECT_EQ(0, self->pool.lent);
	EXPECT_EQ(2, self->pool.used);
	close(a.fd);
}

/* An allocation that fails gives back what it took. */
TEST_F(pool, all_or_nothing)
{
	struct hpbuf_caps caps;
	struct hpbuf_alloc a;

	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 8, &self->pool));
	ASSERT_EQ(0, hpt_caps(self->dev, &caps));
	EXPECT_EQ(-ENOSPC, pool_alloc(self->dev, caps.max_bytes + SZ_2M, HPBUF_SHIFT_2M, &a));
	a = (struct hpbuf_alloc){ .bytes = 4 * SZ_2M, .page_shift = HPBUF_SHIFT_2M,
				  .flags = 0x80000000 };
	EXPECT_EQ(-EINVAL, hpt_alloc_req(self->dev, &a));
	ASSERT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_2M, 8, &self->pool));
	EXPECT_ALL_READY(8);
}

/* Less while pages are in buffers: those leave the pool when the buffer goes. */
TEST_F(pool, set_to_less_than_is_lent)
{
	struct hpbuf_alloc a;

	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 8, &self->pool));
	ASSERT_LE(0, pool_alloc(self->dev, 6 * SZ_2M, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(6, pooled_of(_metadata, self->nl, &a));
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 2, &self->pool));
	EXPECT_EQ(2, self->pool.want);
	EXPECT_EQ(0, self->pool.ready);
	EXPECT_EQ(6, self->pool.used);
	close(a.fd);
	ASSERT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_2M, 2, &self->pool));
	EXPECT_ALL_READY(2);
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used + 2 * SZ_2M));
}

/* Pages that are being zeroed at that moment are given back too. */
TEST_F(pool, set_to_nothing_while_zeroing)
{
	struct hpbuf_alloc a;
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 16, &self->pool));
		ASSERT_LE(0, pool_alloc(self->dev, 16 * SZ_2M, HPBUF_SHIFT_2M, &a));
		close(a.fd);
		/* from before a worker has begun to after it is done */
		usleep(i * 4000);
		ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 0, &self->pool));
		EXPECT_EQ(0, pool_pages(&self->pool))
			TH_LOG("after %d ms", i * 4);
		EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	}
}

/* Of the page a process had when it was killed nothing is left. */
TEST_F(pool, back_after_sigkill)
{
	struct hpbuf_alloc a;
	pid_t pid;
	int i;

	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 8, &self->pool));
	for (i = 0; i < 8; i++) {
		pid = hpt_fork();
		if (!pid) {
			unsigned char *p;

			if (pool_alloc(self->dev, 8 * SZ_2M, HPBUF_SHIFT_2M, &a) < 0)
				_exit(1);
			p = hpt_map(a.fd, a.size);
			if (p == MAP_FAILED)
				_exit(1);
			for (;;)
				hpt_stamp(p, a.size, SALT);
		}
		usleep(1000 << i);
		kill(pid, SIGKILL);
		EXPECT_EQ(128 + SIGKILL, hpt_wait(pid));
		ASSERT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_2M, 8, &self->pool));
		EXPECT_ALL_READY(8);
	}
	ASSERT_LE(0, pool_alloc(self->dev, 8 * SZ_2M, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(8, pooled_of(_metadata, self->nl, &a));
	close(a.fd);
}

/* When a mapping went away is told of a living buffer, and only then. */
TEST_F(pool, unmapped_is_told)
{
	struct hpbuf_nl_buf b;
	struct hpbuf_alloc a;
	struct timespec now;
	unsigned char *p;

	ASSERT_LE(0, pool_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &a));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, hpbuf_nl_buf_get(self->nl, a.id, NULL, &b));
	EXPECT_FALSE(b.has_unmapped_ns);
	munmap(p, a.size);
	ASSERT_EQ(0, hpbuf_nl_buf_get(self->nl, a.id, NULL, &b));
	clock_gettime(CLOCK_BOOTTIME, &now);
	EXPECT_TRUE(b.has_unmapped_ns);
	EXPECT_LE(b.created_ns, b.unmapped_ns);
	EXPECT_GE(now.tv_sec * 1000000000ULL + now.tv_nsec, b.unmapped_ns);
	close(a.fd);
}

TEST_F(pool, a_page_of_1g)
{
	struct hpbuf_nl_pool g;
	struct hpbuf_alloc a;
	struct hpbuf_nl_buf b;
	int ret;

	ret = pool_get(self->nl, 0, HPBUF_SHIFT_1G, &g);
	if (ret == -ENOENT)
		SKIP(return, "needs 1 GiB pages, found no such pool");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, hpt_write_text("/proc/sys/vm/drop_caches", "3"));
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_1G, 1, &g))
		TH_LOG("%s", hpbuf_nl_strerror(self->nl));
	if (g.has_error) {
		EXPECT_EQ(0, pool_pages(&g));
		EXPECT_EQ(0, g.want);
		SKIP(return, "needs a 1 GiB page, found: %s", strerror(g.error));
	}
	EXPECT_EQ(1, g.ready);
	ASSERT_LE(0, pool_alloc(self->dev, SZ_1G, HPBUF_SHIFT_1G, &a));
	ASSERT_EQ(0, hpbuf_nl_buf_get(self->nl, a.id, NULL, &b));
	EXPECT_EQ(1, b.pooled);
	EXPECT_EQ(0, b.scan_ns);
	EXPECT_EQ(0, b.migrate_ns);
	close(a.fd);
	EXPECT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_1G, 1, &g));
	EXPECT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_1G, 0, &g));
	EXPECT_EQ(0, pool_pages(&g));
}

/* The pool of a node has that node's pages, and serves requests for it. */
TEST_F(pool, each_node_its_own)
{
	struct hpbuf_alloc a = { .bytes = 2 * SZ_2M, .page_shift = HPBUF_SHIFT_2M,
				 .nodes = { 2 } };
	struct hpbuf_nl_pool other;
	struct hpbuf_info info;
	int ret;

	ret = pool_get(self->nl, 1, HPBUF_SHIFT_2M, &other);
	if (ret == -ENOENT)
		SKIP(return, "needs 2 nodes with memory, found 1");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, pool_fill(self->nl, 1, HPBUF_SHIFT_2M, 4, &other));
	EXPECT_EQ(4, other.ready);
	ASSERT_EQ(0, pool_get(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
	EXPECT_ALL_READY(0);
	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	EXPECT_EQ(2, pooled_of(_metadata, self->nl, &a));
	ASSERT_EQ(0, hpt_info(a.fd, &info));
	EXPECT_EQ(2, info.node_pages[1]);
	close(a.fd);
	/* and not those for another one */
	a = (struct hpbuf_alloc){ .bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M, .nodes = { 1 } };
	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	EXPECT_EQ(0, pooled_of(_metadata, self->nl, &a));
	close(a.fd);
	EXPECT_EQ(0, pool_ready(self->nl, 1, HPBUF_SHIFT_2M, 4, &other));
	EXPECT_EQ(0, pool_fill(self->nl, 1, HPBUF_SHIFT_2M, 0, &other));
}

/* Ready pages do not keep the module, and it does not keep them. */
TEST_F(pool, unload_with_ready_pages)
{
	int ret;

	if (!getenv("HPBUF_KO"))
		SKIP(return, "needs HPBUF_KO to load the module again, found it not set");
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 32, &self->pool));
	hpbuf_nl_close(self->nl);
	close(self->dev);
	ret = hpt_unload();
	EXPECT_EQ(0, ret)
		TH_LOG("%s", strerror(-ret));
	EXPECT_TRUE(freemem_is_back(&self->before));
	if (!ret) {
		ASSERT_EQ(0, hpt_load(""));
	}
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	ASSERT_EQ(0, pool_get(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
	EXPECT_ALL_READY(0);
	EXPECT_EQ(0, self->pool.taken);
}

/* Nor does a filling that is under way. */
TEST_F(pool, unload_while_filling)
{
	int ret;

	if (!getenv("HPBUF_KO"))
		SKIP(return, "needs HPBUF_KO to load the module again, found it not set");
	ASSERT_EQ(0, pool_set(self->nl, 0, HPBUF_SHIFT_2M, 400, 0, true));
	hpbuf_nl_close(self->nl);
	close(self->dev);
	ret = hpt_unload();
	EXPECT_EQ(0, ret)
		TH_LOG("%s", strerror(-ret));
	if (!ret) {
		ASSERT_EQ(0, hpt_load(""));
	}
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
}

HPBUF_TEST_MAIN
