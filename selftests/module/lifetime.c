// SPDX-License-Identifier: GPL-2.0-only
/*
 * munmap, close and HPBUF_IOC_FREE in each of their six orders: the data stays
 * as long as a mapping does, and afterwards the memory is back and the module
 * is held by nobody (C18).
 */
#include "hpbuf_test.h"

#define SALT	0x11fe

FIXTURE(lifetime) {
	int dev;
	long refs;
	uint64_t used;
};

FIXTURE_VARIANT(lifetime) {
	unsigned int shift, pages;
};

FIXTURE_VARIANT_ADD(lifetime, p2m) { .shift = HPBUF_SHIFT_2M, .pages = 8 };
FIXTURE_VARIANT_ADD(lifetime, p1g) { .shift = HPBUF_SHIFT_1G, .pages = 1 };

static long refcount(void)
{
	char text[32];

	if (hpt_read_text("/sys/module/hpbuf/refcnt", text, sizeof(text)))
		return -1;
	return atol(text);
}

static bool refcount_becomes(long want)
{
	int i;

	for (i = 0; i < FREEMEM_TRIES && refcount() != want; i++)
		usleep(FREEMEM_PAUSE);
	return refcount() == want;
}

FIXTURE_SETUP(lifetime)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	/* The device's own; that of the last buffer goes a clock tick after it. */
	self->refs = 1;
	ASSERT_TRUE(refcount_becomes(self->refs))
		TH_LOG("%ld references, when only the device is open", refcount());
	self->used = hpt_used(self->dev);
}

FIXTURE_TEARDOWN(lifetime)
{
	close(self->dev);
}

struct state {
	struct hpbuf_alloc a;
	unsigned char *p;
	bool mapped, opened, persist;
};

static void start(struct __test_metadata *_metadata, FIXTURE_DATA(lifetime) *self,
		  const FIXTURE_VARIANT(lifetime) *variant, struct state *s)
{
	memset(s, 0, sizeof(*s));
	s->a.bytes = (uint64_t)variant->pages << variant->shift;
	s->a.page_shift = variant->shift;
	s->a.flags = HPBUF_ALLOC_PERSIST;
	ASSERT_LE(0, hpt_alloc_req(self->dev, &s->a))
		TH_LOG("alloc: %s", strerror(errno));
	s->p = hpt_map(s->a.fd, s->a.size);
	ASSERT_NE(MAP_FAILED, s->p);
	hpt_stamp(s->p, s->a.size, SALT);
	s->mapped = s->opened = s->persist = true;
}

static void step(struct __test_metadata *_metadata, FIXTURE_DATA(lifetime) *self,
		 struct state *s, char what)
{
	uint32_t busy = 2;
	unsigned char val;

	switch (what) {
	case 'm':
		EXPECT_EQ(0, munmap(s->p, s->a.size));
		EXPECT_EQ(SIGSEGV, hpt_peek(s->p, &val));
		s->mapped = false;
		break;
	case 'c':
		EXPECT_EQ(0, close(s->a.fd));
		s->opened = false;
		break;
	case 'f':
		EXPECT_EQ(0, hpt_free(self->dev, s->a.id, &busy));
		EXPECT_EQ(s->mapped || s->opened, busy);
		EXPECT_EQ(-ENOENT, hpt_free(self->dev, s->a.id, NULL));
		s->persist = false;
		break;
	}
	if (s->mapped) {
		EXPECT_EQ(-1, hpt_check(s->p, s->a.size, SALT))
			TH_LOG("after '%c'", what);
	}
	if (s->mapped || s->opened || s->persist) {
		EXPECT_EQ(self->used + s->a.size, hpt_used(self->dev));
		EXPECT_LT(self->refs, refcount());
	} else {
		EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
		EXPECT_TRUE(refcount_becomes(self->refs));
	}
}

static void run_order(struct __test_metadata *_metadata, FIXTURE_DATA(lifetime) *self,
		      const FIXTURE_VARIANT(lifetime) *variant, const char *order)
{
	struct state s;

	start(_metadata, self, variant, &s);
	step(_metadata, self, &s, order[0]);
	step(_metadata, self, &s, order[1]);
	step(_metadata, self, &s, order[2]);
}

TEST_F(lifetime, six_orders)
{
	static const char * const orders[] = { "mcf", "mfc", "cmf", "cfm", "fmc", "fcm" };
	struct freemem before;
	unsigned int i;

	run_order(_metadata, self, variant, "mcf");	/* caches are warm now */
	freemem_read(&before);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		run_order(_metadata, self, variant, orders[i]);
		EXPECT_TRUE(freemem_is_back(&before))
			TH_LOG("order %s", orders[i]);
	}
}

/* Each descriptor holds the buffer, however it came about. */
TEST_F(lifetime, several_descriptors)
{
	struct hpbuf_info info;
	struct hpbuf_alloc a;
	int second, third;

	ASSERT_LE(0, hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &a));
	second = hpt_open_id(self->dev, a.id, 0);
	ASSERT_LE(0, second);
	third = dup(second);
	ASSERT_LE(0, third);
	ASSERT_EQ(0, hpt_info(a.fd, &info));
	EXPECT_EQ(2, info.opens);
	close(a.fd);
	close(second);
	ASSERT_EQ(0, hpt_info(third, &info));
	EXPECT_EQ(a.id, info.id);
	EXPECT_EQ(1, info.opens);
	close(third);
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_EQ(-ENOENT, hpt_open_id(self->dev, a.id, 0));
}

/* The device's descriptor may go first. */
TEST_F(lifetime, device_closed_first)
{
	int dev = hpt_open(NULL);
	struct hpbuf_alloc a;
	unsigned char *p;

	ASSERT_LE(0, dev);
	ASSERT_LE(0, hpt_alloc(dev, 2 * SZ_2M, HPBUF_SHIFT_2M, &a));
	close(dev);
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	hpt_stamp(p, a.size, SALT);
	close(a.fd);
	EXPECT_EQ(-1, hpt_check(p, a.size, SALT));
	munmap(p, a.size);
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_TRUE(refcount_becomes(self->refs));
}

HPBUF_TEST_MAIN
