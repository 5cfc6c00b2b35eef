// SPDX-License-Identifier: GPL-2.0
/* The netlink command "walk": leaf census, and timing of page walks. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>

#include "hist.h"
#include "netlink.h"
#include "netlink_walk.h"
#include "walk.h"
#include "walk_time.h"

/* Not const: 6.1's policy wants it so. */
static struct netlink_range_validation samples_range = {
	.max = WALK_MAX_SAMPLES,
};

const struct nla_policy walk_policy[HPBUF_A_WALK_MAX + 1] = {
	[HPBUF_A_WALK_ADDR] = { .type = NLA_U64 },
	[HPBUF_A_WALK_LEN] = { .type = NLA_U64 },
	[HPBUF_A_WALK_SAMPLES] = NLA_POLICY_FULL_RANGE(NLA_U32, &samples_range),
	[HPBUF_A_WALK_SEED] = { .type = NLA_U64 },
	[HPBUF_A_WALK_COLD] = { .type = NLA_FLAG },
	[HPBUF_A_WALK_HIST] = { .type = NLA_FLAG },
};

struct walk_request {
	u64 addr;
	u64 len;
	bool hist;
	struct walk_census census;
	struct walk_timing timing;
};

static int put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, 0);
}

static int put_hist(struct sk_buff *skb, const u32 *hist)
{
	return nla_put(skb, HPBUF_A_WALK_TICKS_HIST,
		       hist_used(hist, WALK_BUCKETS) * sizeof(*hist), hist);
}

