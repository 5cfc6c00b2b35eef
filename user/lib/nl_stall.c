// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* The group "reclaim": operations of the kernel's that took long. */
#include "nl.h"

#include <errno.h>

int hpbuf_nl_subscribe_stalls(struct hpbuf_nl *nl)
{
	uint32_t group;
	uint16_t family;
	int ret;

	ret = hpnl_resolve(nl, HPBUF_FAMILY_NAME, HPBUF_MCGRP_RECLAIM, &family, &group);
	if (ret)
		return ret;
	return hpnl_feed_open(nl, &nl->feed[HPNL_STALLS], group);
}

static void take_attr(struct hpbuf_nl_stall *st, const struct nlattr *attr, bool *bad)
{
	switch (mnl_attr_get_type(attr)) {
	case HPBUF_A_STALL_SEQ:
		st->seq = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_STALL_TIME_NS:
		st->time_ns = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_STALL_SOURCE:
		st->source = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_STALL_TOOK_NS:
		st->took_ns = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_STALL_PID:
		st->pid = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_STALL_TID:
		st->tid = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_STALL_COMM:
		hpnl_text(attr, st->comm, sizeof(st->comm), bad);
		break;
	case HPBUF_A_STALL_ORDER:
		st->order = hpnl_u32(attr, bad);
		st->has_order = true;
		break;
	case HPBUF_A_STALL_PAGES:
		st->pages = hpnl_u64(attr, bad);
		st->has_pages = true;
		break;
	}
}

int hpnl_take_stall(const struct nlmsghdr *nlh, struct hpbuf_nl_stall *st)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(st, attr, &bad);
	return bad ? -EBADMSG : 0;
}
