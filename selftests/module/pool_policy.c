// SPDX-License-Identifier: GPL-2.0-only
/*
 * What pool-set refuses, and with which words; after each of it the pool is what it
 * was before.
 */
#include "policy.h"
#include "pool.h"

static void begin_set(FIXTURE_DATA(policy) *self, uint32_t node, uint32_t shift, uint64_t want)
{
	begin(self, self->family, HPBUF_CMD_POOL_SET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_NODE, node);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_PAGE_SHIFT, shift);
	mnl_attr_put_u64(self->nlh, HPBUF_A_POOL_WANT, want);
}

/* What was begun is refused with words, by any of the errnos that say "malformed". */
#define EXPECT_MALFORMED(what) do {					\
	EXPECT_EQ(0, finish(self));					\
	EXPECT_TRUE(self->err == -EINVAL || self->err == -ERANGE ||	\
		    self->err == -ENXIO || self->err == -EOPNOTSUPP)	\
		TH_LOG("%s: %d %s", what, self->err, self->said);	\
	EXPECT_STRNE("", self->said)					\
		TH_LOG("%s: no words", what);				\
} while (0)

static void expect_untouched(struct __test_metadata *_metadata)
{
	struct hpbuf_nl_pool p;
	struct hpbuf_nl *nl;

	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, pool_settle(nl, 0, HPBUF_SHIFT_2M, &p));
	EXPECT_EQ(0, p.want);
	EXPECT_EQ(0, p.min);
	EXPECT_EQ(0, pool_pages(&p));
	hpbuf_nl_close(nl);
}

TEST_F(policy, nodes_that_are_not_there)
{
	static const uint32_t nodes[] = { 63, 64, 1023, 1024, 0x7fffffff, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		begin_set(self, nodes[i], HPBUF_SHIFT_2M, 1);
		EXPECT_MALFORMED("node");
	}
	expect_untouched(_metadata);
}

TEST_F(policy, page_sizes_there_are_not)
{
	static const uint32_t shifts[] = { 0, 12, 20, 22, 29, 31, 63, 64, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		begin_set(self, 0, shifts[i], 1);
		EXPECT_MALFORMED("page shift");
	}
	expect_untouched(_metadata);
}

TEST_F(policy, something_is_missing)
{
	begin(self, self->family, HPBUF_CMD_POOL_SET, NLM_F_ACK);
	EXPECT_MALFORMED("nothing");
	begin(self, self->family, HPBUF_CMD_POOL_SET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_NODE, 0);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_PAGE_SHIFT, HPBUF_SHIFT_2M);
	EXPECT_MALFORMED("no want");
	begin(self, self->family, HPBUF_CMD_POOL_SET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_NODE, 0);
	mnl_attr_put_u64(self->nlh, HPBUF_A_POOL_WANT, 1);
	EXPECT_MALFORMED("no page shift");
	begin(self, self->family, HPBUF_CMD_POOL_SET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_PAGE_SHIFT, HPBUF_SHIFT_2M);
	mnl_attr_put_u64(self->nlh, HPBUF_A_POOL_WANT, 1);
	EXPECT_MALFORMED("no node");
	expect_untouched(_metadata);
}

TEST_F(policy, more_kept_than_there_are)
{
	begin_set(self, 0, HPBUF_SHIFT_2M, 4);
	mnl_attr_put_u64(self->nlh, HPBUF_A_POOL_MIN, 5);
	EXPECT_MALFORMED("min above want");
	begin_set(self, 0, HPBUF_SHIFT_2M, 0);
	mnl_attr_put_u64(self->nlh, HPBUF_A_POOL_MIN, ~0ULL);
	EXPECT_MALFORMED("min of 64 bits");
	expect_untouched(_metadata);
}

/* Numbers whose bytes do not fit 64 bits, or wrap to something small. */
TEST_F(policy, more_than_any_machine_has)
{
	static const uint64_t wants[] = {
		~0ULL, 1ULL << 63, 1ULL << 62, (1ULL << 43) + 1, 1ULL << 43, 1ULL << 42,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wants); i++) {
		begin_set(self, 0, HPBUF_SHIFT_2M, wants[i]);
		EXPECT_EQ(0, finish(self));
		EXPECT_TRUE(self->err == -EINVAL || self->err == -ERANGE ||
			    self->err == -EOVERFLOW || self->err == -ENOSPC)
			TH_LOG("want %#llx: %d %s", (unsigned long long)wants[i], self->err,
			       self->said);
		EXPECT_STRNE("", self->said);
	}
	expect_untouched(_metadata);
}

