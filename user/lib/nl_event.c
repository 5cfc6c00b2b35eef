// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* The group "events": buffers made and freed, allocations under way or failed. */
#include "nl.h"

#include <errno.h>
#include <string.h>

int hpbuf_nl_subscribe(struct hpbuf_nl *nl)
{
	return hpnl_feed_open(nl, &nl->feed[HPNL_EVENTS], nl->group);
}

static void take_attr(struct hpbuf_nl_event *ev, const struct nlattr *attr, bool *bad)
{
	switch (mnl_attr_get_type(attr)) {
	case HPBUF_A_EVENT_SEQ:
		ev->seq = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_EVENT_KIND:
		ev->kind = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_EVENT_TIME_NS:
		ev->time_ns = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_EVENT_ID:
		ev->id = hpnl_u32(attr, bad);
		ev->has_id = true;
		break;
	case HPBUF_A_EVENT_PAGE_SHIFT:
		ev->page_shift = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_EVENT_SIZE:
		ev->size = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_EVENT_TOOK_NS:
		ev->took_ns = hpnl_u64(attr, bad);
		ev->has_took = true;
		break;
	case HPBUF_A_EVENT_CAUSE:
		ev->cause = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_EVENT_ERRNO:
		ev->err = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_EVENT_DONE:
		ev->done = hpnl_u64(attr, bad);
		ev->has_done = true;
		break;
	}
}

int hpnl_take_event(const struct nlmsghdr *nlh, struct hpbuf_nl_event *ev)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(ev, attr, &bad);
	return bad ? -EBADMSG : 0;
}

int hpbuf_nl_event(struct hpbuf_nl *nl, int timeout_ms, struct hpbuf_nl_event *ev)
{
	struct hpbuf_nl_notice n;
	int ret = hpnl_wait(nl, 1U << HPNL_EVENTS, timeout_ms, &n);

	if (!ret)
		*ev = n.event;
	return ret;
}
