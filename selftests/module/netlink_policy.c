// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink requests that are malformed: refused, with words about what is wrong,
 * and without harm to the next request.
 */
#include "policy.h"

TEST_F(policy, unknown_command)
{
	begin(self, self->family, 200, NLM_F_ACK);
	EXPECT_EQ(0, finish(self));
	EXPECT_EQ(-EOPNOTSUPP, self->err);
}

TEST_F(policy, which_buffer)
{
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	EXPECT_REFUSED(-EINVAL);
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_BUF_ID, 1);
	mnl_attr_put_strz(self->nlh, HPBUF_A_BUF_NAME, "a");
	EXPECT_REFUSED(-EINVAL);
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_BUF_ID, 0x7ffffff0);
	EXPECT_REFUSED(-ENOENT);
}

TEST_F(policy, ranges_and_lengths)
{
	char name[HPBUF_NAME_LEN + 1];

	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_BUF_ID, 0);
	EXPECT_REFUSED(-ERANGE);
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_u16(self->nlh, HPBUF_A_BUF_ID, 1);
	EXPECT_REFUSED(self->err == -EINVAL ? -EINVAL : -ERANGE);
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_u64(self->nlh, HPBUF_A_BUF_ID, 1);
	EXPECT_EQ(0, finish(self));
	EXPECT_GT(0, self->err);

	memset(name, 'n', sizeof(name));
	name[HPBUF_NAME_LEN] = '\0';
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_strz(self->nlh, HPBUF_A_BUF_NAME, name);
	EXPECT_EQ(0, finish(self));
	EXPECT_GT(0, self->err);
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put(self->nlh, HPBUF_A_BUF_NAME, 4, "nnnn");	/* no NUL */
	EXPECT_EQ(0, finish(self));
	EXPECT_GT(0, self->err);
}

/* Strict: what the command does not take is refused, not passed over. */
TEST_F(policy, unknown_attributes)
{
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_BUF_ID, 1);
	mnl_attr_put_u32(self->nlh, 200, 1);
	EXPECT_REFUSED(-EINVAL);
	begin(self, self->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	mnl_attr_put_u32(self->nlh, HPBUF_A_BUF_ID, 1);
	mnl_attr_put_u64(self->nlh, HPBUF_A_BUF_SIZE, 1);
	EXPECT_REFUSED(-EINVAL);
	begin(self, self->family, HPBUF_CMD_POOL_GET, NLM_F_DUMP);
	mnl_attr_put_u32(self->nlh, 200, 1);
	EXPECT_EQ(0, finish(self));
	EXPECT_GT(0, self->err);
}

static void walk(FIXTURE_DATA(policy) *self, uint64_t addr, uint64_t len)
{
	begin(self, self->family, HPBUF_CMD_WALK, NLM_F_ACK);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_ADDR, addr);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_LEN, len);
}

TEST_F(policy, walk_ranges)
{
	static const struct { uint64_t addr, len; } bad[] = {
		{ 0x1000, 0 }, { 0x1001, 0x1000 }, { 0x1000, 0x1001 }, { 0x1000, 1 },
		{ -0x1000ULL, 0x2000 }, { 0x1000, -0x1000ULL }, { -0x2000ULL, 0x1000 },
		{ 1ULL << 63, 0x1000 }, { 0, 1ULL << 63 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		walk(self, bad[i].addr, bad[i].len);
		EXPECT_EQ(0, finish(self))
			TH_LOG("range %u", i);
		EXPECT_TRUE(self->err == -EINVAL || self->err == -ERANGE)
			TH_LOG("range %u: %d %s", i, self->err, self->said);
		EXPECT_STRNE("", self->said);
	}
	begin(self, self->family, HPBUF_CMD_WALK, NLM_F_ACK);
	EXPECT_REFUSED(-EINVAL);
	begin(self, self->family, HPBUF_CMD_WALK, NLM_F_ACK);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_ADDR, 0x1000);
	EXPECT_REFUSED(-EINVAL);
	begin(self, self->family, HPBUF_CMD_WALK, NLM_F_ACK);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_LEN, 0x1000);
	EXPECT_REFUSED(-EINVAL);
}

/* The whole address space is a legal question, and is answered in bounded time. */
TEST_F(policy, walk_of_everything)
{
	walk(self, 0, (1ULL << 47) - 4096);
	EXPECT_EQ(1, finish(self));
	EXPECT_EQ(0, self->err)
		TH_LOG("%s", self->said);
}

/* The kernel serves all of a datagram in one go, and others wait meanwhile. */
TEST_F(policy, one_walk_to_a_datagram)
{
	const struct nlmsghdr *got = (void *)self->buf;
	unsigned int len, refused = 0, replies = 0;
	struct nlmsghdr *second;
	int n;

	walk(self, 0, 1 << 20);
	len = MNL_ALIGN(self->nlh->nlmsg_len);
	second = (void *)(self->msg + len);
	memcpy(second, self->nlh, self->nlh->nlmsg_len);
	second->nlmsg_seq++;
	second->nlmsg_flags &= ~NLM_F_ACK;
	ASSERT_LT(0, mnl_socket_sendto(self->nl, self->msg, 2 * len));
	while (!replies && (n = mnl_socket_recvfrom(self->nl, self->buf, sizeof(self->buf))) > 0) {
		for (got = (void *)self->buf; mnl_nlmsg_ok(got, n); got = mnl_nlmsg_next(got, &n)) {
			if (got->nlmsg_type == NLMSG_ERROR) {
				EXPECT_EQ(second->nlmsg_seq - 1, got->nlmsg_seq);
				EXPECT_EQ(-EINVAL,
					  ((struct nlmsgerr *)mnl_nlmsg_get_payload(got))->error);
				refused++;
			} else {
				EXPECT_EQ(second->nlmsg_seq, got->nlmsg_seq);
				replies++;
			}
		}
	}
	EXPECT_EQ(1, refused);
	EXPECT_EQ(1, replies);
	self->seq++;
}

/* A request cut off in its middle. */
TEST_F(policy, truncated)
{
	begin(self, self->family, HPBUF_CMD_WALK, NLM_F_ACK);
	mnl_attr_put_u64(self->nlh, HPBUF_A_WALK_ADDR, 0x1000);
	self->nlh->nlmsg_len -= 4;
	EXPECT_EQ(0, finish(self));
	EXPECT_GT(0, self->err);
}

HPBUF_TEST_MAIN
