/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_NETLINK_POOL_H
#define HPBUF_NETLINK_POOL_H

#include <linux/hpbuf_netlink.h>
#include <net/netlink.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;

/* The commands "pool-get" and "pool-set". */
extern const struct nla_policy pool_get_policy[HPBUF_A_POOL_MAX + 1];
extern const struct nla_policy pool_set_policy[HPBUF_A_POOL_MAX + 1];
int pool_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int pool_set_doit(struct sk_buff *skb, struct genl_info *info);

#endif
