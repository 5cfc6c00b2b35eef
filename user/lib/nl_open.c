// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* The socket, and the numbers the kernel gave to the family and its group. */
#include "nl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int hpnl_socket(struct mnl_socket **sock)
{
	static const int options[] = {
		NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK, 0
	};
	struct mnl_socket *s;
	int one = 1, ret;

	s = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!s)
		return -errno;
	/* The port is the kernel's choice: the pid may be taken by another one. */
	if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) < 0)
		goto err;
	for (const int *opt = options; *opt; opt++)
		if (mnl_socket_setsockopt(s, *opt, &one, sizeof(one)) < 0 &&
		    errno != ENOPROTOOPT)
			goto err;
	*sock = s;
	return 0;
err:
	ret = -errno;
	mnl_socket_close(s);
	return ret;
}

struct family {
	const char *group_name;
	uint32_t id;
	uint32_t version;
	uint32_t group;
};

static void take_group(const struct nlattr *nest, struct family *f, bool *bad)
{
	char name[GENL_NAMSIZ] = "";
	const struct nlattr *attr;
	uint32_t id = 0;

	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case CTRL_ATTR_MCAST_GRP_ID:
			id = hpnl_u32(attr, bad);
			break;
		case CTRL_ATTR_MCAST_GRP_NAME:
			hpnl_text(attr, name, sizeof(name), bad);
			break;
		}
	}
	if (!strcmp(name, f->group_name))
		f->group = id;
}

static int take_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr, *group;
	struct family *f = arg;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case CTRL_ATTR_FAMILY_ID:
			if (mnl_attr_get_payload_len(attr) == sizeof(uint16_t))
				f->id = mnl_attr_get_u16(attr);
			break;
		case CTRL_ATTR_VERSION:
			f->version = hpnl_u32(attr, &bad);
			break;
		case CTRL_ATTR_MCAST_GROUPS:
			mnl_attr_for_each_nested(group, attr)
				take_group(group, f, &bad);
			break;
		}
	}
	return bad || !f->id ? -EBADMSG : 0;
}

int hpnl_resolve(struct hpbuf_nl *nl, const char *family, const char *name,
		 uint16_t *id, uint32_t *group)
{
	struct family f = { .group_name = name };
	struct nlmsghdr *nlh;
	union hpnl_req req;
	int ret;

	nlh = hpnl_prepare(&req, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, family);
	ret = hpnl_request(nl, nlh, take_family, &f);
	if (ret)
		return ret;
	*id = (uint16_t)f.id;
	*group = f.group;
	return 0;
}

int hpbuf_nl_open(struct hpbuf_nl **out)
{
	struct hpbuf_nl *nl;
	int ret;

	nl = calloc(1, sizeof(*nl));
	if (!nl)
		return -ENOMEM;
	nl->buf = malloc(HPNL_BUF);
	if (!nl->buf) {
		ret = -ENOMEM;
		goto err;
	}
	ret = hpnl_socket(&nl->sock);
	if (ret)
		goto err;
	ret = hpnl_resolve(nl, HPBUF_FAMILY_NAME, HPBUF_MCGRP_EVENTS, &nl->family,
			   &nl->group);
	if (ret)
		goto err;
	*out = nl;
	return 0;
err:
	hpbuf_nl_close(nl);
	return ret;
}

void hpbuf_nl_close(struct hpbuf_nl *nl)
{
	if (!nl)
		return;
	for (int i = 0; i < HPNL_FEEDS; i++)
		hpnl_feed_close(&nl->feed[i]);
	if (nl->sock)
		mnl_socket_close(nl->sock);
	free(nl->buf);
	free(nl);
}

const char *hpbuf_nl_strerror(const struct hpbuf_nl *nl)
{
	return nl->err;
}
