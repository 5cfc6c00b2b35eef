// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family by libhpbuf: buffers one by one and all together, pools,
 * and who may see what.
 */
#include "user.h"

#include <libhpbuf.h>

#define MANY	600	/* more than one 32 KiB datagram holds */

FIXTURE(netlink) {
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_alloc a;
};

FIXTURE_SETUP(netlink)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	self->a = (struct hpbuf_alloc){
		.bytes = 5UL << 20, .page_shift = HPBUF_SHIFT_2M, .name = "listed",
	};
	ASSERT_LE(0, hpt_alloc_req(self->dev, &self->a));
}

FIXTURE_TEARDOWN(netlink)
{
	close(self->a.fd);
	hpbuf_nl_close(self->nl);
	close(self->dev);
}

static void expect_like_info(struct __test_metadata *_metadata, int fd,
			     const struct hpbuf_nl_buf *b)
{
	unsigned int n, pages = 0;
	struct hpbuf_info i;

	ASSERT_EQ(0, hpt_info(fd, &i));
	EXPECT_EQ(i.id, b->id);
	EXPECT_STREQ(i.name, b->name);
	EXPECT_EQ(i.page_shift, b->page_shift);
	EXPECT_EQ(i.size, b->size);
	EXPECT_EQ(i.asked, b->asked);
	EXPECT_EQ(i.uid, b->uid);
	EXPECT_EQ(!!(i.flags & HPBUF_INFO_PERSIST), b->persist);
	EXPECT_EQ(i.mappings, b->mappings);
	EXPECT_EQ(i.opens, b->opens);
	EXPECT_EQ(i.created_ns, b->created_ns);
	EXPECT_NE(0, b->age_ns);
	EXPECT_EQ(i.alloc_ns, b->alloc_ns);
	EXPECT_EQ(i.scan_ns, b->scan_ns);
	EXPECT_EQ(i.migrate_ns, b->migrate_ns);
	EXPECT_EQ(!!(i.flags & HPBUF_INFO_ZERO_NS), b->has_zero_ns);
	EXPECT_EQ(i.zero_ns, b->zero_ns);
	EXPECT_EQ(i.faults, b->faults);
	EXPECT_EQ(i.faults != 0, b->has_fault_ns);
	EXPECT_EQ(i.fault_ns, b->fault_ns);
	EXPECT_EQ(i.fault_max_ns, b->fault_max_ns);
	for (n = 0; n < b->nr_nodes; n++) {
		EXPECT_EQ(i.node_pages[b->nodes[n].node], b->nodes[n].pages);
		pages += b->nodes[n].pages;
	}
	EXPECT_EQ(i.size >> i.page_shift, pages);
}

TEST_F(netlink, one_buffer)
{
	struct hpbuf_nl_buf b;
	unsigned char *p;

	ASSERT_EQ(0, hpbuf_nl_buf_get(self->nl, self->a.id, NULL, &b));
	expect_like_info(_metadata, self->a.fd, &b);
	ASSERT_EQ(0, hpbuf_nl_buf_get(self->nl, 0, "listed", &b));
	expect_like_info(_metadata, self->a.fd, &b);

	p = hpt_map(self->a.fd, self->a.size);
	ASSERT_NE(MAP_FAILED, p);
	p[0] = 1;
	ASSERT_EQ(0, hpbuf_nl_buf_get(self->nl, self->a.id, NULL, &b));
	EXPECT_EQ(1, b.mappings);
	EXPECT_EQ(1, b.faults);
	expect_like_info(_metadata, self->a.fd, &b);
	munmap(p, self->a.size);
}

TEST_F(netlink, no_such_buffer)
{
	struct hpbuf_nl_buf b;

	EXPECT_EQ(-ENOENT, hpbuf_nl_buf_get(self->nl, 0x7ffffff0, NULL, &b));
	EXPECT_STRNE("", hpbuf_nl_strerror(self->nl));
	EXPECT_EQ(-ENOENT, hpbuf_nl_buf_get(self->nl, 0, "nobody", &b));
	EXPECT_STRNE("", hpbuf_nl_strerror(self->nl));
}

struct listing {
	unsigned int nr;
	uint32_t ids[2 * MANY];
	struct hpbuf_nl_buf wanted;
	uint32_t want;
};

static int list_one(const struct hpbuf_nl_buf *b, void *arg)
{
	struct listing *l = arg;

	if (l->nr < ARRAY_SIZE(l->ids))
		l->ids[l->nr] = b->id;
	l->nr++;
	if (b->id == l->want)
		l->wanted = *b;
	return 0;
}

TEST_F(netlink, all_buffers)
{
	struct listing l = { .want = self->a.id };
	unsigned int before;
	struct hpbuf_alloc a;
	int fd;

	ASSERT_EQ(0, hpbuf_nl_bufs(self->nl, list_one, &l));
	EXPECT_LE(1, l.nr);
	expect_like_info(_metadata, self->a.fd, &l.wanted);
	before = l.nr;
	fd = hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &a);
	ASSERT_LE(0, fd);
	l = (struct listing){ .want = a.id };
	ASSERT_EQ(0, hpbuf_nl_bufs(self->nl, list_one, &l));
	EXPECT_EQ(before + 1, l.nr);
	EXPECT_EQ(a.id, l.wanted.id);
	close(fd);
}