static int put_ticks(struct sk_buff *skb, int attr, const struct walk_ticks *t, bool hist)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || nla_put_u32(skb, HPBUF_A_WALK_TICKS_P0, t->p0) ||
	    nla_put_u32(skb, HPBUF_A_WALK_TICKS_P10, t->p10) ||
	    nla_put_u32(skb, HPBUF_A_WALK_TICKS_P50, t->p50) ||
	    nla_put_u32(skb, HPBUF_A_WALK_TICKS_P90, t->p90) ||
	    nla_put_u32(skb, HPBUF_A_WALK_TICKS_P99, t->p99) ||
	    nla_put_u32(skb, HPBUF_A_WALK_TICKS_P100, t->p100) ||
	    (hist && put_hist(skb, t->hist)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_level(struct sk_buff *skb, const struct walk_request *r, enum walk_level level)
{
	static const u32 shifts[] = { PAGE_SHIFT, PMD_SHIFT, PUD_SHIFT };
	const struct walk_ticks *t = r->timing.ticks[level];
	struct nlattr *nest;

	if (!r->timing.count[level])
		return 0;
	nest = nla_nest_start(skb, HPBUF_A_WALK_LEVEL);
	if (!nest || nla_put_u32(skb, HPBUF_A_WALK_LEVEL_PAGE_SHIFT, shifts[level]) ||
	    nla_put_u32(skb, HPBUF_A_WALK_LEVEL_SAMPLES, r->timing.count[level]) ||
	    put_ticks(skb, HPBUF_A_WALK_LEVEL_HIT, &t[WALK_HIT], r->hist) ||
	    put_ticks(skb, HPBUF_A_WALK_LEVEL_WARM, &t[WALK_WARM], r->hist) ||
	    (r->timing.cold && put_ticks(skb, HPBUF_A_WALK_LEVEL_COLD, &t[WALK_COLD], r->hist)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_census(struct sk_buff *skb, const struct walk_request *r)
{
	const struct walk_census *c = &r->census;

	if (put_u64(skb, HPBUF_A_WALK_ADDR, r->addr) ||
	    put_u64(skb, HPBUF_A_WALK_LEN, r->len) ||
	    put_u64(skb, HPBUF_A_WALK_PTE_BYTES, c->pte) ||
	    put_u64(skb, HPBUF_A_WALK_PMD_BYTES, c->pmd) ||
	    put_u64(skb, HPBUF_A_WALK_PUD_BYTES, c->pud) ||
	    put_u64(skb, HPBUF_A_WALK_NONE_BYTES, c->none) ||
	    put_u64(skb, HPBUF_A_WALK_TABLE_BYTES, c->tables) ||
	    nla_put_u32(skb, HPBUF_A_WALK_LEVELS, walk_levels()))
		return -EMSGSIZE;
	return 0;
}

static int put_timing(struct sk_buff *skb, const struct walk_request *r)
{
	const struct walk_timing *w = &r->timing;
	int level, ret = 0;

	if (!w->samples)
		return 0;
	if (nla_put_u32(skb, HPBUF_A_WALK_SAMPLES, w->samples) ||
	    put_u64(skb, HPBUF_A_WALK_SEED, w->seed) ||
	    nla_put_u32(skb, HPBUF_A_WALK_SKIPPED, w->skipped) ||
	    nla_put_u32(skb, HPBUF_A_WALK_TSC_KHZ, tsc_khz) ||
	    (boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
	     nla_put_flag(skb, HPBUF_A_WALK_HYPERVISOR)))
		return -EMSGSIZE;
	for (level = 0; level < WALK_LEVELS && !ret; level++)
		ret = put_level(skb, r, level);
	return ret;
}

static int walk_reply(struct genl_info *info, const struct walk_request *r)
{
	/* With all histograms 4 kB at most: see WALK_BUCKETS. */
	struct sk_buff *msg = genlmsg_new(2 * PAGE_SIZE - NLMSG_HDRLEN, GFP_KERNEL);
	void *head;

	if (!msg)
		return -ENOMEM;
	head = genlmsg_put_reply(msg, info, &netlink_family, 0, HPBUF_CMD_WALK);
	if (!head || put_census(msg, r) || put_timing(msg, r)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, head);
	return genlmsg_reply(msg, info);
}

static int walk_parse(struct genl_info *info, struct walk_request *r)
{
	struct nlattr **attrs = info->attrs;

	if (GENL_REQ_ATTR_CHECK(info, HPBUF_A_WALK_ADDR) ||
	    GENL_REQ_ATTR_CHECK(info, HPBUF_A_WALK_LEN)) {
		GENL_SET_ERR_MSG(info, "addr and len are needed");
		return -EINVAL;
	}
	r->addr = nla_get_u64(attrs[HPBUF_A_WALK_ADDR]);
	r->len = nla_get_u64(attrs[HPBUF_A_WALK_LEN]);
	r->hist = nla_get_flag(attrs[HPBUF_A_WALK_HIST]);
	r->timing.cold = nla_get_flag(attrs[HPBUF_A_WALK_COLD]);
	if (attrs[HPBUF_A_WALK_SAMPLES])
		r->timing.samples = nla_get_u32(attrs[HPBUF_A_WALK_SAMPLES]);
	if (attrs[HPBUF_A_WALK_SEED])
		r->timing.seed = nla_get_u64(attrs[HPBUF_A_WALK_SEED]);
	return 0;
}

/* In the memory of the current task: a request is served by its sender. */
static int walk_run(struct genl_info *info, struct walk_request *r)
{
	int ret;

	ret = walk_census(current->mm, r->addr, r->len, &r->census);
	if (ret) {
		if (ret == -EINVAL)
			GENL_SET_ERR_MSG(info, "addr, len: multiples of 4096 in user memory");
		return ret;
	}
	if (!r->timing.samples)
		return 0;
	ret = walk_time(r->addr, r->len, &r->timing);
	if (ret == -EOPNOTSUPP)
		GENL_SET_ERR_MSG(info, "page walks cannot be timed on this machine");
	return ret;
}

int walk_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct walk_request *r;
	int ret;

	if (!current->mm)
		return -ESRCH;
	if (!netlink_meant(skb)) {
		GENL_SET_ERR_MSG(info, NOT_MEANT);
		return -EPERM;
	}
	/* The kernel holds a lock over a whole datagram, which may have thousands of them. */
	if (skb->len > NLMSG_ALIGN(info->nlhdr->nlmsg_len)) {
		GENL_SET_ERR_MSG(info, "must be the last of its datagram");
		return -EINVAL;
	}
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	ret = walk_parse(info, r);
	if (!ret)
		ret = walk_run(info, r);
	if (!ret)
		ret = walk_reply(info, r);
	kfree(r);
	return ret;
}
