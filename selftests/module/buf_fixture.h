/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixture "buf": a mapped, stamped buffer of 2 MiB pages (variant p2m) and one
 * of 1 GiB pages (variant p1g).
 *
 * The program makes both once, before the first test; every test maps them
 * anew. So a test costs no allocation. Use BUF_TEST_MAIN(pages_2m, pages_1g).
 */
#ifndef HPBUF_BUF_FIXTURE_H
#define HPBUF_BUF_FIXTURE_H

#include "hpbuf_test.h"

#define BUF_SALT	0xb0f

static struct hpbuf_alloc buf_made[2];
static int buf_fd[2];		/* or -errno */
static int buf_dev;
static struct hpbuf_caps buf_caps;

static void buf_make(unsigned int pages_2m, unsigned int pages_1g)
{
	buf_dev = hpt_open(&buf_caps);
	if (buf_dev < 0)
		ksft_exit_fail_msg("%s: %s\n", HPBUF_DEVICE, strerror(-buf_dev));
	buf_fd[0] = hpt_alloc(buf_dev, pages_2m * SZ_2M, HPBUF_SHIFT_2M, &buf_made[0]);
	buf_fd[1] = hpt_alloc_1g(buf_dev, pages_1g, &buf_made[1]);
	/* what needs two leaves in a row is tried with 2 MiB pages too */
	if (buf_fd[1] == -EBUSY && pages_1g > 1)
		buf_fd[1] = hpt_alloc_1g(buf_dev, 1, &buf_made[1]);
}

FIXTURE(buf) {
	int dev, fd;
	size_t page, size;
	unsigned char *p;
};

FIXTURE_VARIANT(buf) {
	unsigned int which;
	unsigned int shift;
};

FIXTURE_VARIANT_ADD(buf, p2m) { .which = 0, .shift = HPBUF_SHIFT_2M };
FIXTURE_VARIANT_ADD(buf, p1g) { .which = 1, .shift = HPBUF_SHIFT_1G };

FIXTURE_SETUP(buf)
{
	self->dev = buf_dev;
	self->fd = buf_fd[variant->which];
	self->page = 1UL << variant->shift;
	self->size = buf_made[variant->which].size;
	if (self->fd == -EBUSY || self->fd == -EOPNOTSUPP)
		SKIP(return, "needs %lu MiB in pages of 2^%u, found: %s",
		     (unsigned long)(buf_made[variant->which].bytes >> 20),
		     variant->shift, strerror(-self->fd));
	ASSERT_LE(0, self->fd)
		TH_LOG("allocating: %s", strerror(-self->fd));
	self->p = hpt_map(self->fd, self->size);
	ASSERT_NE(MAP_FAILED, self->p)
		TH_LOG("mmap: %s", strerror(errno));
	hpt_stamp(self->p, self->size, BUF_SALT);
}

FIXTURE_TEARDOWN(buf)
{
	(void)self;	/* the mapping goes with the process */
}

/* All bytes as stamped, and nothing maps them but leaves of the page's size. */
#define EXPECT_INTACT() do {						\
	EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT));	\
	EXPECT_WHOLE_LEAVES(self->size);				\
} while (0)

#define EXPECT_WHOLE_LEAVES(bytes) do {					\
	struct hpbuf_info _i;						\
									\
	EXPECT_EQ(0, hpt_info(self->fd, &_i));				\
	EXPECT_EQ(0, _i.leaf_bytes_pte);				\
	EXPECT_EQ((uint64_t)(bytes), self->page == SZ_1G ?		\
		  _i.leaf_bytes_pud : _i.leaf_bytes_pmd);		\
	EXPECT_EQ(0, self->page == SZ_1G ? _i.leaf_bytes_pmd : _i.leaf_bytes_pud); \
} while (0)

#define BUF_TEST_MAIN(pages_2m, pages_1g)				\
	HPBUF_TEST_MAIN_WITH(buf_make(pages_2m, pages_1g))

#endif
