// SPDX-License-Identifier: GPL-2.0-only
/*
 * A buffer of pages that come fresh from the kernel is zero, though somebody had
 * written to these very pages: where they are, and that they were dirty when the kernel
 * had them, is seen in /proc/kcore. Where the kernel does not zero by itself
 * (init_on_alloc=0) it is the module that did.
 */
#include "hpbuf_test.h"
#include "kcore.h"

#define FIRST	0xd1d1d1d1d1d10000ULL	/* what is written; the number of the page is added */
#define SECOND	0xd2d2d2d2d2d20000ULL
#define PAGES	16
#define LOOKS	8			/* at each page */
#define TRIES	10

FIXTURE(dirty) {
	int dev, kcore;
	struct hpbuf_caps caps;
	struct hpbuf_alloc a;
	struct hpbuf_info info;
	unsigned char *p;
};

FIXTURE_SETUP(dirty)
{
	self->dev = hpt_open(&self->caps);
	ASSERT_LE(0, self->dev);
	self->kcore = kcore_open();
	if (self->kcore < 0)
		SKIP(return, "needs /proc/kcore: %s", strerror(errno));
}

FIXTURE_TEARDOWN(dirty)
{
	close(self->kcore);
	close(self->dev);
}

static uint64_t word_at(int kcore, uint64_t at)
{
	uint64_t word;

	return pread(kcore, &word, 8, at) == 8 ? word : 0;
}

/* Where in kcore the pages with a tag are. */
struct places {
	uint64_t tag;
	uint64_t *at;
};

static bool note_place(int kcore, uint64_t at, uint64_t phys, void *arg)
{
	const struct places *places = arg;
	uint64_t word = word_at(kcore, at);

	if (word >= places->tag && word < places->tag + PAGES)
		places->at[word - places->tag] = at;
	return false;
}

/* 0 for those that are not found. */
static void find(int kcore, uint64_t tag, uint64_t at[PAGES])
{
	struct places places = { .tag = tag, .at = at };

	memset(at, 0, PAGES * sizeof(*at));
	kcore_each(kcore, SZ_2M, note_place, &places);
}

static bool take(FIXTURE_DATA(dirty) *self)
{
	if (hpt_alloc(self->dev, PAGES * SZ_2M, HPBUF_SHIFT_2M, &self->a) < 0)
		return false;
	self->p = hpt_map(self->a.fd, self->a.size);
	return self->p != MAP_FAILED && !hpt_info(self->a.fd, &self->info);
}

static void drop(FIXTURE_DATA(dirty) *self)
{
	munmap(self->p, self->a.size);
	close(self->a.fd);
	hpt_used_becomes(self->dev, 0);
}

static void write_all(FIXTURE_DATA(dirty) *self, uint64_t tag)
{
	size_t off;

	for (off = 0; off < self->a.size; off += 8)
		*(volatile uint64_t *)(self->p + off) = tag + off / SZ_2M;
}

/* Forget the pages that do not hold the tag any more; the number that do. */
static int still_dirty(int kcore, uint64_t tag, uint64_t at[PAGES])
{
	int i, look, dirty = 0;

	for (i = 0; i < PAGES; i++) {
		for (look = 0; at[i] && look < LOOKS; look++)
			if (word_at(kcore, at[i] + look * (SZ_2M / LOOKS)) != tag + i)
				at[i] = 0;
		dirty += !!at[i];
	}
	return dirty;
}

static int in_both(const uint64_t a[PAGES], const uint64_t b[PAGES])
{
	int i, k, both = 0;

	for (i = 0; i < PAGES; i++)
		for (k = 0; k < PAGES; k++)
			both += a[i] && a[i] == b[k];
	return both;
}

TEST_F(dirty, fresh_pages)
{
	uint64_t was[PAGES], is[PAGES];
	int try, dirty, again = 0;
	char cmdline[4096];

	for (try = 0; try < TRIES && !again; try++) {
		ASSERT_TRUE(take(self));
		write_all(self, FIRST);
		find(self->kcore, FIRST, was);
		drop(self);
		dirty = still_dirty(self->kcore, FIRST, was);
		ASSERT_TRUE(take(self));
		EXPECT_EQ(-1, hpt_nonzero(self->p, self->a.size, 8));
		write_all(self, SECOND);
		find(self->kcore, SECOND, is);
		drop(self);
		again = in_both(was, is);
		TH_LOG("%d of %d pages were dirty in the kernel, %d of them came again",
		       dirty, PAGES, again);
	}
	/* else nothing was shown */
	EXPECT_LT(0, again);
	ASSERT_EQ(0, hpt_read_text("/proc/cmdline", cmdline, sizeof(cmdline)));
	EXPECT_FALSE(strstr(cmdline, "init_on_alloc=0") &&
		     (self->caps.flags & HPBUF_CAP_INIT_ON_ALLOC));
	if (!(self->caps.flags & HPBUF_CAP_INIT_ON_ALLOC)) {
		EXPECT_TRUE(self->info.flags & HPBUF_INFO_ZERO_NS);
		EXPECT_LT(0, self->info.zero_ns);
	}
}

HPBUF_TEST_MAIN