TEST_F(policy, lengths_and_strangers)
{
	begin(self, self->family, HPBUF_CMD_POOL_SET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_NODE, 0);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_PAGE_SHIFT, HPBUF_SHIFT_2M);
	mnl_attr_put_u32(self->nlh, HPBUF_A_POOL_WANT, 1);
	EXPECT_MALFORMED("want of 32 bits");
	begin_set(self, 0, HPBUF_SHIFT_2M, 1);
	mnl_attr_put_u64(self->nlh, HPBUF_A_POOL_PARTIAL, 1);
	EXPECT_MALFORMED("a flag with a value");
	begin_set(self, 0, HPBUF_SHIFT_2M, 1);
	mnl_attr_put_u64(self->nlh, HPBUF_A_POOL_READY, 1);
	EXPECT_REFUSED(-EINVAL);
	begin_set(self, 0, HPBUF_SHIFT_2M, 1);
	mnl_attr_put(self->nlh, HPBUF_A_POOL_FILLING, 0, NULL);
	EXPECT_REFUSED(-EINVAL);
	begin_set(self, 0, HPBUF_SHIFT_2M, 1);
	mnl_attr_put_u32(self->nlh, 200, 1);
	EXPECT_REFUSED(-EINVAL);
	begin_set(self, 0, HPBUF_SHIFT_2M, 1);
	self->nlh->nlmsg_len -= 4;
	EXPECT_EQ(0, finish(self));
	EXPECT_GT(0, self->err);
	expect_untouched(_metadata);
}

static int set_as_nobody(void *arg)
{
	struct hpbuf_nl_pool p;
	struct hpbuf_nl *nl;

	if (hpt_become(HPT_NOBODY) || hpbuf_nl_open(&nl))
		return 100;
	/* what there is may be read */
	if (pool_get(nl, 0, HPBUF_SHIFT_2M, &p))
		return 101;
	return -pool_set(nl, 0, HPBUF_SHIFT_2M, 1, 0, false);
}

TEST_F(policy, not_as_a_user)
{
	EXPECT_EQ(EPERM, hpt_in_child(set_as_nobody, NULL));
	expect_untouched(_metadata);
}

/* More than max_bytes allows: at once, or as the filling's outcome. */
TEST_F(policy, beyond_max_bytes)
{
	struct hpbuf_nl_pool p;
	struct hpbuf_nl *nl;
	int ret;

	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, pool_get(nl, 0, HPBUF_SHIFT_2M, &p));
	ret = pool_set(nl, 0, HPBUF_SHIFT_2M, p.max_bytes / SZ_2M + 1, 0, false);
	EXPECT_TRUE(!ret || ret == -ENOSPC)
		TH_LOG("%d", ret);
	ASSERT_EQ(0, pool_settle(nl, 0, HPBUF_SHIFT_2M, &p));
	if (!ret) {
		EXPECT_TRUE(p.has_error && p.error == ENOSPC)
			TH_LOG("error %u", p.error);
	}
	hpbuf_nl_close(nl);
	expect_untouched(_metadata);
}

/*
 * A later one replaces one that is worked at, as this one is: it takes longer than a
 * system call by far.
 */
TEST_F(policy, a_later_one_counts)
{
	struct hpbuf_nl_pool p;
	struct hpbuf_nl *nl;

	if (meminfo("MemAvailable") < 3 * (long)SZ_1G)
		SKIP(return, "needs 3 GiB available, found %ld bytes", meminfo("MemAvailable"));
	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, pool_set(nl, 0, HPBUF_SHIFT_2M, 512, 0, false));
	ASSERT_EQ(0, pool_set(nl, 0, HPBUF_SHIFT_2M, 600, 7, false));
	ASSERT_EQ(0, pool_set(nl, 0, HPBUF_SHIFT_2M, 3, 1, false));
	ASSERT_EQ(0, pool_settle(nl, 0, HPBUF_SHIFT_2M, &p));
	EXPECT_EQ(3, p.want);
	EXPECT_EQ(1, p.min);
	EXPECT_EQ(3, p.ready);
	EXPECT_FALSE(p.has_error);
	ASSERT_EQ(0, pool_fill(nl, 0, HPBUF_SHIFT_2M, 0, &p));
	hpbuf_nl_close(nl);
	expect_untouched(_metadata);
}

HPBUF_TEST_MAIN
