// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every ioctl with each of its allocations and copies failing in turn.
 */
#include "failnth.h"

FIXTURE(nth) {
	struct fail_env env;
};

FIXTURE_SETUP(nth)
{
	ASSERT_EQ(0, fail_open(&self->env));
}

FIXTURE_TEARDOWN(nth)
{
	fail_close(&self->env);
}

/* What the operations work on. */
struct made {
	int dev, fd;
	struct hpbuf_alloc req, a;
	uint32_t flags;		/* for OPEN */
	void *p;
	union {
		struct hpbuf_caps caps;
		struct hpbuf_info info;
		struct hpbuf_open open;
		struct hpbuf_free free;
		struct hpbuf_populate populate;
	};
};

/* ---- CAPS ---- */

static long run_caps(void *arg)
{
	struct made *m = arg;

	return hpt_errno(ioctl(m->dev, HPBUF_IOC_CAPS, &m->caps));
}

static int begin_zero(void *arg)
{
	struct made *m = arg;

	memset(&m->info, 0, sizeof(m->info));
	return 0;
}

static bool end_caps(void *arg, long ret)
{
	struct made *m = arg;

	return ret || m->caps.uapi_version == HPBUF_UAPI_VERSION;
}

TEST_F(nth, caps)
{
	static const struct fail_op op = {
		"CAPS", begin_zero, run_caps, end_caps, { EFAULT },
	};
	struct made m = { .dev = self->env.dev };

	fail_series(_metadata, &self->env, &op, &m);
}

/* ---- ALLOC ---- */

static int begin_alloc(void *arg)
{
	struct made *m = arg;

	m->a = m->req;
	return 0;
}

static long run_alloc(void *arg)
{
	struct made *m = arg;

	m->fd = hpt_alloc_req(m->dev, &m->a);
	return m->fd;
}

/* All pages are there, zero, and writable. */
static bool usable(const struct hpbuf_alloc *a)
{
	uint64_t page = 1ULL << a->page_shift, off;
	unsigned char *p = hpt_map(a->fd, a->size);
	bool good = p != MAP_FAILED;

	if (!good)
		return false;
	for (off = 0; off < a->size; off += page) {
		good = good && hpt_nonzero(p + off, page, SZ_4K) < 0;
		p[off] = 1;
	}
	munmap(p, a->size);
	return good;
}

static bool end_alloc(void *arg, long ret)
{
	struct made *m = arg;
	bool good;

	if (ret < 0)
		return !m->a.fd && !m->a.id && !m->a.size;
	good = m->a.size >= m->a.bytes && usable(&m->a);
	close(m->fd);
	if (m->a.flags & HPBUF_ALLOC_PERSIST)
		good = !hpt_free(m->dev, m->a.id, NULL) && good;
	return good;
}

static const struct fail_op alloc_op = {
	"ALLOC", begin_alloc, run_alloc, end_alloc, { EFAULT, ENFILE },
};

TEST_F(nth, alloc_2m)
{
	struct made m = {
		.dev = self->env.dev,
		.req = { .bytes = 3 * SZ_2M, .page_shift = HPBUF_SHIFT_2M },
	};

	fail_series(_metadata, &self->env, &alloc_op, &m);
}

TEST_F(nth, alloc_persist_named)
{
	struct made m = {
		.dev = self->env.dev,
		.req = {
			.bytes = 1, .page_shift = HPBUF_SHIFT_2M,
			.flags = HPBUF_ALLOC_PERSIST, .name = "fault",
		},
	};

	fail_series(_metadata, &self->env, &alloc_op, &m);
}

TEST_F(nth, alloc_1g)
{
	struct made m = {
		.dev = self->env.dev,
		.req = { .bytes = SZ_1G, .page_shift = HPBUF_SHIFT_1G },
	};
	struct hpbuf_alloc a;
	int fd = hpt_alloc_1g(m.dev, 1, &a);

	if (fd == -EBUSY || fd == -EOPNOTSUPP || fd == -ENOMEM)
		SKIP(return, "needs a 1 GiB page, found: %s", strerror(-fd));
	ASSERT_LE(0, fd);
	close(fd);
	fail_series(_metadata, &self->env, &alloc_op, &m);
}

/* Somebody listens: events are built, and are no reason to fail. */
TEST_F(nth, alloc_watched)
{
	struct made m = {
		.dev = self->env.dev,
		.req = { .bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M },
	};
	struct hpbuf_nl *nl;

	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, hpbuf_nl_subscribe(nl));
	fail_series(_metadata, &self->env, &alloc_op, &m);
	hpbuf_nl_close(nl);
}

/* A request that is refused stays refused, and for its own reason. */
static long run_refused(void *arg)
{
	long ret = run_alloc(arg);

	return ret == -EINVAL ? 0 : ret < 0 ? ret : -EPROTO;
}

static bool end_refused(void *arg, long ret)
{
	(void)arg;
	(void)ret;
	return true;
}

TEST_F(nth, alloc_refused)
{
	static const struct fail_op op = {
		"ALLOC of nothing", begin_alloc, run_refused, end_refused, { EFAULT },
	};
	struct made m = { .dev = self->env.dev, .req = { .page_shift = HPBUF_SHIFT_2M } };
	struct hpbuf_nl *nl;

	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	ASSERT_EQ(0, hpbuf_nl_subscribe(nl));
	fail_series(_metadata, &self->env, &op, &m);
	hpbuf_nl_close(nl);
}

