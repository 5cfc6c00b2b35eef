// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* walk: which leaves map a range of the caller's, and what walks to them cost. */
#include "nl.h"

#include <errno.h>
#include <stdlib.h>
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

static void take_census(struct hpbuf_nl_walk *w, const struct nlattr *attr, bool *bad)
{
	uint16_t type = mnl_attr_get_type(attr);
	uint64_t *u64 = field_u64(w, type);

	if (u64)
		*u64 = hpnl_u64(attr, bad);
	else if (type == HPBUF_A_WALK_LEVELS)
		w->levels = hpnl_u32(attr, bad);
}

static int take_walk(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_census(arg, attr, &bad);
	return bad ? -EBADMSG : 0;
}

/* All of the range is told, or the answer is not one. */
static bool adds_up(const struct hpbuf_nl_walk *w, size_t len)
{
	return w->pte_bytes + w->pmd_bytes + w->pud_bytes + w->none_bytes == len;
}

static struct nlmsghdr *prepare(struct hpbuf_nl *nl, union hpnl_req *req, const void *addr,
				size_t len)
{
	struct nlmsghdr *nlh = hpnl_prepare(req, nl->family, HPBUF_CMD_WALK, NLM_F_ACK);

	mnl_attr_put_u64(nlh, HPBUF_A_WALK_ADDR, (uintptr_t)addr);
	mnl_attr_put_u64(nlh, HPBUF_A_WALK_LEN, len);
	return nlh;
}

int hpbuf_nl_walk(struct hpbuf_nl *nl, const void *addr, size_t len,
		  struct hpbuf_nl_walk *walk)
{
	union hpnl_req req;
	int ret;

	memset(walk, 0, sizeof(*walk));
	ret = hpnl_request(nl, prepare(nl, &req, addr, len), take_walk, walk);
	if (ret)
		return ret;
	return adds_up(walk, len) ? 0 : -EBADMSG;
}

/* ---- timing ---- */

static uint32_t *ticks_field(struct hpbuf_nl_ticks *t, uint16_t type)
{
	switch (type) {
	case HPBUF_A_WALK_TICKS_P0:	return &t->p0;
	case HPBUF_A_WALK_TICKS_P10:	return &t->p10;
	case HPBUF_A_WALK_TICKS_P50:	return &t->p50;
	case HPBUF_A_WALK_TICKS_P90:	return &t->p90;
	case HPBUF_A_WALK_TICKS_P99:	return &t->p99;
	case HPBUF_A_WALK_TICKS_P100:	return &t->p100;
	default:			return NULL;
	}
}

static void take_hist(struct hpbuf_nl_ticks *t, const struct nlattr *attr, bool *bad)
{
	size_t len = mnl_attr_get_payload_len(attr);

	if (len % sizeof(t->hist[0]) || len > sizeof(t->hist)) {
		*bad = true;
		return;
	}
	memcpy(t->hist, mnl_attr_get_payload(attr), len);
	t->nr_hist = (uint32_t)(len / sizeof(t->hist[0]));
}

static void take_ticks(struct hpbuf_nl_ticks *t, const struct nlattr *nest, bool *bad)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		uint32_t *u32 = ticks_field(t, mnl_attr_get_type(attr));

		if (u32)
			*u32 = hpnl_u32(attr, bad);
		else if (mnl_attr_get_type(attr) == HPBUF_A_WALK_TICKS_HIST)
			take_hist(t, attr, bad);
	}
}

/* One level as it comes: its page size may stand anywhere in it. */
struct incoming {
	struct hpbuf_nl_level level;
	uint32_t page_shift;
	bool hit, warm, cold;
};

