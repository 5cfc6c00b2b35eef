// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's parameters: max_bytes and floor_bytes bound what it hands out,
 * and what is given back counts no longer. Loads the module anew for each test
 * and leaves it loaded with its defaults.
 */
#include "hpbuf_test.h"

FIXTURE(limits) {
	int dev;
};

FIXTURE_SETUP(limits)
{
	self->dev = -1;
}

FIXTURE_TEARDOWN_PARENT(limits)
{
	(void)self;
	EXPECT_EQ(0, hpt_reload(""));
}

static void load_with(struct __test_metadata *_metadata, FIXTURE_DATA(limits) *self,
		      const char *params, struct hpbuf_caps *caps)
{
	ASSERT_EQ(0, hpt_reload(params))
		TH_LOG("loading with %s", params);
	self->dev = hpt_open(caps);
	ASSERT_LE(0, self->dev);
}

TEST_F(limits, max_bytes)
{
	struct hpbuf_alloc a, b;
	struct hpbuf_caps caps;

	load_with(_metadata, self, "max_bytes=8M", &caps);
	EXPECT_EQ(8UL << 20, caps.max_bytes);
	EXPECT_EQ(0, caps.used_bytes);

	ASSERT_LE(0, hpt_alloc(self->dev, 6UL << 20, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(-ENOSPC, hpt_alloc(self->dev, 4UL << 20, HPBUF_SHIFT_2M, &b));
	EXPECT_EQ(6UL << 20, hpt_used(self->dev));
	ASSERT_LE(0, hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &b));
	EXPECT_EQ(8UL << 20, hpt_used(self->dev));
	close(a.fd);
	EXPECT_TRUE(hpt_used_becomes(self->dev, SZ_2M));
	ASSERT_LE(0, hpt_alloc(self->dev, 5UL << 20, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(-ENOSPC, hpt_alloc(self->dev, 1, HPBUF_SHIFT_2M, &b));
}

TEST_F(limits, max_bytes_below_a_page)
{
	struct hpbuf_alloc a;

	load_with(_metadata, self, "max_bytes=512M", NULL);
	EXPECT_EQ(-ENOSPC, hpt_alloc(self->dev, 1, HPBUF_SHIFT_1G, &a));
	EXPECT_EQ(0, hpt_used(self->dev));
}

/* Forms of a size, the same parser as everywhere (C66). */
TEST_F(limits, sizes_accepted)
{
	static const struct { const char *text; uint64_t bytes; } good[] = {
		{ "max_bytes=16777216", 16UL << 20 },
		{ "max_bytes=16384K", 16UL << 20 },
		{ "max_bytes=16m", 16UL << 20 },
		{ "max_bytes=1G", SZ_1G },
	};
	struct hpbuf_caps caps;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		load_with(_metadata, self, good[i].text, &caps);
		EXPECT_EQ(good[i].bytes, caps.max_bytes)
			TH_LOG("%s", good[i].text);
		close(self->dev);
	}
}

TEST_F(limits, junk_sizes_refused)
{
	static const char * const bad[] = {
		"max_bytes=junk", "max_bytes=12junk", "max_bytes=-1", "max_bytes=",
		"max_bytes=18446744073709551616", "max_bytes=17179869184G",
		"floor_bytes=junk", "floor_bytes=-4096",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_GT(0, hpt_reload(bad[i]))
			TH_LOG("%s was accepted", bad[i]);
		EXPECT_NE(0, access(HPBUF_DEVICE, F_OK));
	}
}

/* Available memory minus the request must stay above the floor. */
TEST_F(limits, floor_bytes)
{
	long avail = meminfo("MemAvailable");
	struct hpbuf_alloc a;
	struct hpbuf_caps caps;
	char params[80];

	if (avail < (long)SZ_1G)
		SKIP(return, "needs 1 GiB available, found %ld", avail);
	snprintf(params, sizeof(params), "floor_bytes=%ldM", (avail >> 20) - 256);
	load_with(_metadata, self, params, &caps);
	EXPECT_EQ((uint64_t)((avail >> 20) - 256) << 20, caps.floor_bytes);
	EXPECT_EQ(-ENOMEM, hpt_alloc(self->dev, 512UL << 20, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(-ENOMEM, hpt_alloc(self->dev, SZ_1G, HPBUF_SHIFT_1G, &a));
	EXPECT_EQ(0, hpt_used(self->dev));
	EXPECT_LE(0, hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &a));
}

/*
 * With no cap in the way, what the machine cannot hold is refused before any
 * memory is taken: free memory does not move.
 */
TEST_F(limits, more_than_the_machine)
{
	struct hpbuf_caps caps;
	struct hpbuf_alloc a;
	struct freemem before;
	uint64_t huge = 160ULL << 30;
	int want;

	if (meminfo("MemTotal") > (long)huge)
		SKIP(return, "needs less than 160 GiB of memory");
	load_with(_metadata, self, "max_bytes=1024G", &caps);
	want = caps.max_bytes < huge ? -ENOSPC : -ENOMEM;
	freemem_read(&before);
	EXPECT_EQ(want, hpt_alloc(self->dev, huge, HPBUF_SHIFT_1G, &a));
	EXPECT_EQ(want, hpt_alloc(self->dev, huge, HPBUF_SHIFT_2M, &a));
	EXPECT_EQ(0, hpt_used(self->dev));
	EXPECT_TRUE(freemem_is_back(&before));
}

static void need_reload(void)
{
	if (getenv("HPBUF_KO"))
		return;
	ksft_print_header();
	ksft_exit_skip("needs HPBUF_KO to load the module with parameters\n");
}

HPBUF_TEST_MAIN_WITH(need_reload())
