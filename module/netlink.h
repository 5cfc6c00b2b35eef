/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_NETLINK_H
#define HPBUF_NETLINK_H

#include <linux/types.h>

struct genl_family;
struct sk_buff;

/* Indices of the groups in the family. */
#define NETLINK_GROUP_EVENTS	0
#define NETLINK_GROUP_RECLAIM	1

extern struct genl_family netlink_family;

/*
 * Whether what the sender may do counts for this request. The answer goes to whoever
 * has the socket. A program with more rights that was handed one, as its standard error
 * say, must not be made to ask: so its rights are those of who opened it, unless it
 * gave an address, which no write() does.
 */
bool netlink_meant(const struct sk_buff *skb);
#define NOT_MEANT	"the socket was opened with other rights: address the request to the kernel"

int netlink_init(void);
void netlink_exit(void);

#endif
