// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transparent huge pages switched off - for the process, for the machine, for
 * the mapping - and what that does to a buffer.
 */
#include "hpbuf_test.h"

#include <sys/prctl.h>

#define THP_ENABLED	"/sys/kernel/mm/transparent_hugepage/enabled"

FIXTURE(thp) {
	int dev;
	struct hpbuf_alloc small, big;
	char enabled[64];	/* the word to write back */
};

FIXTURE_SETUP(thp)
{
	char text[64] = "", *open, *close;
	int fd;

	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_LE(0, hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &self->small));
	fd = hpt_alloc_1g(self->dev, 1, &self->big);
	if (fd == -EBUSY || fd == -EOPNOTSUPP)
		SKIP(return, "needs a 1 GiB page, found: %s", strerror(-fd));
	ASSERT_LE(0, fd);
	if (!hpt_read_text(THP_ENABLED, text, sizeof(text))) {
		open = strchr(text, '[');
		close = strchr(text, ']');
		if (open && close)
			snprintf(self->enabled, sizeof(self->enabled), "%.*s",
				 (int)(close - open - 1), open + 1);
	}
}

FIXTURE_TEARDOWN_PARENT(thp)
{
	if (self->enabled[0])
		hpt_write_text(THP_ENABLED, self->enabled);
}

static int disable_thp(void)
{
	return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* Map and use a buffer; 0, or where it went wrong. */
static int use(const struct hpbuf_alloc *a)
{
	struct hpbuf_info info;
	unsigned char *p = hpt_map(a->fd, a->size);

	if (p == MAP_FAILED)
		return 10;
	hpt_stamp(p, a->size, 7);
	if (hpt_check(p, a->size, 7) != -1)
		return 11;
	if (hpt_info(a->fd, &info) || info.leaf_bytes_pte)
		return 12;
	if (a->page_shift == HPBUF_SHIFT_1G && info.leaf_bytes_pud != a->size)
		return 13;
	if (a->page_shift == HPBUF_SHIFT_2M && info.leaf_bytes_pmd != a->size)
		return 14;
	munmap(p, a->size);
	return 0;
}

static int off_for_the_process(void *arg)
{
	FIXTURE_DATA(thp) *self = arg;

	if (hpt_map(self->big.fd, self->big.size) != MAP_FAILED)
		return 2;
	if (errno != EOPNOTSUPP)
		return 3;
	return use(&self->small);
}

TEST_F(thp, off_for_the_process)
{
	ASSERT_EQ(0, disable_thp());
	EXPECT_EQ(0, off_for_the_process(self));
	/* it is inherited */
	EXPECT_EQ(0, hpt_in_child(off_for_the_process, self));
	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0));
	EXPECT_EQ(0, use(&self->big));
}

/* Switched off after mmap(): SIGBUS or nothing, as the header says. */
TEST_F(thp, off_after_mmap)
{
	unsigned char *touched = hpt_map(self->big.fd, self->big.size), *fresh, val;
	int sig;

	ASSERT_NE(MAP_FAILED, touched);
	touched[77] = 0x77;
	fresh = hpt_map(self->big.fd, self->big.size);
	ASSERT_NE(MAP_FAILED, fresh);
	ASSERT_EQ(0, disable_thp());
	sig = hpt_peek(fresh + 77, &val);
	EXPECT_TRUE(sig == SIGBUS || (sig == 0 && val == 0x77))
		TH_LOG("signal %d", sig);
	EXPECT_EQ(0, hpt_peek(touched + 77, &val));
	EXPECT_EQ(0x77, val);
}

/* With a buffer of a 1 GiB page that is not there for us, POPULATE says so. */
TEST_F(thp, populate_says_so)
{
	unsigned char *p = hpt_map(self->big.fd, self->big.size);
	struct hpbuf_populate pop = { .addr = (uintptr_t)p, .len = self->big.size };
	int ret;

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, disable_thp());
	ret = ioctl(self->big.fd, HPBUF_IOC_POPULATE, &pop);
	if (ret) {
		EXPECT_EQ(EFAULT, errno);
		EXPECT_EQ(0, pop.done);
	} else {
		EXPECT_EQ(self->big.size, pop.done);
		EXPECT_EQ(0, p[0]);
	}
}

TEST_F(thp, never_on_the_machine)
{
	if (!self->enabled[0])
		SKIP(return, "needs %s", THP_ENABLED);
	ASSERT_EQ(0, hpt_write_text(THP_ENABLED, "never"));
	EXPECT_EQ(0, use(&self->small));
	EXPECT_EQ(0, use(&self->big));
}

TEST_F(thp, always_on_the_machine)
{
	if (!self->enabled[0])
		SKIP(return, "needs %s", THP_ENABLED);
	ASSERT_EQ(0, hpt_write_text(THP_ENABLED, "always"));
	EXPECT_EQ(0, use(&self->small));
	EXPECT_EQ(0, use(&self->big));
}

HPBUF_TEST_MAIN
