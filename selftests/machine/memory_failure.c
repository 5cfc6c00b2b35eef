// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware fails in 4 KiB of a buffer's page: whoever touches that page of the buffer
 * gets SIGBUS that names the address, the rest of the buffer stays as it was, and the
 * page is never lent again.
 */
#include "phys.h"
#include "pool.h"

#include <linux/hpbuf_netlink.h>
#include <sys/uio.h>

#define SALT	0xbadULL
#define INJECT	"/sys/devices/system/memory/hard_offline_page"

/* What is read of the page after its failure, and in it the 4 KiB that failed. */
#define BAD_AT	(5 * SZ_4K)

/* A buffer that hardware will fail in. */
struct victim {
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_alloc a;
	unsigned char *p;
	uint64_t page;
};

/* Why there is none here, or NULL. */
static const char *victim_missing(uint64_t page)
{
	struct hpbuf_caps caps = { 0 };
	int dev = hpt_open(&caps);

	if (dev >= 0)
		close(dev);
	if (!(caps.page_shifts & page))
		return "needs pages of that size, found them not offered";
	if (access(INJECT, W_OK))
		return "needs a kernel that handles memory failures, found no " INJECT;
	return access("/proc/kcore", R_OK) ? "needs /proc/kcore, found none" : NULL;
}

static int victim_make(struct victim *v, unsigned int shift, unsigned int pages)
{
	int ret;

	v->page = 1UL << shift;
	v->dev = hpt_open(NULL);
	if (v->dev < 0)
		return v->dev;
	ret = hpbuf_nl_open(&v->nl);
	if (ret)
		return ret;
	if (shift == HPBUF_SHIFT_1G)
		ret = hpt_alloc_1g(v->dev, pages, &v->a);
	else
		ret = hpt_alloc(v->dev, pages * v->page, shift, &v->a);
	if (ret < 0)
		return ret;
	v->p = hpt_map(v->a.fd, v->a.size);
	if (v->p == MAP_FAILED)
		return -errno;
	hpt_stamp(v->p, v->a.size, SALT);
	return 0;
}

/* The buffer goes; what else there is stays. */
static void victim_let_go(struct victim *v)
{
	if (v->p)
		munmap(v->p, v->a.size);
	v->p = NULL;
	if (v->a.fd > 0)
		close(v->a.fd);
	v->a.fd = 0;
}

static void victim_end(struct victim *v)
{
	victim_let_go(v);
	if (v->nl)
		hpbuf_nl_close(v->nl);
	close(v->dev);
}

/* The kernel knows no way to recover such a page, and says so: EBUSY. */
static int fail_at(uint64_t phys)
{
	char text[32];
	int ret;

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)phys);
	ret = hpt_write_text(INJECT, text);
	return ret == -EBUSY || ret == -EIO ? 0 : ret;
}

/* Hardware fails in the buffer's first page; waits for the module to have seen it. */
static int fail_page(const struct victim *v)
{
	uint64_t phys = phys_of(v->p, v->page);
	struct hpbuf_nl_buf b;
	int ret, i;

	if (!phys)
		return -ENOENT;
	ret = fail_at(phys + BAD_AT);
	for (i = 0; i < 500 && !ret; i++) {
		ret = hpbuf_nl_buf_get(v->nl, v->a.id, NULL, &b);
		if (!ret && b.has_poisoned && b.poisoned == 1)
			return 0;
		usleep(20000);
	}
	return ret ? ret : -ETIMEDOUT;
}

/* ---- touching it ---- */

static siginfo_t caught;

static void on_bus(int sig, siginfo_t *info, void *context)
{
	caught = *info;
	siglongjmp(hpt_jmp, sig);
}

/* 0, or the signal that came; what it said is in @caught. */
static int touch(volatile unsigned char *addr, bool write)
{
	struct sigaction sa = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int sig;

	sigaction(SIGBUS, &sa, NULL);
	sig = sigsetjmp(hpt_jmp, 1);
	if (sig)
		return sig;
	if (write)
		*addr = 1;
	else
		(void)*addr;
	return 0;
}

static void check_lost(struct __test_metadata *_metadata, unsigned char *addr)
{
	EXPECT_EQ(SIGBUS, touch(addr, false));
	EXPECT_EQ(BUS_MCEERR_AR, caught.si_code);
	EXPECT_EQ(addr, caught.si_addr);
	EXPECT_EQ(SIGBUS, touch(addr, true));
	EXPECT_EQ(addr, caught.si_addr);
}

/* ---- each size ---- */

FIXTURE(failure) {
	struct victim v;
};

FIXTURE_VARIANT(failure) {
	unsigned int shift, pages;
};

