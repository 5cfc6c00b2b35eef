// SPDX-License-Identifier: GPL-2.0
/* Netlink: the pages of each size on each node, and the pools of ready ones. */
#include <linux/capability.h>
#include <linux/nodemask.h>
#include <linux/hpbuf.h>
#include <net/genetlink.h>

#include "compat/compat.h"
#include "limit.h"
#include "netlink.h"
#include "netlink_pool.h"
#include "param.h"
#include "pool.h"
#include "pool_fill.h"
#include "stat.h"

/* Takes no attributes; the table is here for the strict check to refuse them. */
const struct nla_policy pool_get_policy[HPBUF_A_POOL_MAX + 1] = {};

const struct nla_policy pool_set_policy[HPBUF_A_POOL_MAX + 1] = {
	[HPBUF_A_POOL_NODE] = { .type = NLA_U32 },
	[HPBUF_A_POOL_PAGE_SHIFT] = { .type = NLA_U32 },
	[HPBUF_A_POOL_WANT] = { .type = NLA_U64 },
	[HPBUF_A_POOL_MIN] = { .type = NLA_U64 },
	[HPBUF_A_POOL_PARTIAL] = { .type = NLA_FLAG },
};

static int put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, 0);
}

/* ---- pool-get ---- */

static int put_pages(struct sk_buff *skb, const struct stat_pool *s)
{
	if (put_u64(skb, HPBUF_A_POOL_USED, atomic64_read(&s->used)) ||
	    put_u64(skb, HPBUF_A_POOL_ALLOCATED, atomic64_read(&s->allocated)) ||
	    put_u64(skb, HPBUF_A_POOL_FREED, atomic64_read(&s->freed)) ||
	    put_u64(skb, HPBUF_A_POOL_POISONED, atomic64_read(&s->kept)) ||
	    put_u64(skb, HPBUF_A_POOL_ALLOC_NS, atomic64_read(&s->alloc_ns)) ||
	    put_u64(skb, HPBUF_A_POOL_FREE_NS, atomic64_read(&s->free_ns)))
		return -EMSGSIZE;
	return 0;
}

static int put_limits(struct sk_buff *skb)
{
	if (put_u64(skb, HPBUF_A_POOL_MAX_BYTES, param_max_bytes()) ||
	    put_u64(skb, HPBUF_A_POOL_USED_BYTES, limit_used()) ||
	    put_u64(skb, HPBUF_A_POOL_FLOOR_BYTES, param_floor_bytes()))
		return -EMSGSIZE;
	return 0;
}

/* What is being zeroed is dirty as long as it is not done. Under the pool's lock. */
static int put_ready(struct sk_buff *skb, const struct pool *p)
{
	if (put_u64(skb, HPBUF_A_POOL_READY, p->nr_ready) ||
	    put_u64(skb, HPBUF_A_POOL_DIRTY, p->nr_dirty + p->nr_zeroing) ||
	    put_u64(skb, HPBUF_A_POOL_WANT, p->want) ||
	    put_u64(skb, HPBUF_A_POOL_MIN, p->min) ||
	    put_u64(skb, HPBUF_A_POOL_LENT, p->lent) ||
	    put_u64(skb, HPBUF_A_POOL_TAKEN, p->taken) ||
	    put_u64(skb, HPBUF_A_POOL_SHRUNK, p->shrunk))
		return -EMSGSIZE;
	if (p->filling)
		return nla_put_flag(skb, HPBUF_A_POOL_FILLING);
	if ((p->error && nla_put_u32(skb, HPBUF_A_POOL_ERROR, p->error)) ||
	    (p->got && put_u64(skb, HPBUF_A_POOL_GOT, p->got)))
		return -EMSGSIZE;
	return 0;
}

static int put_pool(struct sk_buff *skb, struct netlink_callback *cb, struct pool *p)
{
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				 &netlink_family, NLM_F_MULTI, HPBUF_CMD_POOL_GET);
	int ret;

	if (!head)
		return -EMSGSIZE;
	spin_lock(&p->lock);
	ret = put_ready(skb, p);
	spin_unlock(&p->lock);
	if (ret || nla_put_u32(skb, HPBUF_A_POOL_NODE, p->nid) ||
	    nla_put_u32(skb, HPBUF_A_POOL_PAGE_SHIFT, p->shift) ||
	    put_pages(skb, stat_pool(p->shift, p->nid)) || put_limits(skb)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

int pool_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	static const unsigned int shifts[] = { HPBUF_SHIFT_2M, HPBUF_SHIFT_1G };
	struct pool *p;
	long at;

	for (at = cb->args[0]; at < 2L * nr_node_ids; at++) {
		p = pool_of(shifts[at % 2], at / 2);
		if (p && put_pool(skb, cb, p))
			break;
	}
	cb->args[0] = at;
	return skb->len;
}

/* ---- pool-set ---- */

static struct pool *pool_asked(struct genl_info *info)
{
	struct nlattr *node = info->attrs[HPBUF_A_POOL_NODE];
	struct nlattr *shift = info->attrs[HPBUF_A_POOL_PAGE_SHIFT];
	struct pool *p;

	if (!node || !shift) {
		GENL_SET_ERR_MSG(info, "node and page-shift are needed");
		return ERR_PTR(-EINVAL);
	}
	if (nla_get_u32(shift) != HPBUF_SHIFT_2M && nla_get_u32(shift) != HPBUF_SHIFT_1G) {
		NL_SET_ERR_MSG_ATTR(info->extack, shift, "page-shift is 21 or 30");
		return ERR_PTR(-EINVAL);
	}
	if (nla_get_u32(shift) == HPBUF_SHIFT_1G && !compat_map_1g()) {
		NL_SET_ERR_MSG_ATTR(info->extack, shift, "no 1 GiB pages on this CPU and kernel");
		return ERR_PTR(-EOPNOTSUPP);
	}
	p = nla_get_u32(node) < nr_node_ids ? pool_of(nla_get_u32(shift), nla_get_u32(node)) : NULL;
	if (!p) {
		NL_SET_ERR_MSG_ATTR(info->extack, node, "there is no such node with memory");
		return ERR_PTR(-ENXIO);
	}
	return p;
}

int pool_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *want = info->attrs[HPBUF_A_POOL_WANT];
	struct nlattr *min = info->attrs[HPBUF_A_POOL_MIN];
	bool partial = nla_get_flag(info->attrs[HPBUF_A_POOL_PARTIAL]);
	struct pool *p;

	if (!netlink_capable(skb, CAP_SYS_ADMIN)) {
		GENL_SET_ERR_MSG(info, "needs CAP_SYS_ADMIN");
		return -EPERM;
	}
	p = pool_asked(info);
	if (IS_ERR(p))
		return PTR_ERR(p);
	if (!want) {
		GENL_SET_ERR_MSG(info, "want is needed");
		return -EINVAL;
	}
	if (!partial && nla_get_u64(want) > param_max_bytes() >> p->shift) {
		NL_SET_ERR_MSG_ATTR(info->extack, want, "want is more than max_bytes");
		return -ENOSPC;
	}
	if (min && nla_get_u64(min) > nla_get_u64(want)) {
		NL_SET_ERR_MSG_ATTR(info->extack, min, "min is more than want");
		return -EINVAL;
	}
	fill_set(p, nla_get_u64(want), min ? nla_get_u64(min) : READ_ONCE(p->min), partial);
	return 0;
}
