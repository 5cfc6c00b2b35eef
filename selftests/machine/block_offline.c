// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that holds a buffer cannot be taken off line: that is refused at once and
 * nothing is lost. A gigabyte with a piece off line is no candidate.
 */
#include "phys.h"

#define SALT	0x0ff11eULL
#define BLOCKS	"/sys/devices/system/memory"

FIXTURE(offline) {
	int dev;
	struct hpbuf_alloc a;
	unsigned char *p;
	uint64_t block;		/* bytes that go off line together */
};

FIXTURE_VARIANT(offline) {
	unsigned int shift;
};

FIXTURE_VARIANT_ADD(offline, pmd) { .shift = HPBUF_SHIFT_2M };
FIXTURE_VARIANT_ADD(offline, pud) { .shift = HPBUF_SHIFT_1G };

static uint64_t block_size(void)
{
	char text[32];

	return hpt_read_text(BLOCKS "/block_size_bytes", text, sizeof(text)) ? 0 :
	       strtoull(text, NULL, 16);
}

FIXTURE_SETUP(offline)
{
	uint64_t page = 1UL << variant->shift;
	struct hpbuf_caps caps = { 0 };

	self->dev = hpt_open(&caps);
	ASSERT_LE(0, self->dev);
	self->block = block_size();
	if (!self->block)
		SKIP(return, "needs a kernel that takes memory off line, found no " BLOCKS);
	if (!(caps.page_shifts & page))
		SKIP(return, "needs pages of 2^%u, found page_shifts 0x%llx", variant->shift,
		     (unsigned long long)caps.page_shifts);
	if (access("/proc/kcore", R_OK))
		SKIP(return, "needs /proc/kcore, found %s", strerror(errno));
	ASSERT_LE(0, hpt_alloc(self->dev, page, variant->shift, &self->a));
	self->p = hpt_map(self->a.fd, page);
	ASSERT_NE(MAP_FAILED, self->p);
	hpt_stamp(self->p, page, SALT);
}

FIXTURE_TEARDOWN(offline)
{
	if (self->p) {
		munmap(self->p, self->a.size);
		close(self->a.fd);
	}
	close(self->dev);
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

/* Each block that holds a part of the page. */
TEST_F(offline, refused_and_nothing_lost)
{
	uint64_t phys = phys_of(self->p, self->a.size), at;

	ASSERT_NE(0, phys);
	for (at = phys; at < phys + self->a.size; at += self->block) {
		EXPECT_EQ(-EBUSY, block_set(at / self->block, "offline"));
		EXPECT_TRUE(block_online(at / self->block));
	}
	EXPECT_EQ(-1, hpt_check(self->p, self->a.size, SALT));
	EXPECT_EQ(self->a.size, hpt_used(self->dev));
}

/* What the buffer held can be taken, and put back, when the buffer is gone. */
TEST_F(offline, freed_it_can_be_taken)
{
	uint64_t phys = phys_of(self->p, self->a.size), nr = phys / self->block;
	struct hpbuf_alloc a;
	unsigned char *p;
	int ret;

	ASSERT_NE(0, phys);
	munmap(self->p, self->a.size);
	close(self->a.fd);
	self->p = NULL;
	ASSERT_TRUE(hpt_used_becomes(self->dev, 0));
	ret = block_set(nr, "offline");
	/* Its neighbours may be the kernel's own. */
	if (ret == -EBUSY && variant->shift == HPBUF_SHIFT_2M)
		SKIP(return, "needs a block with nothing of the kernel's beside, found it busy");
	ASSERT_EQ(0, ret);
	ret = hpt_alloc(self->dev, self->a.size, variant->shift, &a);
	if (ret >= 0) {
		p = hpt_map(a.fd, a.size);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_FALSE(phys_of(p, a.size) / self->block == nr);
		EXPECT_EQ(-1, hpt_nonzero(p, a.size, SZ_4K));
		munmap(p, a.size);
		close(a.fd);
	} else {
		EXPECT_EQ(-EBUSY, ret);
	}
	EXPECT_EQ(0, block_set(nr, "online"));
}

HPBUF_TEST_MAIN
