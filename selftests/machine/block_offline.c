// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that holds a buffer cannot be taken off line: that is refused at once and
 * nothing is lost. A gigabyte with a piece off line is no candidate.
 */
#include "phys.h"

#define SALT	0x0ff11eULL
#define BLOCKS	"/sys/devices/system/memory"

struct held {
	int dev;
	struct hpbuf_alloc a;
	unsigned char *p;
	uint64_t block;		/* bytes that go off line together */
};

static uint64_t block_size(void)
{
	char text[32];

	return hpt_read_text(BLOCKS "/block_size_bytes", text, sizeof(text)) ? 0 :
	       strtoull(text, NULL, 16);
}

/* A page that is mapped and stamped. NULL, or what is missing. */
static const char *hold(struct held *h, unsigned int shift)
{
	struct hpbuf_caps caps = { 0 };
	int ret;

	h->dev = hpt_open(&caps);
	h->block = block_size();
	if (!h->block)
		return "needs a kernel that takes memory off line, found no " BLOCKS;
	if (!(caps.page_shifts & 1UL << shift))
		return "needs pages of that size, found them not offered";
	if (access("/proc/kcore", R_OK))
		return "needs /proc/kcore, found none";
	if (shift == HPBUF_SHIFT_1G)
		ret = hpt_alloc_1g(h->dev, 1, &h->a);
	else
		ret = hpt_alloc(h->dev, 1UL << shift, shift, &h->a);
	if (ret == -EBUSY)
		return "needs a free piece of that size, found none";
	h->p = ret < 0 ? MAP_FAILED : hpt_map(h->a.fd, h->a.size);
	if (h->p != MAP_FAILED)
		hpt_stamp(h->p, h->a.size, SALT);
	return NULL;
}

static void let_go(struct held *h)
{
	if (h->p && h->p != MAP_FAILED) {
		munmap(h->p, h->a.size);
		close(h->a.fd);
	}
	h->p = NULL;
}

static int block_set(uint64_t nr, const char *state)
{
	char path[80];

	snprintf(path, sizeof(path), BLOCKS "/memory%llu/state", (unsigned long long)nr);
	return hpt_write_text(path, state);
}

static bool block_online(uint64_t nr)
{
	char path[80], text[16];

	snprintf(path, sizeof(path), BLOCKS "/memory%llu/state", (unsigned long long)nr);
	return !hpt_read_text(path, text, sizeof(text)) && !strncmp(text, "online", 6);
}

FIXTURE(offline) {
	struct held h;
};

FIXTURE_VARIANT(offline) {
	unsigned int shift;
};

FIXTURE_VARIANT_ADD(offline, pmd) { .shift = HPBUF_SHIFT_2M };
FIXTURE_VARIANT_ADD(offline, pud) { .shift = HPBUF_SHIFT_1G };

FIXTURE_SETUP(offline)
{
	const char *missing = hold(&self->h, variant->shift);

	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_NE(MAP_FAILED, self->h.p);
}

FIXTURE_TEARDOWN(offline)
{
	let_go(&self->h);
	close(self->h.dev);
}

/* Each block that holds a part of the page. */
TEST_F(offline, refused_and_nothing_lost)
{
	const struct held *h = &self->h;
	uint64_t phys = phys_of(h->p, h->a.size), at;

	ASSERT_NE(0, phys);
	for (at = phys; at < phys + h->a.size; at += h->block) {
		EXPECT_EQ(-EBUSY, block_set(at / h->block, "offline"));
		EXPECT_TRUE(block_online(at / h->block));
	}
	EXPECT_EQ(-1, hpt_check(h->p, h->a.size, SALT));
	EXPECT_EQ(h->a.size, hpt_used(h->dev));
}

/* ---- when the buffer is gone ---- */

FIXTURE(freed) {
	struct held h;
};

FIXTURE_SETUP(freed)
{
	const char *missing = hold(&self->h, HPBUF_SHIFT_1G);

	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_NE(MAP_FAILED, self->h.p);
}

FIXTURE_TEARDOWN(freed)
{
	let_go(&self->h);
	close(self->h.dev);
}

/* A gigabyte with a hole in it is no page. */
TEST_F(freed, it_can_be_taken)
{
	struct held *h = &self->h;
	uint64_t phys = phys_of(h->p, SZ_1G), nr = phys / h->block;
	struct hpbuf_alloc a;
	unsigned char *p;
	int ret;

	ASSERT_NE(0, phys);
	let_go(h);
	ASSERT_TRUE(hpt_used_becomes(h->dev, 0));
	ASSERT_EQ(0, block_set(nr, "offline"));
	ret = hpt_alloc(h->dev, SZ_1G, HPBUF_SHIFT_1G, &a);
	if (ret >= 0) {
		p = hpt_map(a.fd, SZ_1G);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_NE(phys, phys_of(p, SZ_1G));
		EXPECT_EQ(-1, hpt_nonzero(p, SZ_1G, SZ_4K));
		munmap(p, SZ_1G);
		close(a.fd);
	} else {
		EXPECT_EQ(-EBUSY, ret);
	}
	EXPECT_EQ(0, block_set(nr, "online"));
}

HPBUF_TEST_MAIN
