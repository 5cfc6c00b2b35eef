// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine is put to sleep, or into hibernation, while buffers are there, pages are
 * being collected and zeroed: nothing keeps it awake, and all goes on afterwards.
 *
 * The kernel's own test of it: tasks are frozen, for a while, and thawed; devices are
 * not touched. For hibernation the kernel also gets the memory for its image.
 */
#include "pool.h"

#include <pthread.h>

#define SALT	0x51eeULL
#define POOL	512

FIXTURE(asleep) {
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_alloc a;
	unsigned char *p;
};

FIXTURE_VARIANT(asleep) {
	const char *state;
	int rounds;	/* the kernel stays in hibernation for 5 s, busy */
};

FIXTURE_VARIANT_ADD(asleep, to_idle) { .state = "freeze", .rounds = 3 };
FIXTURE_VARIANT_ADD(asleep, to_disk) { .state = "disk", .rounds = 1 };

static bool sleeps(const char *state)
{
	char text[80];

	return !hpt_read_text("/sys/power/state", text, sizeof(text)) && strstr(text, state);
}

FIXTURE_SETUP(asleep)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	if (!sleeps(variant->state))
		SKIP(return, "needs a machine that knows the state '%s'", variant->state);
	if (hpt_write_text("/sys/power/pm_test", "freezer"))
		SKIP(return, "needs CONFIG_PM_DEBUG, found no /sys/power/pm_test");
	hpt_write_text("/sys/module/suspend/parameters/pm_test_delay", "1");
	ASSERT_LE(0, hpt_alloc(self->dev, 4 * SZ_2M, HPBUF_SHIFT_2M, &self->a));
	self->p = hpt_map(self->a.fd, self->a.size);
	ASSERT_NE(MAP_FAILED, self->p);
	hpt_stamp(self->p, self->a.size, SALT);
}

FIXTURE_TEARDOWN(asleep)
{
	if (self->p) {
		munmap(self->p, self->a.size);
		close(self->a.fd);
		hpt_write_text("/sys/power/pm_test", "none");
	}
	hpbuf_nl_close(self->nl);
	close(self->dev);
}

TEST_F(asleep, buffers_stay_as_they_are)
{
	ASSERT_EQ(0, hpt_write_text("/sys/power/state", variant->state));
	EXPECT_EQ(-1, hpt_check(self->p, self->a.size, SALT));
	EXPECT_EQ(self->a.size, hpt_used(self->dev));
}

TEST_F(asleep, while_the_pool_is_filled_and_zeroed)
{
	struct hpbuf_nl_pool pool;
	struct hpbuf_alloc a;
	unsigned char *p;

	/* What was written to is zeroed when it comes back. */
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, POOL / 4, &pool));
	ASSERT_LE(0, pool_alloc(self->dev, POOL / 4 * SZ_2M, HPBUF_SHIFT_2M, &a));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	hpt_stamp(p, a.size, SALT);
	munmap(p, a.size);
	close(a.fd);
	ASSERT_EQ(0, pool_set(self->nl, 0, HPBUF_SHIFT_2M, POOL, 0, true));
	ASSERT_EQ(0, hpt_write_text("/sys/power/state", variant->state));
	ASSERT_EQ(0, pool_settle(self->nl, 0, HPBUF_SHIFT_2M, &pool));
	EXPECT_LT(0, pool.ready);
	ASSERT_LE(0, pool_alloc(self->dev, pool.ready * SZ_2M, HPBUF_SHIFT_2M, &a));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, hpt_nonzero(p, a.size, SZ_4K));
	munmap(p, a.size);
	close(a.fd);
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 0, &pool));
}

/* ---- an allocation under way ---- */

struct allocator {
	int dev;
	volatile bool stop;
	unsigned int done, failed;
};

static void *keep_allocating(void *arg)
{
	struct allocator *al = arg;
	struct hpbuf_alloc a;

	while (!al->stop) {
		if (hpt_alloc(al->dev, 64 * SZ_2M, HPBUF_SHIFT_2M, &a) < 0) {
			al->failed++;
			usleep(1000);
			continue;
		}
		close(a.fd);
		al->done++;
	}
	return NULL;
}

TEST_F(asleep, while_others_allocate)
{
	struct allocator al = { .dev = self->dev };
	unsigned int before;
	pthread_t thread;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, keep_allocating, &al));
	for (i = 0; i < variant->rounds; i++) {
		EXPECT_EQ(0, hpt_write_text("/sys/power/state", variant->state));
	}
	before = al.done;
	for (i = 0; i < 500 && al.done == before; i++)
		usleep(20000);
	EXPECT_LT(before, al.done);
	al.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(-1, hpt_check(self->p, self->a.size, SALT));
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->a.size));
}

HPBUF_TEST_MAIN
