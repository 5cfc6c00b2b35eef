// SPDX-License-Identifier: GPL-2.0
/*
 * The generic-netlink family. include/netlink/hpbuf.yaml is its contract.
 *
 * A dump reads one object at a time and holds no lock in between, so it never
 * keeps anyone waiting. It goes by id (or node), and therefore always ends.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hpbuf_netlink.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "buf.h"
#include "netlink.h"
#include "netlink_pool.h"
#include "netlink_stat.h"
#include "netlink_walk.h"

static const struct nla_policy buf_policy[HPBUF_A_BUF_MAX + 1] = {
	[HPBUF_A_BUF_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[HPBUF_A_BUF_NAME] = { .type = NLA_NUL_STRING, .len = HPBUF_NAME_LEN - 1 },
};

bool netlink_meant(const struct sk_buff *skb)
{
	const struct cred *sender = current_cred();
	const struct cred *opener;

	if (NETLINK_CB(skb).flags & NETLINK_SKB_DST)
		return true;
	opener = NETLINK_CB(skb).sk->sk_socket->file->f_cred;
	return opener->user_ns == sender->user_ns && uid_eq(opener->euid, sender->euid) &&
	       cap_issubset(sender->cap_permitted, opener->cap_permitted);
}

/* ---- buf-get ---- */

static int put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, 0);
}

static int put_buf_what(struct sk_buff *skb, const struct buf *b)
{
	if (nla_put_u32(skb, HPBUF_A_BUF_ID, b->id) ||
	    (b->name[0] && nla_put_string(skb, HPBUF_A_BUF_NAME, b->name)) ||
	    nla_put_u32(skb, HPBUF_A_BUF_PAGE_SHIFT, b->shift) ||
	    put_u64(skb, HPBUF_A_BUF_SIZE, buf_size(b)) ||
	    put_u64(skb, HPBUF_A_BUF_ASKED, b->asked) ||
	    nla_put_u32(skb, HPBUF_A_BUF_UID, from_kuid(&init_user_ns, b->owner)) ||
	    (READ_ONCE(b->persist) && nla_put_flag(skb, HPBUF_A_BUF_PERSIST)) ||
	    nla_put_u32(skb, HPBUF_A_BUF_MAPPINGS, atomic_read(&b->mappings)) ||
	    nla_put_u32(skb, HPBUF_A_BUF_OPENS, atomic_read(&b->opens)) ||
	    put_u64(skb, HPBUF_A_BUF_CREATED_NS, b->created_ns) ||
	    put_u64(skb, HPBUF_A_BUF_AGE_NS, ktime_get_boottime_ns() - b->created_ns))
		return -EMSGSIZE;
	return 0;
}

static int put_buf_times(struct sk_buff *skb, const struct buf *b)
{
	u64 faults = atomic64_read(&b->faults);
	u64 unmapped_ns = atomic64_read(&b->unmapped_ns);

	if (put_u64(skb, HPBUF_A_BUF_ALLOC_NS, b->alloc_ns) ||
	    put_u64(skb, HPBUF_A_BUF_SCAN_NS, b->time.scan) ||
	    put_u64(skb, HPBUF_A_BUF_MIGRATE_NS, b->time.migrate) ||
	    (b->time.zero_known && put_u64(skb, HPBUF_A_BUF_ZERO_NS, b->time.zero)) ||
	    put_u64(skb, HPBUF_A_BUF_POOLED, b->pooled) ||
	    put_u64(skb, HPBUF_A_BUF_POISONED, READ_ONCE(b->poisoned)) ||
	    (unmapped_ns && put_u64(skb, HPBUF_A_BUF_UNMAPPED_NS, unmapped_ns)) ||
	    put_u64(skb, HPBUF_A_BUF_FAULTS, faults))
		return -EMSGSIZE;
	if (faults && (put_u64(skb, HPBUF_A_BUF_FAULT_NS, atomic64_read(&b->fault_ns)) ||
		       put_u64(skb, HPBUF_A_BUF_FAULT_MAX_NS, atomic64_read(&b->fault_max_ns))))
		return -EMSGSIZE;
	return 0;
}

/* Nodes with most of the pages may be many; a record stays below 4 KiB. */
#define NODES_IN_RECORD	64

