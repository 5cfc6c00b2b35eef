// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The 4 KiB baseline: memory that holds a huge page is found out, by the pages
 * themselves, though smaps and page tables may show none; memory of single pages passes.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/backing/backing.h"
#include "../../user/measure/proc.h"
#include "../../user/measure/small.h"

#define BYTES	(UINT64_C(8) << 20)
#define HUGE	(UINT64_C(2) << 20)
#define SIZE_64K	"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled"

FIXTURE(range)
{
	struct backing b;
	struct mapping m;
};

FIXTURE_SETUP(range)
{
	struct hp_error e = { 0 };

	ASSERT_EQ(0, backing_parse("anon-4k", &self->b, &e));
	memset(&self->m, 0, sizeof(self->m));
	self->m.b = &self->b;
	self->m.fd = -1;
	self->m.asked = self->m.bytes = BYTES;
	self->b.ops->note(&self->m);
	ASSERT_EQ(0, self->b.ops->map(&self->m, &e));
}

FIXTURE_TEARDOWN(range)
{
	struct hp_error e = { 0 };

	self->b.ops->unmap(&self->m, &e);
}

static int verify(struct mapping *m, struct hp_error *e)
{
	const char *how = NULL;

	return m->b->ops->verify(m, &how, e);
}

TEST_F(range, single_pages)
{
	struct hp_error e = { 0 };
	struct census c;

	ASSERT_EQ(0, self->b.ops->populate(&self->m, self->m.addr, BYTES, &e));
	EXPECT_EQ(0, verify(&self->m, &e));
	ASSERT_TRUE(backing_census(&self->m, NULL, &c));
	EXPECT_TRUE(census_share(&c, 12) == 1);
}

TEST_F(range, one_huge_page)
{
	struct hp_error e = { 0 };
	struct census c;

	if (geteuid())
		SKIP(return, "needs root, for page flags");
	/* What happened if the advice of the baseline were lost. */
	ASSERT_EQ(0, madvise(self->m.addr + HUGE, HUGE, MADV_HUGEPAGE));
	ASSERT_EQ(0, self->b.ops->populate(&self->m, self->m.addr, BYTES, &e));
	ASSERT_TRUE(backing_census(&self->m, NULL, &c));
	if (!c.pmd)
		SKIP(return, "the kernel gave no transparent huge page");
	EXPECT_TRUE(census_share(&c, 12) < 0.95);
	EXPECT_EQ(HP_NOT_AS_ASKED, verify(&self->m, &e));
	/* Split: 4 KiB leaves in the page tables, and still one page behind them. */
	ASSERT_EQ(0, mprotect(self->m.addr + HUGE, 4096, PROT_READ));
	memset(&e, 0, sizeof(e));
	EXPECT_EQ(HP_NOT_AS_ASKED, verify(&self->m, &e));
}

/*
 * With huge pages of 64 KiB for everybody, which neither smaps nor page tables show: put
 * back as it was at the end.
 */
FIXTURE(mthp)
{
	char former[16];
};

static bool put_mode(const char *mode)
{
	int fd = open(SIZE_64K, O_WRONLY);
	bool ok = fd >= 0 && write(fd, mode, strlen(mode)) == (ssize_t)strlen(mode);

	if (fd >= 0)
		close(fd);
	return ok;
}

FIXTURE_SETUP(mthp)
{
	if (!proc_bracketed(SIZE_64K, self->former, sizeof(self->former)) || !put_mode("always"))
		SKIP(return, "needs root and a kernel with huge pages of 64 KiB (6.8)");
}

FIXTURE_TEARDOWN(mthp)
{
	EXPECT_TRUE(put_mode(self->former));
}

TEST_F(mthp, found_out)
{
	struct mapping m = { .bytes = BYTES, .asked = BYTES, .fd = -1 };
	struct hp_error e = { 0 };
	struct backing b;
	struct census c;

	/* A baseline without its advice. */
	ASSERT_EQ(0, backing_parse("anon-4k", &b, &e));
	m.b = &b;
	b.ops->note(&m);
	ASSERT_EQ(0, region_reserve(&m, HUGE, &e));
	ASSERT_NE(MAP_FAILED, mmap(m.addr, BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	memset(m.addr, 1, BYTES);
	ASSERT_TRUE(backing_census(&m, NULL, &c));
	if (c.pte < BYTES)
		TH_LOG("%llu bytes are huge pages of 2 MiB", (unsigned long long)c.pmd);
	EXPECT_EQ(HP_NOT_AS_ASKED, verify(&m, &e));
	EXPECT_EQ(0, region_release(&m, &e));
}

TEST_F(mthp, kept_away)
{
	struct mapping m = { .bytes = BYTES, .asked = BYTES, .fd = -1 };
	struct hp_error e = { 0 };
	struct backing b;

	ASSERT_EQ(0, backing_parse("anon-4k", &b, &e));
	m.b = &b;
	b.ops->note(&m);
	ASSERT_EQ(0, b.ops->map(&m, &e));
	ASSERT_EQ(0, b.ops->populate(&m, m.addr, BYTES, &e));
	EXPECT_EQ(0, verify(&m, &e));
	EXPECT_EQ(0, b.ops->unmap(&m, &e));
}

TEST_HARNESS_MAIN
