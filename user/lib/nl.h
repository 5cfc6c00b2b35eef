/* SPDX-License-Identifier: MIT OR LGPL-2.1-or-later */
/*
 * Inside of the netlink half: one request and its replies, and attributes that
 * are checked before they are read.
 */
#ifndef LIBHPBUF_NL_H
#define LIBHPBUF_NL_H

#include "libhpbuf.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/hpbuf_netlink.h>

/** The kernel builds dumps of up to 32 KiB; twice that is never cut. */
#define HPNL_BUF	65536

/** Requests are this long at most. */
#define HPNL_REQ	256

/**
 * struct hpnl_feed - a group that was joined
 * @sock: its own, so that a burst costs no reply; NULL: not joined
 * @buf: HPNL_BUF bytes; @next: message in it that is to be read, @left bytes
 * @seq: number of the last notice, 0: none came yet
 */
struct hpnl_feed {
	struct mnl_socket *sock;
	char *buf;
	const struct nlmsghdr *next;
	int left;
	uint64_t seq;
};

enum { HPNL_EVENTS, HPNL_STALLS, HPNL_FEEDS };

struct hpbuf_nl {
	struct mnl_socket *sock;	/* requests */
	struct hpnl_feed feed[HPNL_FEEDS];
	uint16_t family;
	uint32_t group;			/* "events" */
	uint32_t seq;
	char err[256];
	char *buf;			/* HPNL_BUF bytes for replies */
};

/** Room for a request, aligned as the header wants it. */
union hpnl_req {
	struct nlmsghdr nlh;
	char room[HPNL_REQ];
};

/** Gets each reply; 0 or a negative errno, after which no more are shown. */
typedef int hpnl_fn(const struct nlmsghdr *nlh, void *arg);

/** Header of a request of type @family; @flags are added to NLM_F_REQUEST. */
struct nlmsghdr *hpnl_prepare(union hpnl_req *req, uint16_t family, uint8_t cmd,
			      uint16_t flags);

/** What hpnl_request() returns for a dump that changed while it was read. */
#define HPNL_INTERRUPTED	1

/** Send @nlh, hand all replies to @fn. Waits 5 s at most for each of them. */
int hpnl_request(struct hpbuf_nl *nl, struct nlmsghdr *nlh, hpnl_fn *fn, void *arg);

/**
 * hpnl_dump - all records of a dump, again until it is one consistent state
 * @cmd: HPBUF_CMD_*
 * @size: bytes of one record
 * @fn: fills one; @arg is the record, zeroed
 * @out: array, to be freed by the caller
 * @nr: how many
 */
int hpnl_dump(struct hpbuf_nl *nl, uint8_t cmd, size_t size, hpnl_fn *fn,
	      void **out, size_t *nr);

/** A socket with the options wanted; @group 0: joins none. */
int hpnl_socket(struct mnl_socket **sock);

/** hpnl_feed_open - join @group; again: does nothing */
int hpnl_feed_open(struct hpbuf_nl *nl, struct hpnl_feed *f, uint32_t group);
void hpnl_feed_close(struct hpnl_feed *f);

/**
 * hpnl_wait - the next notice of the feeds in the mask @feeds (1 << HPNL_EVENTS)
 * Results as of hpbuf_nl_wait().
 */
int hpnl_wait(struct hpbuf_nl *nl, unsigned int feeds, int timeout_ms,
	      struct hpbuf_nl_notice *n);

/** hpnl_take_event, hpnl_take_stall - all attributes; -EBADMSG if one is malformed */
int hpnl_take_event(const struct nlmsghdr *nlh, struct hpbuf_nl_event *ev);
int hpnl_take_stall(const struct nlmsghdr *nlh, struct hpbuf_nl_stall *st);

/**
 * Whether a whole message is there, with its padding: the kernel sends that, and libmnl
 * looks for attributes up to its end. mnl_nlmsg_ok() takes a length of 2^31 and more for
 * a negative one, and mnl_nlmsg_next() would not move on.
 */
static inline bool hpnl_ok(const struct nlmsghdr *nlh, int len)
{
	return mnl_nlmsg_ok(nlh, len) && nlh->nlmsg_len <= (uint32_t)len &&
	       MNL_ALIGN(nlh->nlmsg_len) <= (uint32_t)len;
}

/** One datagram from the kernel: its length, or -EAGAIN after @timeout_ms. */
int hpnl_recv(struct mnl_socket *sock, char *buf, int timeout_ms);

/** The group @name of the family @family: its id, and the family's. */
int hpnl_resolve(struct hpbuf_nl *nl, const char *family, const char *name,
		 uint16_t *id, uint32_t *group);

/*
 * Values. Each adds to *@bad when the length is not the type's, so that a whole
 * record is read in one go and refused once. (mnl_attr_validate() lets too short
 * ones through.)
 */
uint32_t hpnl_u32(const struct nlattr *attr, bool *bad);
uint64_t hpnl_u64(const struct nlattr *attr, bool *bad);
void hpnl_text(const struct nlattr *attr, char *buf, size_t size, bool *bad);

#endif