static int put_buf_nodes(struct sk_buff *skb, const struct buf *b)
{
	unsigned int told = 0;
	struct nlattr *nest;
	int nid;

	for (nid = 0; nid < nr_node_ids && told < NODES_IN_RECORD; nid++) {
		if (!b->node_pages[nid])
			continue;
		nest = nla_nest_start(skb, HPBUF_A_BUF_NODE);
		if (!nest || nla_put_u32(skb, HPBUF_A_NODE_PAGES_NODE, nid) ||
		    nla_put_u32(skb, HPBUF_A_NODE_PAGES_PAGES, b->node_pages[nid]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
		told++;
	}
	return 0;
}

/* @cb: of the dump that the record is part of, or NULL */
static int put_buf(struct sk_buff *skb, u32 portid, u32 seq, int flags, const struct buf *b,
		   struct netlink_callback *cb)
{
	void *head = genlmsg_put(skb, portid, seq, &netlink_family, flags, HPBUF_CMD_BUF_GET);

	if (!head)
		return -EMSGSIZE;
	if (cb)
		genl_dump_check_consistent(cb, head);
	if (put_buf_what(skb, b) || put_buf_times(skb, b) || put_buf_nodes(skb, b)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static bool may_see(const struct buf *b, kuid_t uid, bool all)
{
	return all || uid_eq(b->owner, uid);
}

static struct buf *buf_of_request(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[HPBUF_A_BUF_ID];
	struct nlattr *name = info->attrs[HPBUF_A_BUF_NAME];
	struct buf *b;

	if (!netlink_meant(skb)) {
		GENL_SET_ERR_MSG(info, NOT_MEANT);
		return ERR_PTR(-EPERM);
	}
	if (!id == !name || (name && !*(char *)nla_data(name))) {
		GENL_SET_ERR_MSG(info, "give either id or name");
		return ERR_PTR(-EINVAL);
	}
	b = buf_find(id ? nla_get_u32(id) : 0, name ? nla_data(name) : NULL, true);
	if (b && may_see(b, current_euid(), netlink_capable(skb, CAP_SYS_ADMIN)))
		return b;
	/* Whether somebody else's buffer exists is not told either. */
	if (b)
		buf_put_later(b);
	NL_SET_BAD_ATTR(info->extack, id ?: name);
	GENL_SET_ERR_MSG(info, "there is no such buffer");
	return ERR_PTR(-ENOENT);
}

static int buf_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	struct buf *b;
	int ret;

	b = buf_of_request(skb, info);
	if (IS_ERR(b))
		return PTR_ERR(b);
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	ret = msg ? put_buf(msg, info->snd_portid, info->snd_seq, 0, b, NULL) : -ENOMEM;
	buf_put_later(b);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	return genlmsg_reply(msg, info);
}

/* What a dump remembers from one call to the next, in cb->args. */
enum { ARG_NEXT, ARG_ALL, ARG_UID };

static int buf_get_start(struct netlink_callback *cb)
{
	if (nlmsg_attrlen(cb->nlh, GENL_HDRLEN)) {
		NL_SET_ERR_MSG(cb->extack, "a dump takes no attributes");
		return -EINVAL;
	}
	if (!netlink_meant(cb->skb)) {
		NL_SET_ERR_MSG(cb->extack, NOT_MEANT);
		return -EPERM;
	}
	/* Decided here: later calls may be another task reading the socket. */
	cb->args[ARG_NEXT] = 1;
	cb->args[ARG_ALL] = netlink_capable(cb->skb, CAP_SYS_ADMIN);
	cb->args[ARG_UID] = __kuid_val(current_euid());
	return 0;
}

static int buf_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	kuid_t uid = KUIDT_INIT(cb->args[ARG_UID]);
	struct buf *b;
	int ret = 0;

	/* A reader is told when the set has changed since the dump began. */
	cb->seq = buf_generation();
	while (!ret) {
		b = buf_next(cb->args[ARG_NEXT]);
		if (!b)
			break;
		if (may_see(b, uid, cb->args[ARG_ALL]))
			ret = put_buf(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				      NLM_F_MULTI, b, cb);
		if (!ret)
			cb->args[ARG_NEXT] = b->id + 1;
		buf_put_later(b);
	}
	return skb->len ?: ret;
}

/* ---- the family ---- */

static const struct genl_ops netlink_ops[] = {
	{
		.cmd = HPBUF_CMD_BUF_GET,
		.policy = buf_policy,
		.maxattr = HPBUF_A_BUF_MAX,
		.doit = buf_get_doit,
		.start = buf_get_start,
		.dumpit = buf_get_dumpit,
	}, {
		.cmd = HPBUF_CMD_POOL_GET,
		.policy = pool_get_policy,
		.maxattr = HPBUF_A_POOL_MAX,
		.dumpit = pool_get_dumpit,
	}, {
		.cmd = HPBUF_CMD_POOL_SET,
		.policy = pool_set_policy,
		.maxattr = HPBUF_A_POOL_MAX,
		.doit = pool_set_doit,
	}, {
		.cmd = HPBUF_CMD_WALK,
		.policy = walk_policy,
		.maxattr = HPBUF_A_WALK_MAX,
		.doit = walk_doit,
	}, {
		.cmd = HPBUF_CMD_STAT_GET,
		.policy = stat_policy,
		.maxattr = HPBUF_A_STAT_MAX,
		.dumpit = stat_get_dumpit,
	}, {
		.cmd = HPBUF_CMD_STAT_RESET,
		.policy = stat_policy,
		.maxattr = HPBUF_A_STAT_MAX,
		.doit = stat_reset_doit,
	}, {
		.cmd = HPBUF_CMD_TRACE_GET,
		.policy = trace_none_policy,
		.maxattr = HPBUF_A_TRACE_MAX,
		.doit = trace_get_doit,
	}, {
		.cmd = HPBUF_CMD_TRACE_SET,
		.policy = trace_policy,
		.maxattr = HPBUF_A_TRACE_MAX,
		.doit = trace_set_doit,
	},
};

static const struct genl_multicast_group netlink_groups[] = {
	[NETLINK_GROUP_EVENTS] = { .name = HPBUF_MCGRP_EVENTS },
	/* Tells of other users' processes. */
	[NETLINK_GROUP_RECLAIM] = {
		.name = HPBUF_MCGRP_RECLAIM,
		.flags = GENL_MCAST_CAP_SYS_ADMIN,
	},
};

struct genl_family netlink_family __ro_after_init = {
	.name = HPBUF_FAMILY_NAME,
	.version = HPBUF_FAMILY_VERSION,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.ops = netlink_ops,
	.n_ops = ARRAY_SIZE(netlink_ops),
	/* No command is from before strict checking. */
	.resv_start_op = 0,
	.mcgrps = netlink_groups,
	.n_mcgrps = ARRAY_SIZE(netlink_groups),
};

int netlink_init(void)
{
	return genl_register_family(&netlink_family);
}

void netlink_exit(void)
{
	genl_unregister_family(&netlink_family);
}
