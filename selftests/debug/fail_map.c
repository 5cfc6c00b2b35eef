// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel does with a buffer's mappings, with each allocation on the way failing
 * in turn: mmap, the first touch, splitting, unmapping, fork, the last close.
 */
#include "failnth.h"

#define PAGES	4
#define SALT	0xfa17ULL

struct mapped {
	int dev, fd, zero;
	unsigned int shift;
	size_t page, size;
	struct hpbuf_alloc a;
	unsigned char *p;
	pid_t pid;
};

/* Its contents, from @least to @most mappings, and only whole leaves in them. */
static bool intact(const struct mapped *m, unsigned int least, unsigned int most)
{
	struct hpbuf_info i;

	if (least && hpt_check(m->p, m->size, SALT) >= 0)
		return false;
	if (hpt_info(m->fd, &i))
		return false;
	if (i.mappings >= least && i.mappings <= most && !i.leaf_bytes_pte &&
	    !(m->page == SZ_1G ? i.leaf_bytes_pmd : i.leaf_bytes_pud))
		return true;
	fprintf(stderr, "# %llu mappings, %llu pte, %llu pmd, %llu pud\n",
		(unsigned long long)i.mappings, (unsigned long long)i.leaf_bytes_pte,
		(unsigned long long)i.leaf_bytes_pmd, (unsigned long long)i.leaf_bytes_pud);
	return false;
}

/* A buffer with its contents, and no mapping. */
static int make(struct mapped *m)
{
	unsigned int pages = m->shift == HPBUF_SHIFT_1G ? 1 : PAGES;

	m->page = 1UL << m->shift;
	m->size = pages * m->page;
	m->fd = m->shift == HPBUF_SHIFT_1G ? hpt_alloc_1g(m->dev, pages, &m->a) :
		hpt_alloc(m->dev, m->size, m->shift, &m->a);
	if (m->fd < 0)
		return m->fd;
	m->p = fail_map(m->fd, m->size, 0);
	if (m->p == MAP_FAILED)
		return -errno;
	hpt_stamp(m->p, m->size, SALT);
	return munmap(m->p, m->size) ? -errno : 0;
}

static int begin_map(void *arg)
{
	struct mapped *m = arg;

	m->p = fail_map(m->fd, m->size, 0);
	return m->p == MAP_FAILED ? -errno : 0;
}

static int begin_touched(void *arg)
{
	struct mapped *m = arg;
	int ret = begin_map(m);

	if (ret)
		return ret;
	return hpt_check(m->p, m->size, SALT) < 0 ? 0 : -EIO;
}

static bool unmap(struct mapped *m)
{
	return !munmap(m->p, m->size) && intact(m, 0, 0);
}

static bool end_map(void *arg, long ret)
{
	struct mapped *m = arg;
	bool good = intact(m, 1, 1);

	(void)ret;
	return unmap(m) && good;
}

/* ---- mmap ---- */

static long run_mmap(void *arg)
{
	struct mapped *m = arg;

	m->p = fail_map(m->fd, m->size, 0);
	return m->p == MAP_FAILED ? -errno : 0;
}

static bool end_mmap(void *arg, long ret)
{
	return ret ? intact(arg, 0, 0) : end_map(arg, ret);
}

static long run_mmap_populate(void *arg)
{
	struct mapped *m = arg;

	m->p = fail_map(m->fd, m->size, MAP_POPULATE);
	return m->p == MAP_FAILED ? -errno : 0;
}

/* ---- the first touch ---- */

/* The kernel comes back until it has the memory. */
static long run_touch(void *arg)
{
	struct mapped *m = arg;

	*(volatile uint64_t *)m->p = hpt_mark(0, SALT);
	return 0;
}

/* By the kernel itself, which does not. */
static long run_touch_by_read(void *arg)
{
	struct mapped *m = arg;

	return hpt_errno(pread(m->zero, m->p, SZ_4K, 0));
}

static bool end_touch_by_read(void *arg, long ret)
{
	struct mapped *m = arg;

	if (ret > 0 && hpt_nonzero(m->p, ret & ~7UL, 8) >= 0)
		return false;
	hpt_stamp(m->p, SZ_4K, SALT);
	return end_map(m, ret);
}

/* ---- less of it, and other permissions ---- */

static long run_munmap(void *arg)
{
	struct mapped *m = arg;

	return hpt_errno(munmap(m->p, m->size));
}

static bool end_munmap(void *arg, long ret)
{
	return ret ? end_map(arg, ret) : intact(arg, 0, 0);
}

/* One end may have been split off when the other could not be: the kernel leaves it so. */
static bool end_split(struct mapped *m)
{
	bool good = intact(m, 1, 2);

	return unmap(m) && good;
}

/* A hole in its middle makes two mappings of one. */
static long run_hole(void *arg)
{
	struct mapped *m = arg;

	return hpt_errno(munmap(m->p + m->page, m->page));
}

static bool end_hole(void *arg, long ret)
{
	struct mapped *m = arg;
	struct hpbuf_info i;
	bool good;

	if (ret)
		return end_split(m);
	good = !hpt_info(m->fd, &i) && i.mappings == 2 &&
	       i.leaf_bytes_pmd == m->size - m->page && !i.leaf_bytes_pte;
	return unmap(m) && good;
}

