/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink requests built byte by byte, for tests of what the family refuses. After
 * each test a good request has to be answered.
 */
#ifndef HPBUF_POLICY_H
#define HPBUF_POLICY_H

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

/* The family's number, 0 when it is not there. It changes with each load. */
static uint16_t find_family(FIXTURE_DATA(policy) *self)
{
	const struct nlmsghdr *nlh = (void *)self->buf;

	begin(self, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_strz(self->nlh, CTRL_ATTR_FAMILY_NAME, HPBUF_FAMILY_NAME);
	if (mnl_socket_sendto(self->nl, self->nlh, self->nlh->nlmsg_len) <= 0 ||
	    mnl_socket_recvfrom(self->nl, self->buf, sizeof(self->buf)) <= 0)
		return 0;
	return nlh->nlmsg_type == NLMSG_ERROR ? 0 : family_id(nlh);
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

	self->family = find_family(self);
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

#endif
