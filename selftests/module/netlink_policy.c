// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink requests that are malformed: refused, with words about what is wrong,
 * and without harm to the next request.
 */
#include "hpbuf_test.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/hpbuf_netlink.h>

FIXTURE(policy) {
	struct mnl_socket *nl;
	uint16_t family;
	uint32_t seq;
	int err;		/* of the last request, 0 or negative */
	char said[256];		/* extack's words */
	char buf[65536];
	char msg[65536];
	struct nlmsghdr *nlh;
};

static struct nlmsghdr *begin(FIXTURE_DATA(policy) *self, uint16_t type, uint8_t cmd,
			      uint16_t flags)
{
	struct genlmsghdr *genl;

	self->nlh = mnl_nlmsg_put_header(self->msg);
	self->nlh->nlmsg_type = type;
	self->nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	self->nlh->nlmsg_seq = ++self->seq;
	genl = mnl_nlmsg_put_extra_header(self->nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
	return self->nlh;
}

static void keep_words(FIXTURE_DATA(policy) *self, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	size_t hlen = sizeof(*e);
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		hlen += mnl_nlmsg_get_payload_len(&e->msg);
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	mnl_attr_for_each(attr, nlh, hlen)
		if (mnl_attr_get_type(attr) == 1 /* NLMSGERR_ATTR_MSG */)
			snprintf(self->said, sizeof(self->said), "%s",
				 mnl_attr_get_str(attr));
}

/* Send what begin() started; replies up to the end of it. Returns their number. */
static int finish(FIXTURE_DATA(policy) *self)
{
	int replies = 0, i, len;

	self->err = -EIO;
	self->said[0] = '\0';
	if (mnl_socket_sendto(self->nl, self->nlh, self->nlh->nlmsg_len) < 0) {
		self->err = -errno;
		return 0;
	}
	for (i = 0; i < 1000; i++) {
		const struct nlmsghdr *nlh = (void *)self->buf;

		len = mnl_socket_recvfrom(self->nl, self->buf, sizeof(self->buf));
		if (len < 0) {
			self->err = -errno;
			return replies;
		}
		for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
			if (nlh->nlmsg_type == NLMSG_ERROR) {
				self->err = ((struct nlmsgerr *)mnl_nlmsg_get_payload(nlh))->error;
				keep_words(self, nlh);
				return replies;
			}
			if (nlh->nlmsg_type == NLMSG_DONE) {
				self->err = *(int *)mnl_nlmsg_get_payload(nlh);
				return replies;
			}
			replies++;
		}
	}
	return replies;
}

static int family_id(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			return mnl_attr_get_u16(attr);
	return 0;
}

FIXTURE_SETUP(policy)
{
	struct timeval limit = { .tv_sec = 10 };
	int on = 1;

	self->nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	ASSERT_NE(NULL, self->nl);
	ASSERT_EQ(0, mnl_socket_bind(self->nl, 0, MNL_SOCKET_AUTOPID));
	mnl_socket_setsockopt(self->nl, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(self->nl, NETLINK_CAP_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(self->nl, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	setsockopt(mnl_socket_get_fd(self->nl), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));

	begin(self, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_strz(self->nlh, CTRL_ATTR_FAMILY_NAME, HPBUF_FAMILY_NAME);
	ASSERT_LT(0, mnl_socket_sendto(self->nl, self->nlh, self->nlh->nlmsg_len));
	ASSERT_LT(0, mnl_socket_recvfrom(self->nl, self->buf, sizeof(self->buf)));
	ASSERT_NE(NLMSG_ERROR, ((struct nlmsghdr *)self->buf)->nlmsg_type);
	self->family = family_id((struct nlmsghdr *)self->buf);
	ASSERT_NE(0, self->family);
}

FIXTURE_TEARDOWN(policy)
{
	/* after all that was refused, a good request is answered */
	begin(self, self->family, HPBUF_CMD_POOL_GET, NLM_F_DUMP);
	EXPECT_LE(1, finish(self));
	EXPECT_EQ(0, self->err);
	mnl_socket_close(self->nl);
}

/* The request is refused with an errno and words. */
#define EXPECT_REFUSED(want) do {					\
	EXPECT_EQ(0, finish(self));					\
	EXPECT_EQ(want, self->err)					\
		TH_LOG("said: %s", self->said);				\
	EXPECT_STRNE("", self->said);					\
} while (0)

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
