// SPDX-License-Identifier: GPL-2.0
/* Netlink: histograms, and tracing of the kernel's reclaim. */
#include <linux/capability.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/hpbuf.h>
#include <net/genetlink.h>

#include "hist.h"
#include "netlink.h"
#include "netlink_stat.h"
#include "reclaim.h"

/* Those that take nothing: the strict check refuses what comes. */
const struct nla_policy stat_policy[HPBUF_A_STAT_MAX + 1] = {};
const struct nla_policy trace_none_policy[HPBUF_A_TRACE_MAX + 1] = {};

const struct nla_policy trace_policy[HPBUF_A_TRACE_MAX + 1] = {
	[HPBUF_A_TRACE_ENABLED] = NLA_POLICY_MAX(NLA_U32, 1),
	[HPBUF_A_TRACE_THRESHOLD_NS] = { .type = NLA_U64 },
	[HPBUF_A_TRACE_PID] = { .type = NLA_U32 },
	[HPBUF_A_TRACE_CGROUP] = { .type = NLA_U64 },
};

/* What all tasks do may be watched by those who may trace them. */
static bool may_trace(struct sk_buff *skb)
{
	return netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN);
}

/* ---- stat-get ---- */

/*
 * The records in their order: own operations by source, size and node, then the
 * kernel's, then failures by cause.
 */
struct stat_pos {
	enum hpbuf_stat_source source;
	unsigned int shift;	/* 0: not by size and node */
	int nid;
	enum hpbuf_cause cause;
};

#define OWN_SOURCES	(HPBUF_STAT_SOURCE_SHRINK + 1)
#define KERNEL_SOURCES	(HPBUF_STAT_SOURCE_KSWAPD - HPBUF_STAT_SOURCE_SHRINK)

static bool stat_pos(long at, struct stat_pos *p)
{
	long own = (long)OWN_SOURCES * 2 * nr_node_ids;

	memset(p, 0, sizeof(*p));
	if (at < own) {
		p->nid = at % nr_node_ids;
		p->shift = at / nr_node_ids % 2 ? HPBUF_SHIFT_1G : HPBUF_SHIFT_2M;
		p->source = at / nr_node_ids / 2;
		return true;
	}
	at -= own;
	if (at < KERNEL_SOURCES) {
		p->source = HPBUF_STAT_SOURCE_DIRECT_RECLAIM + at;
		return true;
	}
	at -= KERNEL_SOURCES;
	p->source = HPBUF_STAT_SOURCE_FAIL;
	p->cause = at + 1;
	return p->cause <= HPBUF_CAUSE_OTHER;
}

/* Read what is at @p; false when it is empty. */
static bool stat_read(const struct stat_pos *p, struct hist *h)
{
	if (p->source == HPBUF_STAT_SOURCE_FAIL) {
		memset(h, 0, sizeof(*h));
		h->count = hist_read_failures(p->cause);
	} else if (!p->shift) {
		hist_read_kernel(p->source, h);
	} else {
		if (!node_possible(p->nid))
			return false;
		hist_read_own(p->source, p->shift, p->nid, h);
	}
	return h->count || h->begun;
}

/* Compaction and kswapd do not say how many pages they freed. */
static bool has_pages(enum hpbuf_stat_source source)
{
	return source == HPBUF_STAT_SOURCE_DIRECT_RECLAIM ||
	       source == HPBUF_STAT_SOURCE_MEMCG_RECLAIM ||
	       source == HPBUF_STAT_SOURCE_MIGRATION;
}

static bool has_failed(enum hpbuf_stat_source source)
{
	return has_pages(source) || source == HPBUF_STAT_SOURCE_COMPACTION;
}

static int put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, 0);
}

static int put_which(struct sk_buff *skb, const struct stat_pos *p)
{
	if (nla_put_u32(skb, HPBUF_A_STAT_SOURCE, p->source))
		return -EMSGSIZE;
	if (p->shift && (nla_put_u32(skb, HPBUF_A_STAT_PAGE_SHIFT, p->shift) ||
			 nla_put_u32(skb, HPBUF_A_STAT_NODE, p->nid)))
		return -EMSGSIZE;
	if (p->cause && nla_put_u32(skb, HPBUF_A_STAT_CAUSE, p->cause))
		return -EMSGSIZE;
	return 0;
}

