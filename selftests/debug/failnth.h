/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One fault after another: an operation is done again and again, and in its n-th run the
 * n-th allocation (or copy from or to user space) that this thread makes in the kernel
 * fails, until there are no more than n - 1 of them.
 *
 * After each run the operation has failed with an errno that its contract has, or has
 * done all it should; and buffers, bytes, descriptors and the references to the module
 * are what they were. Memory is looked at when the series is over.
 */
#ifndef HPBUF_FAILNTH_H
#define HPBUF_FAILNTH_H

#include "hpbuf_test.h"

#include <libhpbuf.h>

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define FAIL_DEBUGFS	"/sys/kernel/debug/"
#define FAIL_REFCNT	"/sys/module/hpbuf/refcnt"

#define FAIL_MAX	20000	/* more than any operation allocates */
#define FAIL_TRIES	100
#define FAIL_PAUSE	20000	/* us */
#define FAIL_ERRNOS	6

/*
 * struct fail_op - an operation
 * @begin: before each run: 0, or -errno, which is a failure of the test
 * @run: with the fault: 0 or more, or -errno. Does nothing else.
 * @end: after it, with what it returned: true if the state is right; leaves what was
 *	before @begin
 * @errnos: that it may fail with, beside ENOMEM
 */
struct fail_op {
	const char *name;
	int (*begin)(void *arg);
	long (*run)(void *arg);
	bool (*end)(void *arg, long ret);
	int errnos[FAIL_ERRNOS];
};

/* Far from all else, so that the page tables have to be made. */
static inline void *fail_map(int fd, size_t len, int flags)
{
	return mmap((void *)(1UL << 45), len, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED_NOREPLACE | flags, fd, 0);
}

/* ---- arming ---- */

static inline int fail_knob(const char *dir, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), FAIL_DEBUGFS "%s/%s", dir, name);
	return hpt_write_text(path, value);
}

static inline bool fail_has(const char *dir)
{
	char path[128];

	snprintf(path, sizeof(path), FAIL_DEBUGFS "%s", dir);
	return !access(path, F_OK);
}

/*
 * Let allocations of all kinds fail, and say nothing of it in the log. Nothing fails
 * before a thread asks for it.
 */
static inline void fail_prepare(void)
{
	static const struct {
		const char *dir, *name, *value;
	} knobs[] = {
		{ "failslab", "probability", "0" },
		{ "failslab", "verbose", "0" },
		{ "failslab", "ignore-gfp-wait", "N" },
		{ "fail_page_alloc", "probability", "0" },
		{ "fail_page_alloc", "verbose", "0" },
		{ "fail_page_alloc", "ignore-gfp-wait", "N" },
		{ "fail_page_alloc", "ignore-gfp-highmem", "N" },
		{ "fail_page_alloc", "min-order", "0" },
	};
	unsigned int i;
	int ret;

	if (access(FAIL_NTH, W_OK))
		ksft_exit_skip("needs CONFIG_FAULT_INJECTION, found no " FAIL_NTH "\n");
	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		ret = fail_knob(knobs[i].dir, knobs[i].name, knobs[i].value);
		if (ret)
			ksft_exit_skip("needs " FAIL_DEBUGFS "%s/%s, found: %s\n",
				       knobs[i].dir, knobs[i].name, strerror(-ret));
	}
	/* in kernels that have it */
	if (fail_has("fail_usercopy"))
		fail_knob("fail_usercopy", "verbose", "0");
}

/*
 * Only what is called from [@start, @end) shall fail; 0 and ULONG_MAX: all. -ENOENT: the
 * kernel has no such filter (CONFIG_FAULT_INJECTION_STACKTRACE_FILTER).
 */
static inline int fail_filter(unsigned long start, unsigned long end)
{
	static const char * const dirs[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char from[32], to[32];
	unsigned int i;
	int ret = 0;

	snprintf(from, sizeof(from), "%#lx", start);
	snprintf(to, sizeof(to), "%#lx", end);
	for (i = 0; i < ARRAY_SIZE(dirs) && !ret; i++) {
		if (!fail_has(dirs[i]))
			continue;
		ret = fail_knob(dirs[i], "require-start", from);
		if (!ret)
			ret = fail_knob(dirs[i], "require-end", to);
	}
	return ret;
}

static inline bool fail_arm(int fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	return pwrite(fd, text, len, 0) == len;
}

/* Was the fault injected? Both calls may meet it themselves: then it was not. */
static inline bool fail_disarm(int fd)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (pwrite(fd, "0", 1, 0) != 1)
		return false;
	return n > 0 && atoi(text) == 0;
}

/* ---- what must not change ---- */

struct fail_state {
	uint64_t used;
	unsigned int bufs, refs;
	int fds;
};

struct fail_env {
	int dev, nth;
	struct hpbuf_nl *nl;
};

static inline int fail_count_buf(const struct hpbuf_nl_buf *b, void *arg)
{
	(void)b;
	++*(unsigned int *)arg;
	return 0;
}

