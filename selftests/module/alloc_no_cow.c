// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpctl's allocation leaves its memory as it is: no page of it is written by a fault
 * afterwards, as all are after fork(). Such faults once came in the timed part.
 */
#include "hpbuf_test.h"

#include "backing/hpbuf_alloc.h"

#define PAGES	256

static long faults(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_minflt;
}

FIXTURE(alloc) { };
FIXTURE_SETUP(alloc) { }
FIXTURE_TEARDOWN(alloc) { }

TEST_F(alloc, copies_no_page)
{
	struct hpbuf_alloc req = { .bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M };
	int i, dev = hpt_open(NULL);
	unsigned char *p;
	uint64_t ns = 0;
	long before;

	ASSERT_LE(0, dev);
	p = mmap(NULL, PAGES * SZ_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, madvise(p, PAGES * SZ_4K, MADV_NOHUGEPAGE));
	for (i = 0; i < PAGES; i++)
		p[i * SZ_4K] = 1;
	ASSERT_EQ(0, hpbuf_alloc_stoppable(dev, &req, &ns));
	EXPECT_NE(0, ns);
	before = faults();
	for (i = 0; i < PAGES; i++)
		p[i * SZ_4K] = 2;
	/* of all; something else may have moved one */
	EXPECT_GT(PAGES / 8, faults() - before);
	close(req.fd);
	close(dev);
}

HPBUF_TEST_MAIN
