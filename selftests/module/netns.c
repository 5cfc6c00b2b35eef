// SPDX-License-Identifier: GPL-2.0-only
/*
 * In another network namespace there is no family: not by its name, not by its number,
 * and whoever joins a group there by number hears nothing, events or stalls.
 */
#include "policy.h"
#include "user.h"

#include <libhpbuf.h>

struct there {
	uint16_t family;
	uint32_t groups[2];
	int ready, go;		/* pipes */
};

static uint32_t group_id(const struct nlattr *nest, const char *name)
{
	const struct nlattr *attr;
	bool found = false;
	uint32_t id = 0;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME)
			found = !strcmp(mnl_attr_get_str(attr), name);
	}
	return found ? id : 0;
}

/* The number of a group of the family, which a user can ask for too. */
static uint32_t group_of(FIXTURE_DATA(policy) *self, const char *name)
{
	const struct nlmsghdr *nlh = (void *)self->buf;
	const struct nlattr *attr, *group;
	uint32_t id = 0;

	begin(self, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_strz(self->nlh, CTRL_ATTR_FAMILY_NAME, HPBUF_FAMILY_NAME);
	if (mnl_socket_sendto(self->nl, self->nlh, self->nlh->nlmsg_len) < 0 ||
	    mnl_socket_recvfrom(self->nl, self->buf, sizeof(self->buf)) <= 0)
		return 0;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_for_each_nested(group, attr)
				id = id ? id : group_id(group, name);
	return id;
}

/* 0: it could not be asked, nor listened to. */
static int listen_there(void *arg)
{
	static char buf[65536];
	struct there *t = arg;
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;
	struct mnl_socket *s;
	struct hpbuf_nl *nl;
	unsigned int i;

	if (hpt_become(HPT_NOBODY) || user_unshare(CLONE_NEWNET))
		return 1;
	if (hpbuf_nl_open(&nl) != -ENOENT)
		return 2;
	s = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!s || mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID))
		return 3;
	nlh->nlmsg_type = t->family;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = HPBUF_CMD_POOL_GET;
	genl->version = 1;
	if (mnl_socket_sendto(s, nlh, nlh->nlmsg_len) < 0 ||
	    mnl_socket_recvfrom(s, buf, sizeof(buf)) <= 0)
		return 4;
	if (nlh->nlmsg_type != NLMSG_ERROR ||
	    ((struct nlmsgerr *)mnl_nlmsg_get_payload(nlh))->error != -ENOENT)
		return 5;
	/* Some kernels let it join, some do not. */
	for (i = 0; i < ARRAY_SIZE(t->groups); i++)
		(void)mnl_socket_setsockopt(s, NETLINK_ADD_MEMBERSHIP, &t->groups[i],
					    sizeof(t->groups[i]));
	if (write(t->ready, "", 1) != 1 || read(t->go, buf, 1) != 1)
		return 6;
	if (recv(mnl_socket_get_fd(s), buf, sizeof(buf), MSG_DONTWAIT) >= 0)
		return 7;
	return errno == EAGAIN ? 0 : 8;
}

TEST_F(policy, nothing_is_told_elsewhere)
{
	struct there t = { .family = self->family };
	int ready[2], go[2], dev = hpt_open(NULL);
	struct hpbuf_nl_event e;
	struct hpbuf_alloc a;
	struct hpbuf_nl *nl;
	char byte;
	pid_t pid;

	USER_NEED_UNSHARE(CLONE_NEWNET);
	t.groups[0] = group_of(self, HPBUF_MCGRP_EVENTS);
	t.groups[1] = group_of(self, HPBUF_MCGRP_RECLAIM);
	ASSERT_NE(0, t.groups[0]);
	ASSERT_NE(0, t.groups[1]);
	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, hpbuf_nl_subscribe(nl));
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	t.ready = ready[1];
	t.go = go[0];
	pid = hpt_fork();
	if (!pid) {
		close(ready[0]);
		close(go[1]);
		_exit(listen_there(&t));
	}
	close(ready[1]);
	EXPECT_EQ(1, read(ready[0], &byte, 1));

	ASSERT_LE(0, hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a));
	close(a.fd);
	/* here it is told */
	ASSERT_EQ(0, hpbuf_nl_event(nl, 10000, &e));
	ASSERT_EQ(0, hpbuf_nl_event(nl, 10000, &e));
	EXPECT_EQ(HPBUF_EVENT_KIND_FREE, e.kind);
	EXPECT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(0, hpt_wait(pid));
	hpbuf_nl_close(nl);
	close(dev);
}

HPBUF_TEST_MAIN
