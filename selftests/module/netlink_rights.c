// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the netlink family keeps from users, and from root of a user namespace that
 * shares the initial network namespace: changes, stalls, whom tracing watches, and
 * other users' buffers.
 */
#include "pool.h"
#include "user.h"

FIXTURE(rights) {
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_nl_trace was;
	struct hpbuf_alloc a;
};

FIXTURE_VARIANT(rights) {
	bool namespace;
};

FIXTURE_VARIANT_ADD(rights, user) { .namespace = false };
FIXTURE_VARIANT_ADD(rights, namespace_root) { .namespace = true };

FIXTURE_SETUP(rights)
{
	const struct hpbuf_nl_trace set = {
		.has_pid = true, .pid = getpid(), .has_cgroup = true, .cgroup = 1,
	};

	if (variant->namespace)
		USER_NEED_UNSHARE(0);
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->a = (struct hpbuf_alloc){
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M, .name = "hidden",
	};
	ASSERT_LE(0, hpt_alloc_req(self->dev, &self->a));
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	ASSERT_EQ(0, hpbuf_nl_trace_get(self->nl, &self->was));
	ASSERT_EQ(0, hpbuf_nl_trace_set(self->nl, &set));
}

FIXTURE_TEARDOWN(rights)
{
	EXPECT_EQ(0, hpbuf_nl_trace_set(self->nl, &self->was));
	hpbuf_nl_close(self->nl);
	close(self->a.fd);
	close(self->dev);
}

struct asked {
	bool namespace;
	int (*fn)(struct hpbuf_nl *nl, uint32_t id);
	uint32_t id;
};

static int ask(void *arg)
{
	const struct asked *a = arg;
	struct hpbuf_nl *nl;

	if (hpt_become(HPT_NOBODY) || (a->namespace && user_unshare(0)) || hpbuf_nl_open(&nl))
		return 100;
	return a->fn(nl, a->id);
}

/* What @fn returned as that user: 0, or an errno. */
#define ASK(fn_) hpt_in_child(ask, &(struct asked){ variant->namespace, fn_, self->a.id })

static int set_pool(struct hpbuf_nl *nl, uint32_t id)
{
	return -pool_set(nl, 0, HPBUF_SHIFT_2M, 1, 0, true);
}

static int set_trace(struct hpbuf_nl *nl, uint32_t id)
{
	const struct hpbuf_nl_trace on = { .has_enabled = true, .enabled = true };

	return -hpbuf_nl_trace_set(nl, &on);
}

static int reset_stats(struct hpbuf_nl *nl, uint32_t id)
{
	return -hpbuf_nl_stat_reset(nl);
}

static int hear_stalls(struct hpbuf_nl *nl, uint32_t id)
{
	return -hpbuf_nl_subscribe_stalls(nl);
}

TEST_F(rights, changes_nothing)
{
	EXPECT_EQ(EPERM, ASK(set_pool));
	EXPECT_EQ(EPERM, ASK(set_trace));
	EXPECT_EQ(EPERM, ASK(reset_stats));
}

TEST_F(rights, hears_no_stalls)
{
	EXPECT_EQ(EPERM, ASK(hear_stalls));
}

static int see_trace(struct hpbuf_nl *nl, uint32_t id)
{
	struct hpbuf_nl_trace t;
	int ret = hpbuf_nl_trace_get(nl, &t);

	if (ret || !t.has_enabled || !t.has_threshold_ns)
		return 101;
	return t.has_pid || t.pid ? 1 : t.has_cgroup || t.cgroup ? 2 : 0;
}

TEST_F(rights, is_not_told_who_is_watched)
{
	struct hpbuf_nl_trace t;

	EXPECT_EQ(0, ASK(see_trace));
	ASSERT_EQ(0, hpbuf_nl_trace_get(self->nl, &t));
	EXPECT_TRUE(t.has_pid && t.has_cgroup);
	EXPECT_EQ(getpid(), t.pid);
	EXPECT_EQ(1, t.cgroup);
}

static int sees_all(struct hpbuf_nl *nl, uint32_t id)
{
	struct hpbuf_nl_trace t;

	if (hpbuf_nl_trace_get(nl, &t))
		return 101;
	return !(t.has_pid && !t.pid && t.has_cgroup && !t.cgroup);
}

/* Whose counts these are is a part of what they say. */
TEST_F(rights, is_told_that_all_are_watched)
{
	const struct hpbuf_nl_trace all = { .has_pid = true, .has_cgroup = true };

	ASSERT_EQ(0, hpbuf_nl_trace_set(self->nl, &all));
	EXPECT_EQ(0, ASK(sees_all));
}

static int one_more(const struct hpbuf_nl_buf *b, void *arg)
{
	++*(int *)arg;
	return 0;
}

static int see_buffers(struct hpbuf_nl *nl, uint32_t id)
{
	struct hpbuf_nl_buf b;
	int nr = 0;

	if (hpbuf_nl_bufs(nl, one_more, &nr) || nr)
		return 1;
	if (hpbuf_nl_buf_get(nl, id, NULL, &b) != -ENOENT)
		return 2;
	return hpbuf_nl_buf_get(nl, 0, "hidden", &b) == -ENOENT ? 0 : 3;
}

TEST_F(rights, sees_no_buffers_of_others)
{
	EXPECT_EQ(0, ASK(see_buffers));
}

HPBUF_TEST_MAIN