/*
 * More than one datagram holds: none is missing, none comes twice (C51), and
 * none is held by having been listed.
 */
TEST_F(netlink, very_many_buffers)
{
	struct rlimit files = { MANY + 100, MANY + 100 };
	static struct hpbuf_alloc made[MANY];
	struct listing l = { .nr = 0 };
	uint64_t used = hpt_used(self->dev);
	unsigned int i, j;

	if (meminfo("MemAvailable") < (long)(2 * MANY * SZ_2M))
		SKIP(return, "needs %lu bytes available, found %ld", 2 * MANY * SZ_2M,
		     meminfo("MemAvailable"));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < MANY; i++) {
		ASSERT_LE(0, hpt_alloc(self->dev, 1, HPBUF_SHIFT_2M, &made[i]))
			TH_LOG("buffer %u: %s", i, strerror(errno));
	}
	ASSERT_EQ(0, hpbuf_nl_bufs(self->nl, list_one, &l));
	EXPECT_LE(MANY + 1, l.nr);
	for (i = 0; i < l.nr && i < ARRAY_SIZE(l.ids); i++)
		for (j = 0; j < i; j++)
			if (l.ids[i] == l.ids[j]) {
				EXPECT_NE(l.ids[i], l.ids[j]);
			}
	for (i = 0; i < MANY; i++)
		close(made[i].fd);
	EXPECT_TRUE(hpt_used_becomes(self->dev, used));
}

struct pools {
	unsigned int nr_2m, nr_1g;
	uint64_t used_2m, used_1g, allocated, freed;
	struct hpbuf_nl_pool last;
};

static int add_pool(const struct hpbuf_nl_pool *p, void *arg)
{
	struct pools *s = arg;

	if (p->page_shift == HPBUF_SHIFT_2M) {
		s->nr_2m++;
		s->used_2m += p->used;
	} else if (p->page_shift == HPBUF_SHIFT_1G) {
		s->nr_1g++;
		s->used_1g += p->used;
	}
	s->allocated += p->allocated;
	s->freed += p->freed;
	s->last = *p;
	return 0;
}

TEST_F(netlink, pools)
{
	struct pools before = { .nr_2m = 0 }, now = { .nr_2m = 0 };
	struct hpbuf_caps caps;
	struct hpbuf_alloc a;

	ASSERT_EQ(0, hpt_caps(self->dev, &caps));
	ASSERT_EQ(0, hpbuf_nl_pools(self->nl, add_pool, &before));
	EXPECT_LE(1, before.nr_2m);
	EXPECT_EQ(caps.page_shifts & SZ_1G ? before.nr_2m : before.nr_1g, before.nr_1g);
	EXPECT_EQ(caps.max_bytes, before.last.max_bytes);
	EXPECT_EQ(caps.floor_bytes, before.last.floor_bytes);
	EXPECT_EQ(caps.used_bytes, before.last.used_bytes);
	EXPECT_EQ(caps.used_bytes, before.used_2m * SZ_2M + before.used_1g * SZ_1G);

	ASSERT_LE(0, hpt_alloc(self->dev, 7 * SZ_2M, HPBUF_SHIFT_2M, &a));
	ASSERT_EQ(0, hpbuf_nl_pools(self->nl, add_pool, &now));
	EXPECT_EQ(before.used_2m + 7, now.used_2m);
	EXPECT_LE(before.allocated, now.allocated);
	close(a.fd);
	EXPECT_TRUE(hpt_used_becomes(self->dev, caps.used_bytes));
	now = (struct pools){ .nr_2m = 0 };
	ASSERT_EQ(0, hpbuf_nl_pools(self->nl, add_pool, &now));
	EXPECT_EQ(before.used_2m, now.used_2m);
	EXPECT_LE(before.freed, now.freed);
}

/* As another user: own buffers, and no sign of anybody else's. */
static int look_as_other(void *arg)
{
	FIXTURE_DATA(netlink) *self = arg;
	struct listing l = { .nr = 0 };
	struct hpbuf_nl_buf b;
	struct hpbuf_nl *nl;
	struct hpbuf_alloc a;
	int dev;

	if (hpt_become(HPT_OTHER) || hpbuf_nl_open(&nl))
		return 1;
	dev = hpt_open(NULL);
	if (dev < 0)
		return 2;
	if (hpbuf_nl_bufs(nl, list_one, &l) || l.nr)
		return 3;
	/* not even its existence */
	if (hpbuf_nl_buf_get(nl, self->a.id, NULL, &b) != -ENOENT)
		return 4;
	if (hpbuf_nl_buf_get(nl, 0, "listed", &b) != -ENOENT)
		return 5;
	if (hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a) < 0)
		return 6;
	l.want = a.id;
	if (hpbuf_nl_bufs(nl, list_one, &l) || l.nr != 1 || l.wanted.uid != HPT_OTHER)
		return 7;
	if (hpbuf_nl_buf_get(nl, a.id, NULL, &b))
		return 8;
	return 0;
}

TEST_F(netlink, others_see_their_own)
{
	ASSERT_EQ(0, user_open_up());
	EXPECT_EQ(0, hpt_in_child(look_as_other, self));
	user_close_again();
}

HPBUF_TEST_MAIN
