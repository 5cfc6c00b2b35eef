/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_NETLINK_STAT_H
#define HPBUF_NETLINK_STAT_H

#include <linux/hpbuf_netlink.h>
#include <net/netlink.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;

/* The commands "stat-get", "stat-reset", "trace-get" and "trace-set". */
extern const struct nla_policy stat_policy[HPBUF_A_STAT_MAX + 1];
extern const struct nla_policy trace_policy[HPBUF_A_TRACE_MAX + 1];
extern const struct nla_policy trace_none_policy[HPBUF_A_TRACE_MAX + 1];
int stat_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int stat_reset_doit(struct sk_buff *skb, struct genl_info *info);
int trace_get_doit(struct sk_buff *skb, struct genl_info *info);
int trace_set_doit(struct sk_buff *skb, struct genl_info *info);

#endif
