// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* trace-get, trace-set: whether the kernel's reclaim is watched, and what of it. */
#include "nl.h"

#include <errno.h>
#include <string.h>

static void take_attr(struct hpbuf_nl_trace *t, const struct nlattr *attr, bool *bad)
{
	switch (mnl_attr_get_type(attr)) {
	case HPBUF_A_TRACE_ENABLED:
		t->enabled = hpnl_u32(attr, bad);
		t->has_enabled = true;
		break;
	case HPBUF_A_TRACE_THRESHOLD_NS:
		t->threshold_ns = hpnl_u64(attr, bad);
		t->has_threshold_ns = true;
		break;
	case HPBUF_A_TRACE_PID:
		t->pid = hpnl_u32(attr, bad);
		t->has_pid = true;
		break;
	case HPBUF_A_TRACE_CGROUP:
		t->cgroup = hpnl_u64(attr, bad);
		t->has_cgroup = true;
		break;
	case HPBUF_A_TRACE_UNTRACKED:
		t->untracked = hpnl_u64(attr, bad);
		t->has_untracked = true;
		break;
	case HPBUF_A_TRACE_LOST:
		t->lost = hpnl_u64(attr, bad);
		t->has_lost = true;
		break;
	}
}

static int take_trace(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(arg, attr, &bad);
	return bad ? -EBADMSG : 0;
}

int hpbuf_nl_trace_get(struct hpbuf_nl *nl, struct hpbuf_nl_trace *trace)
{
	union hpnl_req req;
	int ret;

	memset(trace, 0, sizeof(*trace));
	ret = hpnl_request(nl, hpnl_prepare(&req, nl->family, HPBUF_CMD_TRACE_GET, NLM_F_ACK),
			   take_trace, trace);
	if (ret)
		return ret;
	return trace->has_enabled ? 0 : -EBADMSG;
}

int hpbuf_nl_trace_set(struct hpbuf_nl *nl, const struct hpbuf_nl_trace *trace)
{
	struct hpbuf_nl_trace ignored;
	struct nlmsghdr *nlh;
	union hpnl_req req;

	nlh = hpnl_prepare(&req, nl->family, HPBUF_CMD_TRACE_SET, NLM_F_ACK);
	if (trace->has_enabled)
		mnl_attr_put_u32(nlh, HPBUF_A_TRACE_ENABLED, trace->enabled);
	if (trace->has_threshold_ns)
		mnl_attr_put_u64(nlh, HPBUF_A_TRACE_THRESHOLD_NS, trace->threshold_ns);
	if (trace->has_pid)
		mnl_attr_put_u32(nlh, HPBUF_A_TRACE_PID, trace->pid);
	if (trace->has_cgroup)
		mnl_attr_put_u64(nlh, HPBUF_A_TRACE_CGROUP, trace->cgroup);
	return hpnl_request(nl, nlh, take_trace, &ignored);
}
