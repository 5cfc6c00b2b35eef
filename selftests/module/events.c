// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event stream: what was made, given back and refused, numbered without
 * gaps; a reader that sleeps loses events and is told so (C49).
 */
#include "hpbuf_test.h"

#include <libhpbuf.h>
#include <linux/hpbuf_netlink.h>

#define WAIT_MS	10000

FIXTURE(events) {
	int dev;
	struct hpbuf_nl *nl;
	uint64_t seq;
};

FIXTURE_SETUP(events)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	ASSERT_EQ(0, hpbuf_nl_subscribe(self->nl));
}

FIXTURE_TEARDOWN(events)
{
	hpbuf_nl_close(self->nl);
	close(self->dev);
}

/* The next event; its number follows the last one's. */
static struct hpbuf_nl_event next(struct __test_metadata *_metadata,
				  FIXTURE_DATA(events) *self)
{
	struct hpbuf_nl_event e;

	ASSERT_EQ(0, hpbuf_nl_event(self->nl, WAIT_MS, &e));
	if (self->seq) {
		EXPECT_EQ(self->seq + 1, e.seq);
	}
	self->seq = e.seq;
	EXPECT_NE(0, e.time_ns);
	return e;
}

TEST_F(events, made_and_given_back)
{
	struct hpbuf_nl_event e;
	struct hpbuf_alloc a;

	ASSERT_LE(0, hpt_alloc(self->dev, 5UL << 20, HPBUF_SHIFT_2M, &a));
	e = next(_metadata, self);
	EXPECT_EQ(HPBUF_EVENT_KIND_ALLOC, e.kind);
	EXPECT_TRUE(e.has_id);
	EXPECT_EQ(a.id, e.id);
	EXPECT_EQ(HPBUF_SHIFT_2M, e.page_shift);
	EXPECT_EQ(6UL << 20, e.size);
	EXPECT_NE(0, e.took_ns);
	close(a.fd);
	e = next(_metadata, self);
	EXPECT_EQ(HPBUF_EVENT_KIND_FREE, e.kind);
	EXPECT_EQ(a.id, e.id);
	EXPECT_EQ(6UL << 20, e.size);
	EXPECT_NE(0, e.took_ns);
}

/* Every errno of HPBUF_IOC_ALLOC that can be had here has its cause. */
TEST_F(events, refused)
{
	static const struct {
		struct hpbuf_alloc a;
		uint32_t err, cause;
	} bad[] = {
		{ { .bytes = SZ_2M, .page_shift = 12 }, EINVAL, HPBUF_CAUSE_INVALID },
		{ { .bytes = -1ULL, .page_shift = 21 }, EOVERFLOW, HPBUF_CAUSE_INVALID },
		{ { .bytes = 1ULL << 60, .page_shift = 21 }, ENOSPC, HPBUF_CAUSE_CAP },
		{ { .bytes = SZ_2M, .page_shift = 21, .nodes = { [15] = 1ULL << 63 } },
		  ENXIO, HPBUF_CAUSE_NO_NODE },
		{ { .bytes = SZ_2M, .page_shift = 21, .name = "taken" },
		  EEXIST, HPBUF_CAUSE_NAME_TAKEN },
	};
	struct hpbuf_alloc keep = {
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M, .name = "taken",
	};
	struct hpbuf_nl_event e;
	unsigned int i;

	ASSERT_LE(0, hpt_alloc_req(self->dev, &keep));
	e = next(_metadata, self);
	EXPECT_EQ(HPBUF_EVENT_KIND_ALLOC, e.kind);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct hpbuf_alloc a = bad[i].a;

		ASSERT_EQ(-(int)bad[i].err, hpt_alloc_req(self->dev, &a));
		e = next(_metadata, self);
		EXPECT_EQ(HPBUF_EVENT_KIND_FAIL, e.kind)
			TH_LOG("request %u", i);
		EXPECT_EQ(bad[i].err, e.err);
		EXPECT_EQ(bad[i].cause, e.cause);
		EXPECT_FALSE(e.has_id);
	}
}

TEST_F(events, memlock)
{
	struct rlimit none = { 0, 0 };
	struct hpbuf_nl_event e;
	struct hpbuf_alloc a;

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
	ASSERT_EQ(0, hpt_become(HPT_NOBODY));
	ASSERT_EQ(-EDQUOT, hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &a));
	e = next(_metadata, self);
	EXPECT_EQ(HPBUF_EVENT_KIND_FAIL, e.kind);
	EXPECT_EQ(EDQUOT, e.err);
	EXPECT_EQ(HPBUF_CAUSE_MEMLOCK, e.cause);
}

/* A reader that sleeps through a burst. */
TEST_F(events, a_burst)
{
	struct hpbuf_alloc none = { .bytes = 0, .page_shift = HPBUF_SHIFT_2M };
	struct hpbuf_nl_event e;
	uint64_t got = 0, lost = 0, last = 0;
	int i, n = 20000, ret, silences = 0;

	for (i = 0; i < n; i++) {
		struct hpbuf_alloc a = { .bytes = 0, .page_shift = HPBUF_SHIFT_2M };

		ASSERT_EQ(-EINVAL, hpt_alloc_req(self->dev, &a));
	}
	for (i = 0; i < 3 * n && !silences; i++) {
		ret = hpbuf_nl_event(self->nl, 500, &e);
		if (ret == -ENOBUFS)
			continue;
		if (ret == -EAGAIN) {
			silences++;
			continue;
		}
		ASSERT_EQ(0, ret);
		if (last) {
			ASSERT_LT(last, e.seq);
			lost += e.seq - last - 1;
		}
		last = e.seq;
		got++;
	}
	EXPECT_LT(0, got);
	/* the socket goes on, and the number tells what was missed */
	ASSERT_EQ(-EINVAL, hpt_alloc_req(self->dev, &none));
	do {
		ret = hpbuf_nl_event(self->nl, WAIT_MS, &e);
	} while (ret == -ENOBUFS);
	ASSERT_EQ(0, ret);
	ASSERT_LT(last, e.seq);
	lost += e.seq - last - 1;
	EXPECT_EQ((uint64_t)n + 1, got + lost + 1);
}

HPBUF_TEST_MAIN
