// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/*
 * Groups that were joined, each on a socket of its own. The kernel drops what does
 * not fit and says so (ENOBUFS) instead of making the module wait.
 */
#include "nl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Some thousand notices for a reader that is stopped for a while. */
#define FEED_RCVBUF	1048576

static int join(struct mnl_socket *sock, uint32_t group)
{
	return mnl_socket_setsockopt(sock, NETLINK_ADD_MEMBERSHIP, &group,
				     sizeof(group)) < 0 ? -errno : 0;
}

int hpnl_feed_open(struct hpbuf_nl *nl, struct hpnl_feed *f, uint32_t group)
{
	int size = FEED_RCVBUF, fd, ret;
	uint32_t ctrl_group;
	uint16_t ctrl;

	if (f->sock)
		return 0;
	if (!group)
		return -ENOENT;
	/* The controller tells when the module, and with it the family, goes. */
	ret = hpnl_resolve(nl, "nlctrl", "notify", &ctrl, &ctrl_group);
	if (ret)
		return ret;
	f->buf = malloc(HPNL_BUF);
	if (!f->buf)
		return -ENOMEM;
	ret = hpnl_socket(&f->sock);
	if (ret)
		goto err;
	/* Above the system's limit for root; else as much as it allows. */
	fd = mnl_socket_get_fd(f->sock);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	ret = join(f->sock, ctrl_group);
	if (!ret)
		ret = join(f->sock, group);
	if (ret)
		goto err;
	return 0;
err:
	hpnl_feed_close(f);
	return ret;
}

void hpnl_feed_close(struct hpnl_feed *f)
{
	if (f->sock)
		mnl_socket_close(f->sock);
	free(f->buf);
	memset(f, 0, sizeof(*f));
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

/* How many numbers are missing in front of @seq. None after a reload. */
static uint64_t gap(struct hpnl_feed *f, uint64_t seq)
{
	uint64_t last = f->seq;

	f->seq = seq;
	return last && seq > last ? seq - last - 1 : 0;
}

/* 1: @n is filled; 0: this message was none of ours. */
static int take_message(const struct hpbuf_nl *nl, struct hpnl_feed *f,
			const struct nlmsghdr *nlh, struct hpbuf_nl_notice *n)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	int ret;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl))
		return 0;
	if (nlh->nlmsg_type == GENL_ID_CTRL)
		return take_ctrl(nl, nlh);
	if (nlh->nlmsg_type != nl->family)
		return 0;
	memset(n, 0, sizeof(*n));
	if (genl->cmd == HPBUF_CMD_EVENT_NTF) {
		n->what = HPBUF_NL_EVENT;
		ret = hpnl_take_event(nlh, &n->event);
		n->lost = ret ? 0 : gap(f, n->event.seq);
	} else if (genl->cmd == HPBUF_CMD_STALL_NTF) {
		n->what = HPBUF_NL_STALL;
		ret = hpnl_take_stall(nlh, &n->stall);
		n->lost = ret ? 0 : gap(f, n->stall.seq);
	} else {
		return 0;
	}
	return ret ? ret : 1;
}

/* The next notice of the datagrams at hand; 0 when they have no more. */
static int take_ready(struct hpbuf_nl *nl, unsigned int feeds, struct hpbuf_nl_notice *n)
{
	int ret = 0;

	for (unsigned int i = 0; i < HPNL_FEEDS && !ret; i++) {
		struct hpnl_feed *f = &nl->feed[i];

		if (!(feeds & 1U << i) || !f->sock)
			continue;
		while (!ret && f->left && hpnl_ok(f->next, f->left)) {
			ret = take_message(nl, f, f->next, n);
			f->next = mnl_nlmsg_next(f->next, &f->left);
		}
		if (!ret)
			f->left = 0;
	}
	return ret;
}

/* A datagram from each feed that has one. */
static int receive(struct hpbuf_nl *nl, const struct pollfd *pfd, struct hpbuf_nl_notice *n)
{
	for (unsigned int i = 0; i < HPNL_FEEDS; i++) {
		struct hpnl_feed *f = &nl->feed[i];
		int len;

		if (pfd[i].fd < 0 || !pfd[i].revents)
			continue;
		len = hpnl_recv(f->sock, f->buf, 0);
		if (len == -EAGAIN)
			continue;
		if (len < 0) {
			n->what = i == HPNL_EVENTS ? HPBUF_NL_EVENT : HPBUF_NL_STALL;
			return len;
		}
		f->next = (const void *)f->buf;
		f->left = len;
	}
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

int hpnl_wait(struct hpbuf_nl *nl, unsigned int feeds, int timeout_ms,
	      struct hpbuf_nl_notice *n)
{
	int64_t end = now_ms() + timeout_ms, left = timeout_ms;
	struct pollfd pfd[HPNL_FEEDS];
	bool joined = false;
	int ret;

	for (unsigned int i = 0; i < HPNL_FEEDS; i++) {
		bool on = feeds & 1U << i && nl->feed[i].sock;

		pfd[i].fd = on ? mnl_socket_get_fd(nl->feed[i].sock) : -1;
		pfd[i].events = POLLIN;
		joined = joined || on;
	}
	if (!joined)
		return -ENOTCONN;
	while (!(ret = take_ready(nl, feeds, n))) {
		ret = poll(pfd, HPNL_FEEDS, (int)left);
		if (ret <= 0)
			return ret ? -errno : -EAGAIN;
		ret = receive(nl, pfd, n);
		if (ret)
			return ret;
		/* What was not for us does not prolong the wait. */
		if (timeout_ms > 0) {
			left = end - now_ms();
			left = left < 0 ? 0 : left;
		}
	}
	return ret < 0 ? ret : 0;
}

int hpbuf_nl_wait(struct hpbuf_nl *nl, int timeout_ms, struct hpbuf_nl_notice *n)
{
	return hpnl_wait(nl, 1U << HPNL_EVENTS | 1U << HPNL_STALLS, timeout_ms, n);
}