/* ---- on a buffer that is there ---- */

static int make(struct made *m, uint32_t flags, const char *name)
{
	m->a = (struct hpbuf_alloc){
		.bytes = 2 * SZ_2M, .page_shift = HPBUF_SHIFT_2M, .flags = flags,
	};
	hpt_name(m->a.name, name);
	m->fd = hpt_alloc_req(m->dev, &m->a);
	return m->fd < 0 ? m->fd : 0;
}

static int begin_open(void *arg)
{
	struct made *m = arg;

	m->open = (struct hpbuf_open){ .flags = m->flags };
	hpt_name(m->open.name, "fault");
	return 0;
}

static long run_open(void *arg)
{
	struct made *m = arg;

	return ioctl(m->dev, HPBUF_IOC_OPEN, &m->open) ? -errno : m->open.fd;
}

static bool end_open(void *arg, long ret)
{
	struct made *m = arg;
	struct hpbuf_info i;
	bool good;

	if (ret < 0)
		return !hpt_info(m->fd, &i) && i.opens == 1;
	good = !hpt_info(ret, &i) && i.id == m->a.id && i.opens == 2;
	close(ret);
	return good;
}

TEST_F(nth, open)
{
	static const struct fail_op op = {
		"OPEN", begin_open, run_open, end_open, { EFAULT, ENFILE },
	};
	struct made m = { .dev = self->env.dev };

	ASSERT_EQ(0, make(&m, 0, "fault"));
	fail_series(_metadata, &self->env, &op, &m);
	m.flags = HPBUF_OPEN_RDONLY;
	fail_series(_metadata, &self->env, &op, &m);
	close(m.fd);
}

static int begin_free(void *arg)
{
	struct made *m = arg;
	int ret = make(m, HPBUF_ALLOC_PERSIST, "fault");

	if (ret)
		return ret;
	close(m->fd);
	m->free = (struct hpbuf_free){ .id = m->a.id };
	return 0;
}

static long run_free(void *arg)
{
	struct made *m = arg;

	return hpt_errno(ioctl(m->dev, HPBUF_IOC_FREE, &m->free));
}

static bool end_free(void *arg, long ret)
{
	struct made *m = arg;
	int again = hpt_free(m->dev, m->a.id, NULL);

	if (!ret)
		return again == -ENOENT && !m->free.busy && m->free.free_ns;
	/* not done, or done and only the answer was lost */
	return !again || (ret == -EFAULT && again == -ENOENT);
}

TEST_F(nth, free)
{
	static const struct fail_op op = {
		"FREE", begin_free, run_free, end_free, { EFAULT },
	};
	struct made m = { .dev = self->env.dev };

	fail_series(_metadata, &self->env, &op, &m);
}

static long run_info(void *arg)
{
	struct made *m = arg;

	return hpt_errno(ioctl(m->fd, HPBUF_IOC_INFO, &m->info));
}

static bool end_info(void *arg, long ret)
{
	struct made *m = arg;

	return ret || (m->info.id == m->a.id && m->info.leaf_bytes_pmd == m->a.size);
}

TEST_F(nth, info)
{
	static const struct fail_op op = {
		"INFO", begin_zero, run_info, end_info, { EFAULT },
	};
	struct made m = { .dev = self->env.dev };

	ASSERT_EQ(0, make(&m, 0, ""));
	m.p = hpt_map(m.fd, m.a.size);
	ASSERT_NE(MAP_FAILED, m.p);
	hpt_stamp(m.p, m.a.size, 1);
	fail_series(_metadata, &self->env, &op, &m);
	EXPECT_EQ(-1, hpt_check(m.p, m.a.size, 1));
	munmap(m.p, m.a.size);
	close(m.fd);
}

static int begin_populate(void *arg)
{
	struct made *m = arg;

	m->p = fail_map(m->fd, m->a.size, 0);
	if (m->p == MAP_FAILED)
		return -errno;
	m->populate = (struct hpbuf_populate){ .addr = (uintptr_t)m->p, .len = m->a.size };
	return 0;
}

static long run_populate(void *arg)
{
	struct made *m = arg;

	return hpt_errno(ioctl(m->fd, HPBUF_IOC_POPULATE, &m->populate));
}

static bool end_populate(void *arg, long ret)
{
	struct made *m = arg;
	struct hpbuf_info i;
	bool good;

	good = !hpt_info(m->fd, &i) && !i.leaf_bytes_pte && !i.leaf_bytes_pud &&
	       m->populate.done <= i.leaf_bytes_pmd && i.mappings == 1;
	if (!ret)
		good = good && m->populate.done == m->a.size;
	munmap(m->p, m->a.size);
	return good;
}

TEST_F(nth, populate)
{
	static const struct fail_op op = {
		"POPULATE", begin_populate, run_populate, end_populate, { EFAULT },
	};
	struct made m = { .dev = self->env.dev };

	ASSERT_EQ(0, make(&m, 0, ""));
	fail_series(_metadata, &self->env, &op, &m);
	close(m.fd);
}

FAIL_TEST_MAIN
