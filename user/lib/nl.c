// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/*
 * One request and its replies. libmnl parses; family look-up, extack, time
 * limits and interrupted dumps are ours.
 */
#include "nl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define REPLY_TIMEOUT_MS	5000

/* A dump that changes all the time has to end some day. */
#define DUMP_TRIES		32

int hpnl_recv(struct mnl_socket *sock, char *buf, int timeout_ms)
{
	struct pollfd pfd = { .fd = mnl_socket_get_fd(sock), .events = POLLIN };
	struct iovec iov = { .iov_base = buf, .iov_len = HPNL_BUF };
	struct sockaddr_nl from = { 0 };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t len;
	int ret;

	ret = poll(&pfd, 1, timeout_ms);
	if (ret < 0)
		return -errno;
	if (!ret)
		return -EAGAIN;
	len = recvmsg(pfd.fd, &msg, MSG_DONTWAIT);
	if (len < 0)
		return -errno;
	if (msg.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	/* Only the kernel speaks for the kernel. */
	return from.nl_pid ? 0 : (int)len;
}

/* extack: the attributes behind what an error or the end of a dump carries. */
static void take_extack(struct hpbuf_nl *nl, const struct nlmsghdr *nlh, size_t skip)
{
	const char *payload = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	const struct nlattr *attr;
	bool bad = false;

	skip = MNL_ALIGN(skip);
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || skip >= len)
		return;
	mnl_attr_for_each_payload((void *)(payload + skip), len - skip) {
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
			hpnl_text(attr, nl->err, sizeof(nl->err), &bad);
	}
}

static int take_error(struct hpbuf_nl *nl, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t skip = sizeof(*err);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err))
		return -EBADMSG;
	/* Without NETLINK_CAP_ACK our own request comes back in between. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += err->msg.nlmsg_len - sizeof(err->msg);
	take_extack(nl, nlh, skip);
	return err->error > 0 ? -EBADMSG : err->error;
}

/* The end of a dump carries an error too. */
static int take_done(struct hpbuf_nl *nl, const struct nlmsghdr *nlh)
{
	int error;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(error))
		return 0;
	memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	take_extack(nl, nlh, sizeof(error));
	return error < 0 ? error : 0;
}

struct reply {
	uint32_t seq;
	uint32_t port;
	hpnl_fn *fn;
	void *arg;
	int error;		/* of @fn */
	bool interrupted;
	bool done;
};

/* One datagram. Returns what the kernel said at the end, 0 before. */
static int take_datagram(struct hpbuf_nl *nl, struct reply *r, int len)
{
	const struct nlmsghdr *nlh = (const void *)nl->buf;

	for (; hpnl_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		/* Left over from a request that was given up. */
		if (nlh->nlmsg_seq != r->seq || nlh->nlmsg_pid != r->port)
			continue;
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			r->interrupted = true;
		if (nlh->nlmsg_type == NLMSG_ERROR) {
			r->done = true;
			return take_error(nl, nlh);
		}
		if (nlh->nlmsg_type == NLMSG_DONE) {
			r->done = true;
			return take_done(nl, nlh);
		}
		/*
		 * A dump is read to its end also after a mistake: the socket
		 * could not start another one before.
		 */
		if (nlh->nlmsg_type >= NLMSG_MIN_TYPE && !r->error)
			r->error = r->fn(nlh, r->arg);
	}
	return 0;
}

static int take_replies(struct hpbuf_nl *nl, struct reply *r)
{
	int ret = 0, len;

	do {
		len = hpnl_recv(nl->sock, nl->buf, REPLY_TIMEOUT_MS);
		if (len == -EINTR)
			continue;
		if (len == -EAGAIN) {
			snprintf(nl->err, sizeof(nl->err), "no answer in %d s",
				 REPLY_TIMEOUT_MS / 1000);
			return -ETIMEDOUT;
		}
		if (len < 0)
			return len;
		ret = take_datagram(nl, r, len);
	} while (!r->done);

	if (ret)
		return ret;
	if (r->error)
		return r->error;
	return r->interrupted ? HPNL_INTERRUPTED : 0;
}

struct nlmsghdr *hpnl_prepare(union hpnl_req *req, uint16_t family, uint8_t cmd,
			      uint16_t flags)
{
	struct nlmsghdr *nlh;
	struct genlmsghdr *genl;

	/* Reserved fields are to be zero, or the request is refused. */
	memset(req, 0, sizeof(*req));
	nlh = mnl_nlmsg_put_header(req->room);
	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = family == GENL_ID_CTRL ? 2 : HPBUF_FAMILY_VERSION;
	return nlh;
}

int hpnl_request(struct hpbuf_nl *nl, struct nlmsghdr *nlh, hpnl_fn *fn, void *arg)
{
	struct reply r = {
		.seq = ++nl->seq,
		.port = mnl_socket_get_portid(nl->sock),
		.fn = fn,
		.arg = arg,
	};

	nl->err[0] = '\0';
	nlh->nlmsg_seq = r.seq;
	if (mnl_socket_sendto(nl->sock, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	return take_replies(nl, &r);
}

struct records {
	hpnl_fn *fn;
	char *data;
	size_t size, nr, room;
};

static int take_record(const struct nlmsghdr *nlh, void *arg)
{
	struct records *r = arg;
	void *rec;
	int ret;

	if (r->nr == r->room) {
		size_t room = r->room ? r->room * 2 : 32;

		rec = reallocarray(r->data, room, r->size);
		if (!rec)
			return -ENOMEM;
		r->data = rec;
		r->room = room;
	}
	rec = r->data + r->nr * r->size;
	memset(rec, 0, r->size);
	ret = r->fn(nlh, rec);
	if (!ret)
		r->nr++;
	return ret;
}

int hpnl_dump(struct hpbuf_nl *nl, uint8_t cmd, size_t size, hpnl_fn *fn,
	      void **out, size_t *nr)
{
	struct records r = { .fn = fn, .size = size };
	union hpnl_req req;
	int ret, tries = 0;

	do {
		r.nr = 0;
		ret = hpnl_request(nl, hpnl_prepare(&req, nl->family, cmd, NLM_F_DUMP),
				   take_record, &r);
	} while (ret == HPNL_INTERRUPTED && ++tries < DUMP_TRIES);

	if (ret) {
		free(r.data);
		if (ret != HPNL_INTERRUPTED)
			return ret;
		snprintf(nl->err, sizeof(nl->err), "changed during each of %d reads",
			 DUMP_TRIES);
		return -EAGAIN;
	}
	*out = r.data;
	*nr = r.nr;
	return 0;
}

uint32_t hpnl_u32(const struct nlattr *attr, bool *bad)
{
	uint32_t v = 0;

	if (mnl_attr_get_payload_len(attr) == sizeof(v))
		memcpy(&v, mnl_attr_get_payload(attr), sizeof(v));
	else
		*bad = true;
	return v;
}

uint64_t hpnl_u64(const struct nlattr *attr, bool *bad)
{
	uint64_t v = 0;

	/* Aligned to 4 bytes only. */
	if (mnl_attr_get_payload_len(attr) == sizeof(v))
		memcpy(&v, mnl_attr_get_payload(attr), sizeof(v));
	else
		*bad = true;
	return v;
}

void hpnl_text(const struct nlattr *attr, char *buf, size_t size, bool *bad)
{
	const char *text = mnl_attr_get_payload(attr);
	size_t len = strnlen(text, mnl_attr_get_payload_len(attr));

	if (len >= size) {
		*bad = true;
		len = size - 1;
	}
	memcpy(buf, text, len);
	buf[len] = '\0';
}