FIXTURE_VARIANT_ADD(failure, pmd) { .shift = HPBUF_SHIFT_2M, .pages = 3 };
FIXTURE_VARIANT_ADD(failure, pud) { .shift = HPBUF_SHIFT_1G, .pages = 1 };

FIXTURE_SETUP(failure)
{
	const char *missing = victim_missing(1UL << variant->shift);
	int ret;

	if (missing)
		SKIP(return, "%s", missing);
	ret = victim_make(&self->v, variant->shift, variant->pages);
	if (ret == -EBUSY)
		SKIP(return, "needs a free piece of 2^%u, found none", variant->shift);
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(failure)
{
	victim_end(&self->v);
}

/* Pages that the system has back, and those kept from it. */
static uint64_t gone(const struct hpbuf_nl_pool *pool)
{
	return pool->freed + pool->poisoned;
}

/*
 * Freed, the page is kept; or its single pages are given back but for the bad one, which
 * the kernel keeps.
 */
static void check_kept(struct __test_metadata *_metadata, struct victim *v, unsigned int pages,
		       unsigned int shift)
{
	uint64_t used = hpt_used(v->dev) - v->a.size;
	struct hpbuf_nl_pool was, now;

	ASSERT_EQ(0, pool_get(v->nl, 0, shift, &was));
	victim_let_go(v);
	EXPECT_TRUE(hpt_used_becomes(v->dev, used));
	ASSERT_EQ(0, pool_get(v->nl, 0, shift, &now));
	EXPECT_EQ(gone(&was) + pages, gone(&now));
	EXPECT_EQ(now.allocated, gone(&now));
	EXPECT_GE(was.poisoned + 1, now.poisoned);
}

TEST_F(failure, sigbus_and_never_again)
{
	struct victim *v = &self->v;
	uint64_t off;

	ASSERT_EQ(0, fail_page(v));
	check_lost(_metadata, v->p + BAD_AT + 123);
	check_lost(_metadata, v->p);
	check_lost(_metadata, v->p + v->page - 1);
	for (off = v->page; off < v->a.size; off += SZ_4K)
		ASSERT_EQ(hpt_mark(off, SALT), *(uint64_t *)(v->p + off));
	check_kept(_metadata, v, variant->pages, variant->shift);
}

/* ---- what the size does not matter for: a gigabyte less is a lot ---- */

FIXTURE(in_2m) {
	struct victim v;
};

FIXTURE_SETUP(in_2m)
{
	const char *missing = victim_missing(SZ_2M);

	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_EQ(0, victim_make(&self->v, HPBUF_SHIFT_2M, 3));
}

FIXTURE_TEARDOWN(in_2m)
{
	victim_end(&self->v);
}

/* Mapped before and after, and by others. */
TEST_F(in_2m, in_every_mapping)
{
	struct victim *v = &self->v;
	unsigned char *other = hpt_map(v->a.fd, v->a.size), *later;
	int ready[2], go[2];
	char c = 0;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, other);
	ASSERT_EQ(hpt_mark(0, SALT), *(uint64_t *)other);
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	pid = hpt_fork();
	if (!pid) {
		c = v->p[0];
		if (write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(touch(v->p + BAD_AT, false) == SIGBUS ? 0 : 2);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, fail_page(v));
	ASSERT_EQ(1, write(go[1], &c, 1));
	EXPECT_EQ(0, hpt_wait(pid));
	check_lost(_metadata, other + BAD_AT);
	later = hpt_map(v->a.fd, v->a.size);
	ASSERT_NE(MAP_FAILED, later);
	check_lost(_metadata, later + BAD_AT);
	munmap(other, v->a.size);
	munmap(later, v->a.size);
}

/* The kernel on somebody's behalf does not read it: it would not survive that. */
TEST_F(in_2m, the_kernel_does_not_read_it)
{
	struct victim *v = &self->v;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	char byte;

	ASSERT_LE(0, mem);
	ASSERT_EQ(1, pread(mem, &byte, 1, (uintptr_t)v->p + BAD_AT));
	ASSERT_EQ(0, fail_page(v));
	EXPECT_EQ(-1, pread(mem, &byte, 1, (uintptr_t)v->p + BAD_AT));
	EXPECT_EQ(-1, pwrite(mem, &byte, 1, (uintptr_t)v->p + BAD_AT));
	close(mem);
}

TEST_F(in_2m, populate_says_efault)
{
	struct victim *v = &self->v;
	uint64_t done = 1;

	ASSERT_EQ(0, fail_page(v));
	EXPECT_EQ(-EFAULT, hpbuf_populate(v->a.fd, v->p, v->a.size, &done));
	EXPECT_EQ(0, done);
}

TEST_F(in_2m, is_told)
{
	struct victim *v = &self->v;
	struct hpbuf_nl_event e;

	ASSERT_EQ(0, hpbuf_nl_subscribe(v->nl));
	ASSERT_EQ(0, fail_page(v));
	ASSERT_EQ(0, hpbuf_nl_event(v->nl, 10000, &e));
	EXPECT_EQ(HPBUF_EVENT_KIND_MEMORY_FAILURE, e.kind);
	EXPECT_TRUE(e.has_id);
	EXPECT_EQ(v->a.id, e.id);
	EXPECT_EQ(HPBUF_SHIFT_2M, e.page_shift);
	EXPECT_EQ(v->page, e.size);
	EXPECT_FALSE(e.has_took);
}

/* Of the pages that come next none is it. */
TEST_F(in_2m, is_not_handed_out_again)
{
	struct victim *v = &self->v;
	uint64_t phys = phys_of(v->p, SZ_2M);
	struct hpbuf_alloc a;
	unsigned char *p;
	int i;

	ASSERT_NE(0, phys);
	ASSERT_EQ(0, fail_page(v));
	victim_let_go(v);
	for (i = 0; i < 8; i++) {
		ASSERT_LE(0, hpt_alloc(v->dev, SZ_2M, HPBUF_SHIFT_2M, &a));
		p = hpt_map(a.fd, SZ_2M);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_NE(phys, phys_of(p, SZ_2M));
		munmap(p, SZ_2M);
		close(a.fd);
	}
}

/* One page of the pool, lent to @v and mapped. */
static int take_from_pool(struct victim *v)
{
	int ret = pool_alloc(v->dev, SZ_2M, HPBUF_SHIFT_2M, &v->a);

	if (ret < 0)
		return ret;
	v->p = hpt_map(v->a.fd, SZ_2M);
	return v->p == MAP_FAILED ? -errno : 0;
}

/* While it waits there, as well as when it comes back. */
TEST_F(in_2m, the_pool_does_not_lend_it)
{
	struct victim *v = &self->v;
	struct hpbuf_nl_pool pool;
	uint64_t phys, kept;

	victim_let_go(v);
	ASSERT_EQ(0, pool_fill(v->nl, 0, HPBUF_SHIFT_2M, 1, &pool));
	ASSERT_EQ(1, pool.ready);
	kept = pool.poisoned;
	/* Which one it is, is known once it was out. */
	ASSERT_EQ(0, take_from_pool(v));
	phys = phys_of(v->p, SZ_2M);
	ASSERT_NE(0, phys);
	victim_let_go(v);
	ASSERT_EQ(0, pool_ready(v->nl, 0, HPBUF_SHIFT_2M, 1, &pool));

	ASSERT_EQ(0, fail_at(phys + BAD_AT));
	ASSERT_EQ(0, take_from_pool(v));
	EXPECT_NE(phys, phys_of(v->p, SZ_2M));
	ASSERT_EQ(0, pool_get(v->nl, 0, HPBUF_SHIFT_2M, &pool));
	EXPECT_EQ(kept + 1, pool.poisoned);
	victim_let_go(v);
	/* It got another one in its place, which may have been lent meanwhile. */
	EXPECT_EQ(0, pool_ready(v->nl, 0, HPBUF_SHIFT_2M, 1, &pool));
	EXPECT_EQ(0, pool.lent);
	ASSERT_EQ(0, pool_fill(v->nl, 0, HPBUF_SHIFT_2M, 0, &pool));
}

TEST_F(in_2m, the_pool_does_not_take_it_back)
{
	struct victim *v = &self->v;
	struct hpbuf_nl_pool pool;
	uint64_t kept;

	victim_let_go(v);
	ASSERT_EQ(0, pool_fill(v->nl, 0, HPBUF_SHIFT_2M, 1, &pool));
	kept = pool.poisoned;
	ASSERT_EQ(0, take_from_pool(v));
	ASSERT_EQ(0, pool_get(v->nl, 0, HPBUF_SHIFT_2M, &pool));
	ASSERT_EQ(1, pool.lent);
	ASSERT_EQ(0, fail_page(v));
	victim_let_go(v);
	/* It gets another one in its place. */
	ASSERT_EQ(0, pool_ready(v->nl, 0, HPBUF_SHIFT_2M, 1, &pool));
	EXPECT_EQ(kept + 1, pool.poisoned);
	EXPECT_EQ(1, pool.ready);
	EXPECT_EQ(0, pool.lent);
	ASSERT_EQ(0, pool_fill(v->nl, 0, HPBUF_SHIFT_2M, 0, &pool));
}

HPBUF_TEST_MAIN
