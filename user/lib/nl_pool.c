// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* pool-get: pages of each size on each node. */
#include "nl.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t *field_u64(struct hpbuf_nl_pool *p, uint16_t type)
{
	switch (type) {
	case HPBUF_A_POOL_READY:	return &p->ready;
	case HPBUF_A_POOL_USED:		return &p->used;
	case HPBUF_A_POOL_ALLOCATED:	return &p->allocated;
	case HPBUF_A_POOL_FREED:	return &p->freed;
	case HPBUF_A_POOL_ALLOC_NS:	return &p->alloc_ns;
	case HPBUF_A_POOL_FREE_NS:	return &p->free_ns;
	case HPBUF_A_POOL_MAX_BYTES:	return &p->max_bytes;
	case HPBUF_A_POOL_USED_BYTES:	return &p->used_bytes;
	case HPBUF_A_POOL_FLOOR_BYTES:	return &p->floor_bytes;
	default:			return NULL;
	}
}

static int take_pool(const struct nlmsghdr *nlh, void *arg)
{
	struct hpbuf_nl_pool *p = arg;
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		uint16_t type = mnl_attr_get_type(attr);
		uint64_t *u64 = field_u64(p, type);

		if (u64)
			*u64 = hpnl_u64(attr, &bad);
		else if (type == HPBUF_A_POOL_NODE)
			p->node = hpnl_u32(attr, &bad);
		else if (type == HPBUF_A_POOL_PAGE_SHIFT)
			p->page_shift = hpnl_u32(attr, &bad);
	}
	return bad ? -EBADMSG : 0;
}

int hpbuf_nl_pools(struct hpbuf_nl *nl,
		   int (*fn)(const struct hpbuf_nl_pool *pool, void *arg), void *arg)
{
	const struct hpbuf_nl_pool *pool;
	void *pools;
	size_t nr;
	int ret;

	ret = hpnl_dump(nl, HPBUF_CMD_POOL_GET, sizeof(*pool), take_pool, &pools, &nr);
	if (ret)
		return ret;
	for (pool = pools; nr && !ret; nr--, pool++)
		ret = fn(pool, arg);
	free(pools);
	return ret;
}
