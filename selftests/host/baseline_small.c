// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The 4 KiB baseline: memory that holds a huge page is found out, by the pages
 * themselves, though smaps and page tables may show none; memory of single pages passes.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/backing/backing.h"
#include "../../user/measure/small.h"

#define BYTES	(UINT64_C(8) << 20)
#define HUGE	(UINT64_C(2) << 20)

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

TEST_HARNESS_MAIN
