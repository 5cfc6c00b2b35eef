// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* pool-get, pool-set: pages of each size on each node, and those kept ready. */
#include "nl.h"

#include <errno.h>
#include <stdlib.h>

/* What a module without a pool does not tell, and the flag that says so. */
static uint64_t *field_new(struct hpbuf_nl_pool *p, uint16_t type, bool **has)
{
	switch (type) {
	case HPBUF_A_POOL_DIRTY:
		*has = &p->has_dirty;
		return &p->dirty;
	case HPBUF_A_POOL_WANT:
		*has = &p->has_want;
		return &p->want;
	case HPBUF_A_POOL_MIN:
		*has = &p->has_min;
		return &p->min;
	case HPBUF_A_POOL_LENT:
		*has = &p->has_lent;
		return &p->lent;
	case HPBUF_A_POOL_GOT:
		*has = &p->has_got;
		return &p->got;
	case HPBUF_A_POOL_TAKEN:
		*has = &p->has_taken;
		return &p->taken;
	case HPBUF_A_POOL_SHRUNK:
		*has = &p->has_shrunk;
		return &p->shrunk;
	case HPBUF_A_POOL_POISONED:
		*has = &p->has_poisoned;
		return &p->poisoned;
	default:
		return NULL;
	}
}

static uint64_t *field_u64(struct hpbuf_nl_pool *p, uint16_t type, bool **has)
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
	default:			return field_new(p, type, has);
	}
}

static void take_attr(struct hpbuf_nl_pool *p, const struct nlattr *attr, bool *bad)
{
	uint16_t type = mnl_attr_get_type(attr);
	bool *has = NULL;
	uint64_t *u64 = field_u64(p, type, &has);

	if (u64)
		*u64 = hpnl_u64(attr, bad);
	else if (type == HPBUF_A_POOL_NODE)
		p->node = hpnl_u32(attr, bad);
	else if (type == HPBUF_A_POOL_PAGE_SHIFT)
		p->page_shift = hpnl_u32(attr, bad);
	else if (type == HPBUF_A_POOL_FILLING)
		p->filling = true;
	else if (type == HPBUF_A_POOL_ERROR)
		p->error = hpnl_u32(attr, bad);
	if (type == HPBUF_A_POOL_ERROR)
		p->has_error = true;
	if (has)
		*has = true;
}

static int take_pool(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(arg, attr, &bad);
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

static int take_nothing(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	(void)arg;
	return 0;
}

int hpbuf_nl_pool_set(struct hpbuf_nl *nl, const struct hpbuf_nl_pool_set *set)
{
	struct nlmsghdr *nlh;
	union hpnl_req req;

	nlh = hpnl_prepare(&req, nl->family, HPBUF_CMD_POOL_SET, NLM_F_ACK);
	mnl_attr_put_u32(nlh, HPBUF_A_POOL_NODE, set->node);
	mnl_attr_put_u32(nlh, HPBUF_A_POOL_PAGE_SHIFT, set->page_shift);
	mnl_attr_put_u64(nlh, HPBUF_A_POOL_WANT, set->want);
	if (set->has_min)
		mnl_attr_put_u64(nlh, HPBUF_A_POOL_MIN, set->min);
	if (set->partial)
		mnl_attr_put(nlh, HPBUF_A_POOL_PARTIAL, 0, NULL);
	return hpnl_request(nl, nlh, take_nothing, NULL);
}
