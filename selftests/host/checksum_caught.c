// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One wrong byte in the array is found by every workload that reads it, one wrong value
 * that a write loop left too: the sample is marked, which makes the exit code 6.
 */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

#include "../../user/hold.h"
#include "../../user/timing.h"

#define ELEMENTS	4096
#define OPS		(64 * ELEMENTS)

FIXTURE(array)
{
	struct plan plan;
	struct bench bn;
	struct mapping m;
};

FIXTURE_SETUP(array)
{
	struct job job = { &workload_fill, NULL };
	struct stages st = { 0 };
	struct hp_error e = { 0 };

	plan_init(&self->plan);
	self->plan.bytes = ELEMENTS * 5;
	self->plan.n = ELEMENTS;
	self->plan.nr_b = 1;
	ASSERT_EQ(0, backing_parse("anon-4k", &self->plan.b[0], &e));
	memset(&self->bn, 0, sizeof(self->bn));
	self->bn.plan = &self->plan;
	self->bn.shards = aligned_alloc(128, sizeof(struct shard));
	ASSERT_NE(NULL, self->bn.shards);
	memset(self->bn.shards, 0, sizeof(struct shard));
	ASSERT_EQ(0, crew_new(&self->bn.crew, 1, &e));
	ASSERT_EQ(0, hold_acquire(&self->plan, &self->plan.b[0], &self->m, &st, &e));
	job.shards = self->bn.shards;
	timing_deal(&self->bn, &self->m, job.w, 1, 0, 0, 0);
	timing_untimed(&self->bn, 1, &job, timing_run);
}

FIXTURE_TEARDOWN(array)
{
	struct stages st = { 0 };
	struct hp_error e = { 0 };

	hold_release(&self->m, &st, &e);
	crew_free(self->bn.crew);
	free(self->bn.shards);
}

/* Flags after a run of @w, with one bit of the array wrong before it. */
static unsigned int flags_of(FIXTURE_DATA(array) *self, const struct workload *w, bool wrong)
{
	struct job job = { w, self->bn.shards };
	struct sample out = { 0 };

	timing_deal(&self->bn, &self->m, w, 1, OPS, 42, 0);
	if (w->prepare)
		timing_untimed(&self->bn, 1, &job, timing_prepare);
	if (wrong)
		self->m.addr[ELEMENTS / 2 * 5 + 1] ^= 0x10;
	timing_untimed(&self->bn, 1, &job, timing_run);
	if (!timing_finished(&self->bn, 1))
		return ~0U;
	timing_add_up(&self->bn, 1, &job, &out);
	return out.flags;
}

TEST_F(array, right_data)
{
	EXPECT_EQ(0, flags_of(self, &workload_get, false));
	EXPECT_EQ(0, flags_of(self, &workload_get_safe, false));
	EXPECT_EQ(0, flags_of(self, &workload_get_fast, false));
	EXPECT_EQ(0, flags_of(self, &workload_set, false));
	EXPECT_EQ(0, flags_of(self, &workload_chase, false));
}

TEST_F(array, get)
{
	EXPECT_EQ(SAMPLE_CHECKSUM, flags_of(self, &workload_get, true));
}

TEST_F(array, get_safe)
{
	EXPECT_EQ(SAMPLE_CHECKSUM, flags_of(self, &workload_get_safe, true));
}

TEST_F(array, get_fast)
{
	EXPECT_EQ(SAMPLE_CHECKSUM, flags_of(self, &workload_get_fast, true));
}

/* A store that does not come to rest where it should, as a lost page would do it. */
TEST_F(array, set)
{
	struct job job = { &workload_set, self->bn.shards };
	struct sample out = { 0 };

	timing_deal(&self->bn, &self->m, &workload_set, 1, OPS, 42, 0);
	timing_untimed(&self->bn, 1, &job, timing_run);
	memset(self->m.addr, 0, 4096);
	timing_add_up(&self->bn, 1, &job, &out);
	EXPECT_EQ(SAMPLE_CHECKSUM, out.flags);
}

TEST_HARNESS_MAIN
