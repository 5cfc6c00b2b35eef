/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_NETLINK_H
#define HPBUF_NETLINK_H

struct genl_family;

/* Indices of the groups in the family. */
#define NETLINK_GROUP_EVENTS	0
#define NETLINK_GROUP_RECLAIM	1

extern struct genl_family netlink_family;

int netlink_init(void);
void netlink_exit(void);

#endif
