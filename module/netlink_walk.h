/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_NETLINK_WALK_H
#define HPBUF_NETLINK_WALK_H

#include <linux/hpbuf_netlink.h>
#include <net/netlink.h>

struct genl_info;
struct sk_buff;

/* The command "walk". */
extern const struct nla_policy walk_policy[HPBUF_A_WALK_MAX + 1];
int walk_doit(struct sk_buff *skb, struct genl_info *info);

#endif