static long run_mprotect(void *arg)
{
	struct mapped *m = arg;

	return hpt_errno(mprotect(m->p + m->page, m->page, PROT_READ));
}

static bool end_mprotect(void *arg, long ret)
{
	struct mapped *m = arg;
	bool good;

	if (ret)
		return end_split(m);
	good = intact(m, 3, 3) && hpt_poke(m->p + m->page, 0) == SIGSEGV;
	return unmap(m) && good;
}

/* ---- fork ---- */

static long run_fork(void *arg)
{
	struct mapped *m = arg;

	m->pid = fork();
	if (!m->pid)
		_exit(hpt_check(m->p, m->size, SALT) >= 0);
	return hpt_errno(m->pid);
}

static bool end_fork(void *arg, long ret)
{
	struct mapped *m = arg;
	bool good = ret < 0 || hpt_wait(m->pid) == 0;

	return end_map(m, ret) && good;
}

/* ---- the last reference ---- */

static int begin_close(void *arg)
{
	struct mapped *m = arg;

	return make(m);
}

static long run_close(void *arg)
{
	struct mapped *m = arg;

	return hpt_errno(close(m->fd));
}

static bool end_nothing(void *arg, long ret)
{
	(void)arg;
	return !ret;
}

static int begin_last_munmap(void *arg)
{
	struct mapped *m = arg;
	int ret = make(m);

	if (ret)
		return ret;
	ret = begin_touched(m);
	close(m->fd);
	return ret;
}

static bool end_last_munmap(void *arg, long ret)
{
	struct mapped *m = arg;

	return !ret || (hpt_check(m->p, m->size, SALT) < 0 && !munmap(m->p, m->size));
}

FIXTURE(map) {
	struct fail_env env;
	struct mapped m;
};

FIXTURE_VARIANT(map) {
	unsigned int shift;
};

FIXTURE_VARIANT_ADD(map, p2m) { .shift = HPBUF_SHIFT_2M };
FIXTURE_VARIANT_ADD(map, p1g) { .shift = HPBUF_SHIFT_1G };

FIXTURE_SETUP(map)
{
	int ret;

	ASSERT_EQ(0, fail_open(&self->env));
	self->m.dev = self->env.dev;
	self->m.shift = variant->shift;
	ret = make(&self->m);
	if (ret == -EBUSY || ret == -EOPNOTSUPP || ret == -ENOMEM)
		SKIP(return, "needs a page of 2^%u, found: %s", variant->shift, strerror(-ret));
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(map)
{
	close(self->m.fd);
	fail_close(&self->env);
}

#define MAP_SERIES(...) do {						\
	static const struct fail_op _op = { __VA_ARGS__ };		\
									\
	fail_series(_metadata, &self->env, &_op, &self->m);		\
} while (0)

TEST_F(map, mmap)
{
	MAP_SERIES("mmap", NULL, run_mmap, end_mmap);
}

/* Whether it could be populated is not told, as with any mapping. */
TEST_F(map, mmap_populate)
{
	MAP_SERIES("mmap of MAP_POPULATE", NULL, run_mmap_populate, end_mmap);
}

TEST_F(map, touch)
{
	MAP_SERIES("touch", begin_map, run_touch, end_map);
}

TEST_F(map, touch_by_read)
{
	self->m.zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->m.zero);
	MAP_SERIES("read into it", begin_map, run_touch_by_read, end_touch_by_read, { EFAULT });
	close(self->m.zero);
}

TEST_F(map, munmap)
{
	MAP_SERIES("munmap", begin_touched, run_munmap, end_munmap);
}

TEST_F(map, hole)
{
	if (self->m.page == SZ_1G)
		SKIP(return, "needs several pages, found one of 1 GiB");
	MAP_SERIES("munmap of a part", begin_touched, run_hole, end_hole);
}

TEST_F(map, mprotect)
{
	if (self->m.page == SZ_1G)
		SKIP(return, "needs pages that mprotect() works on, found 1 GiB");
	MAP_SERIES("mprotect of a part", begin_touched, run_mprotect, end_mprotect);
}

TEST_F(map, fork)
{
	MAP_SERIES("fork", begin_touched, run_fork, end_fork, { EAGAIN });
}

TEST_F(map, last_close)
{
	struct mapped m = { .dev = self->m.dev, .shift = HPBUF_SHIFT_2M };
	static const struct fail_op op = { "last close", begin_close, run_close, end_nothing };

	if (self->m.page == SZ_1G)
		SKIP(return, "needs pages that are made quickly, found 1 GiB");
	fail_series(_metadata, &self->env, &op, &m);
}

TEST_F(map, last_munmap)
{
	struct mapped m = { .dev = self->m.dev, .shift = HPBUF_SHIFT_2M };
	static const struct fail_op op = {
		"last munmap", begin_last_munmap, run_munmap, end_last_munmap,
	};

	if (self->m.page == SZ_1G)
		SKIP(return, "needs pages that are made quickly, found 1 GiB");
	fail_series(_metadata, &self->env, &op, &m);
}

FAIL_TEST_MAIN
