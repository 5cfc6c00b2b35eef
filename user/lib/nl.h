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

struct hpbuf_nl {
	struct mnl_socket *sock;	/* requests */
	struct mnl_socket *events;	/* its own, so that a burst costs no reply */
	uint16_t family;
	uint32_t group;			/* "events" */
	uint32_t seq;
	char err[256];
	char *buf;			/* HPNL_BUF bytes for replies */
	char *ev_buf;			/* and for events */
	const struct nlmsghdr *ev_next;
	int ev_left;			/* bytes at ev_next */
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
