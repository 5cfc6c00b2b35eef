// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/*
 * Events, on a socket of their own. The kernel drops what does not fit and says
 * so (ENOBUFS) instead of making the module wait.
 */
#include "nl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Some thousand events for a reader that is stopped for a while. */
#define EVENT_RCVBUF	1048576

static int join(struct mnl_socket *sock, uint32_t group)
{
	return mnl_socket_setsockopt(sock, NETLINK_ADD_MEMBERSHIP, &group,
				     sizeof(group)) < 0 ? -errno : 0;
}

int hpbuf_nl_subscribe(struct hpbuf_nl *nl)
{
	int size = EVENT_RCVBUF, fd, ret;
	uint32_t ctrl_group;
	uint16_t ctrl;

	if (nl->events)
		return 0;
	if (!nl->group)
		return -ENOENT;
	/* The controller tells when the module, and with it the family, goes. */
	ret = hpnl_resolve(nl, "nlctrl", "notify", &ctrl, &ctrl_group);
	if (ret)
		return ret;
	nl->ev_buf = malloc(HPNL_BUF);
	if (!nl->ev_buf)
		return -ENOMEM;
	ret = hpnl_socket(&nl->events);
	if (ret)
		goto err_buf;
	/* Above the system's limit for root; else as much as it allows. */
	fd = mnl_socket_get_fd(nl->events);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	ret = join(nl->events, ctrl_group);
	if (!ret)
		ret = join(nl->events, nl->group);
	if (ret)
		goto err_sock;
	return 0;
err_sock:
	mnl_socket_close(nl->events);
	nl->events = NULL;
err_buf:
	free(nl->ev_buf);
	nl->ev_buf = NULL;
	return ret;
}

static void take_attr(struct hpbuf_nl_event *ev, const struct nlattr *attr, bool *bad)
{
	switch (mnl_attr_get_type(attr)) {
	case HPBUF_A_EVENT_SEQ:
		ev->seq = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_EVENT_KIND:
		ev->kind = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_EVENT_TIME_NS:
		ev->time_ns = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_EVENT_ID:
		ev->id = hpnl_u32(attr, bad);
		ev->has_id = true;
		break;
	case HPBUF_A_EVENT_PAGE_SHIFT:
		ev->page_shift = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_EVENT_SIZE:
		ev->size = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_EVENT_TOOK_NS:
		ev->took_ns = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_EVENT_CAUSE:
		ev->cause = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_EVENT_ERRNO:
		ev->err = hpnl_u32(attr, bad);
		break;
	}
}

/* -ENODEV when it tells that our family was taken away. */
static int take_ctrl(const struct hpbuf_nl *nl, const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	if (genl->cmd != CTRL_CMD_DELFAMILY)
		return 0;
	mnl_attr_for_each(attr, nlh, sizeof(*genl)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    mnl_attr_get_payload_len(attr) == sizeof(uint16_t) &&
		    mnl_attr_get_u16(attr) == nl->family)
			return -ENODEV;
	}
	return 0;
}

/* 1: @ev is filled; 0: this message was none of ours. */
static int take_event(const struct hpbuf_nl *nl, const struct nlmsghdr *nlh,
		      struct hpbuf_nl_event *ev)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;
	bool bad = false;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl))
		return 0;
	if (nlh->nlmsg_type == GENL_ID_CTRL)
		return take_ctrl(nl, nlh);
	if (nlh->nlmsg_type != nl->family || genl->cmd != HPBUF_CMD_EVENT_NTF)
		return 0;
	memset(ev, 0, sizeof(*ev));
	mnl_attr_for_each(attr, nlh, sizeof(*genl))
		take_attr(ev, attr, &bad);
	return bad ? -EBADMSG : 1;
}

/* The next event of the datagram at hand; 0 when it has no more. */
static int next_event(struct hpbuf_nl *nl, struct hpbuf_nl_event *ev)
{
	int ret = 0;

	while (!ret && nl->ev_left && mnl_nlmsg_ok(nl->ev_next, nl->ev_left)) {
		ret = take_event(nl, nl->ev_next, ev);
		nl->ev_next = mnl_nlmsg_next(nl->ev_next, &nl->ev_left);
	}
	if (!ret)
		nl->ev_left = 0;
	return ret;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

int hpbuf_nl_event(struct hpbuf_nl *nl, int timeout_ms, struct hpbuf_nl_event *ev)
{
	int64_t end = now_ms() + timeout_ms;
	int64_t left = timeout_ms;
	int ret;

	if (!nl->events)
		return -ENOTCONN;
	for (;;) {
		ret = next_event(nl, ev);
		if (ret)
			return ret < 0 ? ret : 0;
		ret = hpnl_recv(nl->events, nl->ev_buf, (int)left);
		if (ret < 0)
			return ret;
		nl->ev_next = (const void *)nl->ev_buf;
		nl->ev_left = ret;
		/* What was not for us does not prolong the wait. */
		if (timeout_ms > 0) {
			left = end - now_ms();
			if (left < 0)
				left = 0;
		}
	}
}
