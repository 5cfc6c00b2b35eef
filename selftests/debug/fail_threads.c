// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is allocated beneath the module's code fails now and then, in its own threads too
 * (collecting, zeroing, filling), through some hundred operations in an order that is
 * always the same. Each is done whole or refused for a reason that the contract has.
 */
#include "failnth.h"
#include "pool.h"

#include <linux/hpbuf_netlink.h>

#define PERCENT	"8"
#define TIMES	1000000		/* faults that are not reached, so that they are counted */
#define MANY	80		/* 2 MiB pages that several threads zero */

static bool module_text(unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[256], type, mod[64];
	unsigned long addr;

	*start = ULONG_MAX;
	*end = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %c %*s %63s", &addr, &type, mod) != 3 ||
		    strcmp(mod, "[hpbuf]") || (type != 't' && type != 'T'))
			continue;
		if (addr < *start)
			*start = addr;
		if (addr > *end)
			*end = addr;
	}
	if (f)
		fclose(f);
	/* the last function ends in its page or the next */
	*end = (*end | (SZ_4K - 1)) + 1 + SZ_4K;
	return *start && *start < *end;
}

static const char * const dirs[] = { "failslab", "fail_page_alloc" };

static int set_knobs(const char *percent)
{
	char times[16];
	unsigned int i;
	int ret = 0;

	snprintf(times, sizeof(times), "%d", TIMES);
	for (i = 0; i < ARRAY_SIZE(dirs) && !ret; i++) {
		ret = fail_knob(dirs[i], "times", times);
		if (!ret)
			ret = fail_knob(dirs[i], "probability", percent);
	}
	return ret;
}

static unsigned int injected(void)
{
	char path[128], text[32];
	unsigned int i, sum = 0;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), FAIL_DEBUGFS "%s/times", dirs[i]);
		if (!hpt_read_text(path, text, sizeof(text)))
			sum += TIMES - atoi(text);
	}
	return sum;
}

FIXTURE(threads) {
	struct fail_env env;
	struct hpbuf_nl *events, *stalls;	/* subscribed, and never read */
	struct fail_state before;
	struct freemem memory;
	uint32_t rnd;
	unsigned int done, refused;
	bool have_1g;
};

/* ---- operations: 0, or what is wrong ---- */

static const int reasons[] = { ENOMEM, EBUSY, ENOBUFS, ENFILE };

static int judge(FIXTURE_DATA(threads) *self, long ret)
{
	unsigned int i;

	if (ret >= 0) {
		self->done++;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (ret == -reasons[i]) {
			self->refused++;
			return 0;
		}
	}
	return ret;
}

/* Zero all over; written by a child as well. */
static int use(int fd, size_t size)
{
	unsigned char *p = hpt_map(fd, size);
	pid_t pid;
	int ret = 0;

	if (p == MAP_FAILED)
		return errno == ENOMEM ? 0 : -errno;
	if (hpt_nonzero(p, size, SZ_4K) >= 0)
		ret = -EUCLEAN;
	pid = hpt_fork();
	if (!pid) {
		p[size - 1] = 1;
		_exit(0);
	}
	if (pid > 0 && (hpt_wait(pid) || p[size - 1] != 1))
		ret = -EUCLEAN;
	munmap(p, size);
	return ret;
}

static int op_alloc(FIXTURE_DATA(threads) *self, size_t size, unsigned int shift)
{
	struct hpbuf_alloc a;
	int fd = pool_alloc(self->env.dev, size, shift, &a), ret;

	if (fd < 0)
		return judge(self, fd);
	ret = use(fd, a.size);
	close(fd);
	return judge(self, ret);
}

static int op_persist(FIXTURE_DATA(threads) *self)
{
	struct hpbuf_alloc a = {
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M,
		.flags = HPBUF_ALLOC_PERSIST, .name = "now-and-then",
	};
	int fd = hpt_alloc_req(self->env.dev, &a), again, i, ret;

	if (fd < 0)
		return judge(self, fd);
	close(fd);
	again = hpt_open_id(self->env.dev, a.id, HPBUF_OPEN_RDONLY);
	if (again >= 0)
		close(again);
	/* It must be possible in the end. */
	ret = hpt_free(self->env.dev, a.id, NULL);
	for (i = 0; i < 100 && ret == -ENOMEM; i++)
		ret = hpt_free(self->env.dev, a.id, NULL);
	return ret ? ret : judge(self, again);
}

static int op_pool(FIXTURE_DATA(threads) *self, unsigned int shift, uint64_t want, bool partial)
{
	struct hpbuf_nl_pool p;
	int ret = pool_set(self->env.nl, 0, shift, want, 0, partial), i;

	if (ret)
		return judge(self, ret);
	/* asking may fail as well */
	ret = -ENOMEM;
	for (i = 0; i < 100 && (ret == -ENOMEM || ret == -ENOBUFS); i++)
		ret = pool_settle(self->env.nl, 0, shift, &p);
	if (ret)
		return ret;
	if (pool_pages(&p) > p.want || p.lent)
		return -EUCLEAN;
	return judge(self, p.has_error && p.error ? -(int)p.error : 0);
}

static int any_buf(const struct hpbuf_nl_buf *b, void *arg)
{
	(void)b;
	(void)arg;
	return 0;
}

static int any_stat(const struct hpbuf_nl_stat *s, void *arg)
{
	(void)s;
	(void)arg;
	return 0;
}

