// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* walk: which leaves map a range of the caller's. */
#include "nl.h"

#include <errno.h>
#include <string.h>

static uint64_t *field_u64(struct hpbuf_nl_walk *w, uint16_t type)
{
	switch (type) {
	case HPBUF_A_WALK_PTE_BYTES:	return &w->pte_bytes;
	case HPBUF_A_WALK_PMD_BYTES:	return &w->pmd_bytes;
	case HPBUF_A_WALK_PUD_BYTES:	return &w->pud_bytes;
	case HPBUF_A_WALK_NONE_BYTES:	return &w->none_bytes;
	case HPBUF_A_WALK_TABLE_BYTES:	return &w->table_bytes;
	default:			return NULL;
	}
}

static int take_walk(const struct nlmsghdr *nlh, void *arg)
{
	struct hpbuf_nl_walk *w = arg;
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		uint16_t type = mnl_attr_get_type(attr);
		uint64_t *u64 = field_u64(w, type);

		if (u64)
			*u64 = hpnl_u64(attr, &bad);
		else if (type == HPBUF_A_WALK_LEVELS)
			w->levels = hpnl_u32(attr, &bad);
	}
	return bad ? -EBADMSG : 0;
}

int hpbuf_nl_walk(struct hpbuf_nl *nl, const void *addr, size_t len,
		  struct hpbuf_nl_walk *walk)
{
	struct nlmsghdr *nlh;
	union hpnl_req req;
	int ret;

	nlh = hpnl_prepare(&req, nl->family, HPBUF_CMD_WALK, NLM_F_ACK);
	mnl_attr_put_u64(nlh, HPBUF_A_WALK_ADDR, (uintptr_t)addr);
	mnl_attr_put_u64(nlh, HPBUF_A_WALK_LEN, len);
	memset(walk, 0, sizeof(*walk));
	ret = hpnl_request(nl, nlh, take_walk, walk);
	if (ret)
		return ret;
	/* All of the range is told, or the answer is not one. */
	if (walk->pte_bytes + walk->pmd_bytes + walk->pud_bytes + walk->none_bytes != len)
		return -EBADMSG;
	return 0;
}