static void take_level_attr(struct incoming *in, const struct nlattr *attr, bool *bad)
{
	switch (mnl_attr_get_type(attr)) {
	case HPBUF_A_WALK_LEVEL_PAGE_SHIFT:
		in->page_shift = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_WALK_LEVEL_SAMPLES:
		in->level.samples = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_WALK_LEVEL_HIT:
		in->hit = true;
		take_ticks(&in->level.hit, attr, bad);
		break;
	case HPBUF_A_WALK_LEVEL_WARM:
		in->warm = true;
		take_ticks(&in->level.warm, attr, bad);
		break;
	case HPBUF_A_WALK_LEVEL_COLD:
		in->cold = true;
		take_ticks(&in->level.cold, attr, bad);
		break;
	}
}

static int level_of(uint32_t page_shift)
{
	switch (page_shift) {
	case 12:	return HPBUF_NL_PTE;
	case 21:	return HPBUF_NL_PMD;
	case 30:	return HPBUF_NL_PUD;
	default:	return -1;
	}
}

static void take_level(struct hpbuf_nl_walk_time *w, const struct nlattr *nest, bool *bad)
{
	struct incoming in = { .page_shift = 0 };
	const struct nlattr *attr;
	int level;

	mnl_attr_for_each_nested(attr, nest)
		take_level_attr(&in, attr, bad);
	level = level_of(in.page_shift);
	/* Once each, with samples, and with all that is timed or nothing of it. */
	if (level < 0 || w->level[level].samples || !in.level.samples || !in.hit || !in.warm ||
	    in.cold != w->has_cold) {
		*bad = true;
		return;
	}
	w->level[level] = in.level;
}

static void take_time_attr(struct hpbuf_nl_walk_time *w, const struct nlattr *attr, bool *bad)
{
	switch (mnl_attr_get_type(attr)) {
	case HPBUF_A_WALK_SAMPLES:
		w->samples = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_WALK_SEED:
		w->seed = hpnl_u64(attr, bad);
		break;
	case HPBUF_A_WALK_SKIPPED:
		w->skipped = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_WALK_TSC_KHZ:
		w->tsc_khz = hpnl_u32(attr, bad);
		break;
	case HPBUF_A_WALK_HYPERVISOR:
		w->hypervisor = true;
		break;
	case HPBUF_A_WALK_LEVEL:
		take_level(w, attr, bad);
		break;
	default:
		take_census(&w->census, attr, bad);
	}
}

static int take_walk_time(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	bool bad = false;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_time_attr(arg, attr, &bad);
	return bad ? -EBADMSG : 0;
}

static bool time_adds_up(const struct hpbuf_nl_walk_time *w, uint64_t samples, uint64_t seed)
{
	uint64_t sum = w->skipped;

	for (int i = 0; i < HPBUF_NL_LEVELS; i++)
		sum += w->level[i].samples;
	return w->samples == samples && sum == samples && w->seed == seed && w->tsc_khz;
}

int hpbuf_nl_walk_time(struct hpbuf_nl *nl, const void *addr, size_t len,
		       const struct hpbuf_nl_walk_req *wanted,
		       struct hpbuf_nl_walk_time *time)
{
	struct hpbuf_nl_walk_time *w;
	struct nlmsghdr *nlh;
	union hpnl_req req;
	int ret;

	/* Zero would be the census alone, which is another function. */
	if (!wanted->samples)
		return -EINVAL;
	if (wanted->samples > UINT32_MAX)
		return -ERANGE;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->has_cold = wanted->cold;
	nlh = prepare(nl, &req, addr, len);
	mnl_attr_put_u32(nlh, HPBUF_A_WALK_SAMPLES, (uint32_t)wanted->samples);
	mnl_attr_put_u64(nlh, HPBUF_A_WALK_SEED, wanted->seed);
	if (wanted->cold)
		mnl_attr_put(nlh, HPBUF_A_WALK_COLD, 0, NULL);
	if (wanted->hist)
		mnl_attr_put(nlh, HPBUF_A_WALK_HIST, 0, NULL);
	ret = hpnl_request(nl, nlh, take_walk_time, w);
	if (!ret && (!adds_up(&w->census, len) ||
		     !time_adds_up(w, wanted->samples, wanted->seed)))
		ret = -EBADMSG;
	if (!ret)
		*time = *w;
	free(w);
	return ret;
}
