// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* stat-get, stat-reset: histograms of what the module and the kernel did. */
#include "nl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the plain numbers go, and the flag that says so; NULL: not of that type. */
static uint32_t *field_u32(struct hpbuf_nl_stat *s, uint16_t type, bool **has)
{
	switch (type) {
	case HPBUF_A_STAT_PAGE_SHIFT:
		*has = &s->has_page_shift;
		return &s->page_shift;
	case HPBUF_A_STAT_NODE:
		*has = &s->has_node;
		return &s->node;
	case HPBUF_A_STAT_CAUSE:
		*has = &s->has_cause;
		return &s->cause;
	default:
		return NULL;
	}
}

static uint64_t *field_u64(struct hpbuf_nl_stat *s, uint16_t type, bool **has)
{
	switch (type) {
	case HPBUF_A_STAT_BEGUN:
		*has = &s->has_begun;
		return &s->begun;
	case HPBUF_A_STAT_SUM_NS:
		*has = &s->has_sum_ns;
		return &s->sum_ns;
	case HPBUF_A_STAT_MAX_NS:
		*has = &s->has_max_ns;
		return &s->max_ns;
	case HPBUF_A_STAT_PAGES:
		*has = &s->has_pages;
		return &s->pages;
	case HPBUF_A_STAT_FAILED:
		*has = &s->has_failed;
		return &s->failed;
	default:
		return NULL;
	}
}

__attribute__((nonnull))
static void take_hist(struct hpbuf_nl_stat *s, const struct nlattr *attr, bool *bad)
{
	size_t len = mnl_attr_get_payload_len(attr);

	if (len % sizeof(s->bucket[0]) || len > sizeof(s->bucket)) {
		*bad = true;
		return;
	}
	memcpy(s->bucket, mnl_attr_get_payload(attr), len);
	s->nr_buckets = (unsigned int)(len / sizeof(s->bucket[0]));
}

__attribute__((nonnull))
static void take_attr(struct hpbuf_nl_stat *s, const struct nlattr *attr, bool *bad)
{
	uint16_t type = mnl_attr_get_type(attr);
	bool *has = NULL;
	uint32_t *u32 = field_u32(s, type, &has);
	uint64_t *u64 = field_u64(s, type, &has);

	if (u32)
		*u32 = hpnl_u32(attr, bad);
	else if (u64)
		*u64 = hpnl_u64(attr, bad);
	else if (type == HPBUF_A_STAT_SOURCE)
		s->source = hpnl_u32(attr, bad);
	else if (type == HPBUF_A_STAT_COUNT)
		s->count = hpnl_u64(attr, bad);
	else if (type == HPBUF_A_STAT_HIST)
		take_hist(s, attr, bad);
	if (has)
		*has = true;
}

static int take_stat(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(arg, attr, &bad);
	return bad ? -EBADMSG : 0;
}

int hpbuf_nl_stats(struct hpbuf_nl *nl,
		   int (*fn)(const struct hpbuf_nl_stat *stat, void *arg), void *arg)
{
	const struct hpbuf_nl_stat *stat;
	void *stats;
	size_t nr;
	int ret;

	ret = hpnl_dump(nl, HPBUF_CMD_STAT_GET, sizeof(*stat), take_stat, &stats, &nr);
	if (ret)
		return ret;
	for (stat = stats; nr && !ret; nr--, stat++)
		ret = fn(stat, arg);
	free(stats);
	return ret;
}

static int take_nothing(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	(void)arg;
	return 0;
}

int hpbuf_nl_stat_reset(struct hpbuf_nl *nl)
{
	union hpnl_req req;

	return hpnl_request(nl, hpnl_prepare(&req, nl->family, HPBUF_CMD_STAT_RESET, NLM_F_ACK),
			    take_nothing, NULL);
}
