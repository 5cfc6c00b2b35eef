// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* buf-get: one buffer, or all. */
#include "nl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_NODES	(sizeof(((struct hpbuf_nl_buf *)0)->nodes) / \
			 sizeof(((struct hpbuf_nl_buf *)0)->nodes[0]))

static void take_node(struct hpbuf_nl_buf *buf, const struct nlattr *nest, bool *bad)
{
	const struct nlattr *attr;
	unsigned int n = buf->nr_nodes;

	if (n == NR_NODES)
		return;
	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case HPBUF_A_NODE_PAGES_NODE:
			buf->nodes[n].node = hpnl_u32(attr, bad);
			break;
		case HPBUF_A_NODE_PAGES_PAGES:
			buf->nodes[n].pages = hpnl_u32(attr, bad);
			break;
		}
	}
	buf->nr_nodes++;
}

/* Where the plain numbers go; NULL for the types that are not one. */
static uint32_t *field_u32(struct hpbuf_nl_buf *b, uint16_t type)
{
	switch (type) {
	case HPBUF_A_BUF_ID:		return &b->id;
	case HPBUF_A_BUF_PAGE_SHIFT:	return &b->page_shift;
	case HPBUF_A_BUF_UID:		return &b->uid;
	case HPBUF_A_BUF_MAPPINGS:	return &b->mappings;
	case HPBUF_A_BUF_OPENS:		return &b->opens;
	default:			return NULL;
	}
}

static uint64_t *field_u64(struct hpbuf_nl_buf *b, uint16_t type)
{
	switch (type) {
	case HPBUF_A_BUF_SIZE:		return &b->size;
	case HPBUF_A_BUF_ASKED:		return &b->asked;
	case HPBUF_A_BUF_CREATED_NS:	return &b->created_ns;
	case HPBUF_A_BUF_AGE_NS:	return &b->age_ns;
	case HPBUF_A_BUF_ALLOC_NS:	return &b->alloc_ns;
	case HPBUF_A_BUF_SCAN_NS:	return &b->scan_ns;
	case HPBUF_A_BUF_MIGRATE_NS:	return &b->migrate_ns;
	case HPBUF_A_BUF_ZERO_NS:	return &b->zero_ns;
	case HPBUF_A_BUF_FAULTS:	return &b->faults;
	case HPBUF_A_BUF_FAULT_NS:	return &b->fault_ns;
	case HPBUF_A_BUF_FAULT_MAX_NS:	return &b->fault_max_ns;
	case HPBUF_A_BUF_POOLED:	return &b->pooled;
	case HPBUF_A_BUF_UNMAPPED_NS:	return &b->unmapped_ns;
	case HPBUF_A_BUF_POISONED:	return &b->poisoned;
	default:			return NULL;
	}
}

__attribute__((nonnull))
static void take_attr(struct hpbuf_nl_buf *b, const struct nlattr *attr, bool *bad)
{
	uint16_t type = mnl_attr_get_type(attr);
	uint32_t *u32 = field_u32(b, type);
	uint64_t *u64 = field_u64(b, type);

	if (u32)
		*u32 = hpnl_u32(attr, bad);
	else if (u64)
		*u64 = hpnl_u64(attr, bad);
	else if (type == HPBUF_A_BUF_NAME)
		hpnl_text(attr, b->name, sizeof(b->name), bad);
	else if (type == HPBUF_A_BUF_PERSIST)
		b->persist = true;
	else if (type == HPBUF_A_BUF_NODE)
		take_node(b, attr, bad);

	if (type == HPBUF_A_BUF_ZERO_NS)
		b->has_zero_ns = true;
	if (type == HPBUF_A_BUF_FAULT_NS)
		b->has_fault_ns = true;
	if (type == HPBUF_A_BUF_POOLED)
		b->has_pooled = true;
	if (type == HPBUF_A_BUF_UNMAPPED_NS)
		b->has_unmapped_ns = true;
	if (type == HPBUF_A_BUF_POISONED)
		b->has_poisoned = true;
}

static int take_buf(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(arg, attr, &bad);
	return bad ? -EBADMSG : 0;
}

int hpbuf_nl_bufs(struct hpbuf_nl *nl,
		  int (*fn)(const struct hpbuf_nl_buf *buf, void *arg), void *arg)
{
	const struct hpbuf_nl_buf *buf;
	void *bufs;
	size_t nr;
	int ret;

	ret = hpnl_dump(nl, HPBUF_CMD_BUF_GET, sizeof(*buf), take_buf, &bufs, &nr);
	if (ret)
		return ret;
	for (buf = bufs; nr && !ret; nr--, buf++)
		ret = fn(buf, arg);
	free(bufs);
	return ret;
}

int hpbuf_nl_buf_get(struct hpbuf_nl *nl, uint32_t id, const char *name,
		     struct hpbuf_nl_buf *buf)
{
	struct nlmsghdr *nlh;
	union hpnl_req req;
	int ret;

	if (!id && (!name || !*name || strlen(name) >= HPBUF_NAME_LEN))
		return -EINVAL;
	nlh = hpnl_prepare(&req, nl->family, HPBUF_CMD_BUF_GET, NLM_F_ACK);
	if (id)
		mnl_attr_put_u32(nlh, HPBUF_A_BUF_ID, id);
	else
		mnl_attr_put_strz(nlh, HPBUF_A_BUF_NAME, name);
	memset(buf, 0, sizeof(*buf));
	ret = hpnl_request(nl, nlh, take_buf, buf);
	if (ret)
		return ret;
	return buf->id ? 0 : -EBADMSG;
}