static int put_values(struct sk_buff *skb, const struct stat_pos *p, const struct hist *h)
{
	if (put_u64(skb, HPBUF_A_STAT_COUNT, h->count))
		return -EMSGSIZE;
	if (p->source == HPBUF_STAT_SOURCE_FAIL)
		return 0;
	if (!p->shift && put_u64(skb, HPBUF_A_STAT_BEGUN, h->begun))
		return -EMSGSIZE;
	if (put_u64(skb, HPBUF_A_STAT_SUM_NS, h->sum) ||
	    put_u64(skb, HPBUF_A_STAT_MAX_NS, h->max))
		return -EMSGSIZE;
	if (has_pages(p->source) && put_u64(skb, HPBUF_A_STAT_PAGES, h->pages))
		return -EMSGSIZE;
	if (has_failed(p->source) && put_u64(skb, HPBUF_A_STAT_FAILED, h->failed))
		return -EMSGSIZE;
	return nla_put(skb, HPBUF_A_STAT_HIST,
		       hist_used(h->bucket, HIST_BUCKETS) * sizeof(h->bucket[0]), h->bucket);
}

static int put_stat(struct sk_buff *skb, struct netlink_callback *cb, const struct stat_pos *p,
		    const struct hist *h)
{
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				 &netlink_family, NLM_F_MULTI, HPBUF_CMD_STAT_GET);

	if (!head)
		return -EMSGSIZE;
	if (put_which(skb, p) || put_values(skb, p, h)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

int stat_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct stat_pos p;
	struct hist *h;
	int ret = 0;

	h = kmalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	for (; stat_pos(cb->args[0], &p); cb->args[0]++) {
		if (stat_read(&p, h))
			ret = put_stat(skb, cb, &p, h);
		if (ret)
			break;
		cond_resched();
	}
	kfree(h);
	return skb->len ?: ret;
}

int stat_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	if (!may_trace(skb)) {
		GENL_SET_ERR_MSG(info, "needs CAP_PERFMON or CAP_SYS_ADMIN");
		return -EPERM;
	}
	hist_reset();
	return 0;
}

/* ---- trace-get, trace-set ---- */

/* Everybody may know that it is all; one process is between those who may watch. */
static int put_watched(struct sk_buff *skb, struct sk_buff *msg, const struct reclaim_set *set)
{
	if ((set->tgid || set->cgroup) && !may_trace(skb))
		return 0;
	if (nla_put_u32(msg, HPBUF_A_TRACE_PID, set->tgid) ||
	    put_u64(msg, HPBUF_A_TRACE_CGROUP, set->cgroup))
		return -EMSGSIZE;
	return 0;
}

int trace_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	struct reclaim_set set;
	void *head;

	if (!msg)
		return -ENOMEM;
	reclaim_get(&set);
	head = genlmsg_put_reply(msg, info, &netlink_family, 0, HPBUF_CMD_TRACE_GET);
	if (!head || nla_put_u32(msg, HPBUF_A_TRACE_ENABLED, set.enabled) ||
	    put_u64(msg, HPBUF_A_TRACE_THRESHOLD_NS, set.threshold_ns) ||
	    put_watched(skb, msg, &set) ||
	    put_u64(msg, HPBUF_A_TRACE_UNTRACKED, reclaim_untracked()) ||
	    put_u64(msg, HPBUF_A_TRACE_LOST, reclaim_lost())) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, head);
	return genlmsg_reply(msg, info);
}

int trace_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct reclaim_change c = {};
	u64 threshold_ns, cgroup;
	bool enabled;
	u32 tgid;

	if (!may_trace(skb)) {
		GENL_SET_ERR_MSG(info, "needs CAP_PERFMON or CAP_SYS_ADMIN");
		return -EPERM;
	}
	if (attrs[HPBUF_A_TRACE_ENABLED]) {
		enabled = nla_get_u32(attrs[HPBUF_A_TRACE_ENABLED]);
		c.enabled = &enabled;
	}
	if (attrs[HPBUF_A_TRACE_THRESHOLD_NS]) {
		threshold_ns = nla_get_u64(attrs[HPBUF_A_TRACE_THRESHOLD_NS]);
		c.threshold_ns = &threshold_ns;
	}
	if (attrs[HPBUF_A_TRACE_PID]) {
		tgid = nla_get_u32(attrs[HPBUF_A_TRACE_PID]);
		c.tgid = &tgid;
	}
	if (attrs[HPBUF_A_TRACE_CGROUP]) {
		cgroup = nla_get_u64(attrs[HPBUF_A_TRACE_CGROUP]);
		c.cgroup = &cgroup;
	}
	return reclaim_change(&c);
}