static inline int fail_look(const struct fail_env *env, struct fail_state *s)
{
	char text[32];
	int ret;

	memset(s, 0, sizeof(*s));
	s->used = hpt_used(env->dev);
	ret = hpbuf_nl_bufs(env->nl, fail_count_buf, &s->bufs);
	if (!ret)
		ret = hpt_read_text(FAIL_REFCNT, text, sizeof(text));
	if (ret)
		return ret;
	s->refs = atoi(text);
	s->fds = hpt_count_fds();
	return 0;
}

/* The last references go a moment later. */
static inline bool fail_nothing_left(const struct fail_env *env,
				     const struct fail_state *before)
{
	struct fail_state now;
	int i, ret = 0;

	for (i = 0; i < FAIL_TRIES; i++) {
		ret = fail_look(env, &now);
		if (!ret && !memcmp(before, &now, sizeof(now)))
			return true;
		usleep(FAIL_PAUSE);
	}
	fprintf(stderr, "# before: %llu bytes, %u buffers, %u references, %d descriptors\n",
		(unsigned long long)before->used, before->bufs, before->refs, before->fds);
	fprintf(stderr, "# after: %llu bytes, %u buffers, %u references, %d descriptors (%s)\n",
		(unsigned long long)now.used, now.bufs, now.refs, now.fds, strerror(-ret));
	return false;
}

static inline int fail_open(struct fail_env *env)
{
	env->dev = hpt_open(NULL);
	if (env->dev < 0)
		return env->dev;
	env->nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (env->nth < 0)
		return -errno;
	return hpbuf_nl_open(&env->nl);
}

static inline void fail_close(struct fail_env *env)
{
	hpbuf_nl_close(env->nl);
	close(env->nth);
	close(env->dev);
}

/* ---- a series ---- */

struct fail_count {
	unsigned int faults, survived;	/* of these, the operation did all it should */
	unsigned int by_errno[256];
};

static inline bool fail_expected(const struct fail_op *op, long ret)
{
	int i;

	if (ret >= 0 || ret == -ENOMEM)
		return true;
	for (i = 0; i < FAIL_ERRNOS; i++)
		if (op->errnos[i] && ret == -op->errnos[i])
			return true;
	return false;
}

static inline void fail_note(struct fail_count *c, long ret)
{
	c->faults++;
	if (ret >= 0)
		c->survived++;
	else if (-ret < (long)ARRAY_SIZE(c->by_errno))
		c->by_errno[-ret]++;
}

static inline void fail_print(const char *name, const struct fail_count *c)
{
	unsigned int i;

	fprintf(stderr, "# %s: %u faults, %u of no effect", name, c->faults, c->survived);
	for (i = 0; i < ARRAY_SIZE(c->by_errno); i++)
		if (c->by_errno[i])
			fprintf(stderr, ", %s %u", strerrorname_np(i), c->by_errno[i]);
	fprintf(stderr, "\n");
}

/* The @n-th run (0: without a fault). True if the fault was injected. */
static inline bool fail_once(struct __test_metadata *_metadata, const struct fail_env *env,
			     const struct fail_op *op, void *arg, unsigned int n,
			     struct fail_count *count)
{
	struct fail_state before;
	bool hit = false;
	long ret;

	ASSERT_EQ(0, fail_look(env, &before));
	if (op->begin) {
		ASSERT_EQ(0, op->begin(arg))
			TH_LOG("%s, fault %u: begin", op->name, n);
	}
	ASSERT_TRUE(!n || fail_arm(env->nth, n));
	ret = op->run(arg);
	if (n)
		hit = fail_disarm(env->nth);
	EXPECT_TRUE(fail_expected(op, ret) && (hit || ret >= 0))
		TH_LOG("%s, fault %u (%s): %ld, %s", op->name, n, hit ? "met" : "not met",
		       ret, ret < 0 ? strerror(-ret) : "success");
	EXPECT_TRUE(op->end(arg, ret))
		TH_LOG("%s, fault %u: wrong after %ld", op->name, n, ret);
	EXPECT_TRUE(fail_nothing_left(env, &before))
		TH_LOG("%s, fault %u: left something after %ld", op->name, n, ret);
	if (hit)
		fail_note(count, ret);
	return hit;
}

static inline void fail_series(struct __test_metadata *_metadata, const struct fail_env *env,
			       const struct fail_op *op, void *arg)
{
	struct fail_count count = { .faults = 0 };
	struct freemem memory;
	unsigned int n;

	fail_once(_metadata, env, op, arg, 0, &count);	/* caches are warm now */
	freemem_read(&memory);
	for (n = 1; n < FAIL_MAX && fail_once(_metadata, env, op, arg, n, &count); n++)
		if (_metadata->exit_code)
			break;
	EXPECT_LT(n, FAIL_MAX);
	EXPECT_LT(0, count.faults);
	EXPECT_TRUE(freemem_is_back(&memory))
		TH_LOG("%s", op->name);
	/* and after all that it works */
	fail_once(_metadata, env, op, arg, 0, &count);
	fail_print(op->name, &count);
}

#define FAIL_TEST_MAIN HPBUF_TEST_MAIN_WITH(fail_prepare())

#endif
