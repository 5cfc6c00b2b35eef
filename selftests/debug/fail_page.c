// SPDX-License-Identifier: GPL-2.0-only
/*
 * The n-th page of many cannot be had, for each n: an allocation, and the filling of a
 * pool, give back what they got before it (fail_function; the module names those of its
 * functions that may fail so).
 */
#include "failnth.h"
#include "pool.h"

#define FAIL_FUNCTION	"fail_function"
#define PAGES		8

struct page_kind {
	const char *function;
	unsigned int shift, pages;
};

/* Let the @n-th call from now on fail, and, with @times -1, all after it. */
static int fail_call(const struct page_kind *k, unsigned int n, int err, int times)
{
	char text[32], dir[96];
	int ret;

	snprintf(dir, sizeof(dir), FAIL_FUNCTION "/%s", k->function);
	snprintf(text, sizeof(text), "%#llx", (unsigned long long)-(long long)err);
	ret = fail_knob(dir, "retval", text);
	snprintf(text, sizeof(text), "%u", n);
	if (!ret)
		ret = fail_knob(FAIL_FUNCTION, "space", text);
	snprintf(text, sizeof(text), "%d", times);
	return ret ? ret : fail_knob(FAIL_FUNCTION, "times", text);
}

static int fail_stop(void)
{
	return fail_knob(FAIL_FUNCTION, "times", "0");
}

FIXTURE(page) {
	struct fail_env env;
	struct fail_state before;
	struct freemem memory;
	struct page_kind kind;
};

FIXTURE_VARIANT(page) {
	struct page_kind kind;
};

FIXTURE_VARIANT_ADD(page, p2m) { .kind = { "contig_get_2m", HPBUF_SHIFT_2M, PAGES } };
FIXTURE_VARIANT_ADD(page, p1g) { .kind = { "contig_get_1g", HPBUF_SHIFT_1G, 2 } };

FIXTURE_SETUP(page)
{
	struct hpbuf_alloc a;
	int fd, ret;

	self->kind = variant->kind;
	ASSERT_EQ(0, fail_open(&self->env));
	if (!fail_has(FAIL_FUNCTION))
		SKIP(return, "needs CONFIG_FAIL_FUNCTION, found no " FAIL_DEBUGFS FAIL_FUNCTION);
	fd = hpt_alloc(self->env.dev, (uint64_t)self->kind.pages << self->kind.shift,
		       self->kind.shift, &a);
	if (fd == -EBUSY || fd == -EOPNOTSUPP || fd == -ENOMEM)
		SKIP(return, "needs %u pages of 2^%u, found: %s", self->kind.pages,
		     self->kind.shift, strerror(-fd));
	ASSERT_LE(0, fd);
	close(fd);
	ret = fail_knob(FAIL_FUNCTION, "inject", self->kind.function);
	ASSERT_EQ(0, ret)
		TH_LOG("%s: %s", self->kind.function, strerror(-ret));
	ASSERT_EQ(0, fail_stop());
	ASSERT_EQ(0, fail_knob(FAIL_FUNCTION, "verbose", "0"));
	ASSERT_EQ(0, fail_knob(FAIL_FUNCTION, "interval", "1"));
	ASSERT_EQ(0, fail_knob(FAIL_FUNCTION, "probability", "100"));
	ASSERT_TRUE(hpt_used_becomes(self->env.dev, 0));
	ASSERT_EQ(0, fail_look(&self->env, &self->before));
	freemem_read(&self->memory);
}

FIXTURE_TEARDOWN(page)
{
	EXPECT_TRUE(freemem_is_back(&self->memory));
	fail_knob(FAIL_FUNCTION, "probability", "0");
	fail_knob(FAIL_FUNCTION, "inject", "\n");
	fail_close(&self->env);
}

static int alloc(const struct fail_env *env, const struct page_kind *k, struct hpbuf_alloc *a)
{
	return hpt_alloc(env->dev, (uint64_t)k->pages << k->shift, k->shift, a);
}

/* What the caller is told is what stopped it. */
TEST_F(page, of_a_buffer)
{
	static const int errs[] = { ENOMEM, EBUSY };
	struct hpbuf_alloc a;
	unsigned int n, i;

	for (n = 1; n <= self->kind.pages; n++) {
		for (i = 0; i < ARRAY_SIZE(errs); i++) {
			ASSERT_EQ(0, fail_call(&self->kind, n, errs[i], -1));
			EXPECT_EQ(-errs[i], alloc(&self->env, &self->kind, &a))
				TH_LOG("page %u", n);
			ASSERT_EQ(0, fail_stop());
			EXPECT_TRUE(fail_nothing_left(&self->env, &self->before));
		}
	}
}

/* Who is busy for a moment only does not matter. */
TEST_F(page, of_a_buffer_busy_once)
{
	struct hpbuf_alloc a;
	unsigned char *p;
	unsigned int n;
	int fd;

	if (self->kind.shift == HPBUF_SHIFT_1G)
		SKIP(return, "needs pages that are got quickly, found 1 GiB");
	for (n = 1; n <= self->kind.pages; n++) {
		ASSERT_EQ(0, fail_call(&self->kind, n, EBUSY, 1));
		fd = alloc(&self->env, &self->kind, &a);
		ASSERT_LE(0, fd)
			TH_LOG("page %u: %s", n, strerror(-fd));
		ASSERT_EQ(0, fail_stop());
		p = hpt_map(fd, a.size);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_EQ(-1, hpt_nonzero(p, a.size, SZ_4K));
		hpt_stamp(p, a.size, n);
		EXPECT_EQ(-1, hpt_check(p, a.size, n));
		munmap(p, a.size);
		close(fd);
		EXPECT_TRUE(fail_nothing_left(&self->env, &self->before));
	}
}

/* All or nothing, or what there is. */
TEST_F(page, of_a_pool)
{
	struct hpbuf_nl_pool p;
	unsigned int n;
	int partial;

	if (self->kind.shift == HPBUF_SHIFT_1G)
		SKIP(return, "needs pages that are got quickly, found 1 GiB");
	for (n = 1; n <= self->kind.pages; n++) {
		for (partial = 0; partial < 2; partial++) {
			ASSERT_EQ(0, fail_call(&self->kind, n, ENOMEM, -1));
			ASSERT_EQ(0, pool_set(self->env.nl, 0, self->kind.shift,
					      self->kind.pages, 0, partial));
			ASSERT_EQ(0, pool_settle(self->env.nl, 0, self->kind.shift, &p));
			EXPECT_EQ(ENOMEM, p.error);
			EXPECT_EQ(n - 1, p.got);
			EXPECT_EQ(partial ? n - 1 : 0, p.want);
			EXPECT_EQ(partial ? n - 1 : 0, p.ready);
			ASSERT_EQ(0, fail_stop());
			ASSERT_EQ(0, pool_fill(self->env.nl, 0, self->kind.shift, 0, &p));
			EXPECT_TRUE(fail_nothing_left(&self->env, &self->before));
		}
	}
}

FAIL_TEST_MAIN