static int op_ask(FIXTURE_DATA(threads) *self)
{
	static const struct hpbuf_nl_walk_req req = { .samples = 32 };
	static unsigned char page[SZ_4K] __attribute__((aligned(SZ_4K)));
	static struct hpbuf_nl_walk_time time;
	int ret = judge(self, hpbuf_nl_bufs(self->env.nl, any_buf, NULL));

	if (!ret)
		ret = judge(self, hpbuf_nl_stats(self->env.nl, any_stat, NULL));
	if (!ret)
		ret = hpbuf_nl_walk_time(self->env.nl, page, sizeof(page), &req, &time);
	return ret == -EOPNOTSUPP ? 0 : judge(self, ret);
}

/* Whatever is compacted meanwhile is a stall that is told. */
static int op_trace(FIXTURE_DATA(threads) *self, bool compact)
{
	struct hpbuf_nl_trace t = {
		.enabled = true, .threshold_ns = 1,
		.has_enabled = true, .has_threshold_ns = true,
	};
	int ret = judge(self, hpbuf_nl_trace_set(self->env.nl, &t));

	if (compact)
		hpt_write_text("/proc/sys/vm/compact_memory", "1");
	t.enabled = false;
	t.threshold_ns = 0;
	return ret ? ret : judge(self, hpbuf_nl_trace_set(self->env.nl, &t));
}

static int op_any(FIXTURE_DATA(threads) *self)
{
	uint32_t r = hpt_rand(&self->rnd), n = r >> 8;

	switch (r % 64) {
	case 0:
		return self->have_1g ? op_alloc(self, SZ_1G, HPBUF_SHIFT_1G) : 0;
	case 1:
		return self->have_1g ? op_pool(self, HPBUF_SHIFT_1G, n & 1, true) : 0;
	case 2:
		return op_alloc(self, MANY * SZ_2M, HPBUF_SHIFT_2M);
	case 3 ... 12:
		return op_pool(self, HPBUF_SHIFT_2M, n % 16, n & 64);
	case 13 ... 20:
		return op_persist(self);
	case 21 ... 26:
		return op_ask(self);
	case 27 ... 32:
		return op_trace(self, !(n % 4));
	default:
		return op_alloc(self, (1 + n % 8) * SZ_2M, HPBUF_SHIFT_2M);
	}
}

/* ---- the test ---- */

FIXTURE_SETUP(threads)
{
	unsigned long start, end;
	struct hpbuf_alloc a;
	int fd;

	ASSERT_EQ(0, fail_open(&self->env));
	ASSERT_EQ(0, hpbuf_nl_open(&self->events));
	ASSERT_EQ(0, hpbuf_nl_subscribe(self->events));
	ASSERT_EQ(0, hpbuf_nl_open(&self->stalls));
	ASSERT_EQ(0, hpbuf_nl_subscribe_stalls(self->stalls));
	ASSERT_TRUE(module_text(&start, &end));
	if (fail_filter(start, end))
		SKIP(return, "needs CONFIG_FAULT_INJECTION_STACKTRACE_FILTER, found no require-start");
	fd = hpt_alloc_1g(self->env.dev, 1, &a);
	self->have_1g = fd >= 0;
	if (fd >= 0)
		close(fd);
	/* the first of each leaves what stays */
	self->rnd = 2463534242;
	EXPECT_EQ(0, op_alloc(self, MANY * SZ_2M, HPBUF_SHIFT_2M));
	EXPECT_EQ(0, op_trace(self, false));
	EXPECT_EQ(0, op_pool(self, HPBUF_SHIFT_2M, 8, false));
	EXPECT_EQ(0, op_pool(self, HPBUF_SHIFT_2M, 0, false));
	self->done = 0;
	ASSERT_EQ(0, fail_look(&self->env, &self->before));
	freemem_read(&self->memory);
}

FIXTURE_TEARDOWN(threads)
{
	set_knobs("0");
	fail_filter(0, ULONG_MAX);
	hpbuf_nl_close(self->events);
	hpbuf_nl_close(self->stalls);
	fail_close(&self->env);
}

TEST_F_TIMEOUT(threads, now_and_then, hpt_timeout(900))
{
	unsigned int rounds = 6 * hpt_env("HPBUF_ROUNDS", 50), i, faults;
	int ret = 0;

	ASSERT_EQ(0, set_knobs(PERCENT));
	for (i = 0; i < rounds && !ret; i++) {
		ret = op_any(self);
		EXPECT_EQ(0, ret)
			TH_LOG("round %u: %s", i, strerror(-ret));
	}
	faults = injected();
	ASSERT_EQ(0, set_knobs("0"));
	fprintf(stderr, "# %u rounds, %u faults: %u operations done, %u refused\n", i, faults,
		self->done, self->refused);
	EXPECT_LT(0, faults);
	EXPECT_LT(0, self->refused);
	EXPECT_LT(0, self->done);

	EXPECT_EQ(0, op_pool(self, HPBUF_SHIFT_2M, 0, false));
	if (self->have_1g) {
		EXPECT_EQ(0, op_pool(self, HPBUF_SHIFT_1G, 0, false));
	}
	EXPECT_EQ(0, op_trace(self, false));
	EXPECT_TRUE(fail_nothing_left(&self->env, &self->before));
	EXPECT_TRUE(freemem_is_back(&self->memory));
}

FAIL_TEST_MAIN
