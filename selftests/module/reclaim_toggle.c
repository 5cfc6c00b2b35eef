// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing is switched on and off, and the module unloaded and loaded, while the
 * kernel reclaims and compacts all the time; in the second half of the rounds
 * somebody reads the stalls. The module has nothing to say about it.
 *
 * HPBUF_ROUNDS	of each, default 6
 */
#include "hpbuf_test.h"

#include <pthread.h>

#include <libhpbuf.h>
#include <linux/hpbuf_netlink.h>

#include "pressure.h"

#define SWAP		(512UL << 20)
#define LEAVE		(300UL << 20)
#define LIMIT		(32UL << 20)
#define BEYOND		(100UL << 20)	/* what is available: reserves are not in that */
#define THRESHOLD	1000		/* ns: all but the shortest */
#define GAP		20000		/* us, at most, from on to off */
#define TOLD_TRIES	6000		/* of 10 ms */

/* ---- the load ---- */

/* @stop: asks them to end. @turns: how often each has gone round. */
struct shared {
	volatile bool stop;
	volatile unsigned long turns[2];
};

static void squeeze_cgroup(struct shared *s)
{
	if (!*pressure.limited || pressure_enter())
		_exit(!!*pressure.limited);
	for (; !s->stop; s->turns[0]++)
		if (pressure_hog(LIMIT + LIMIT / 2))
			_exit(1);
	_exit(0);
}

/* With pauses: a machine without memory has no time for what is tested. */
static void squeeze_machine(struct shared *s)
{
	int i, ret;

	for (; !s->stop; s->turns[1]++) {
		if (s->turns[1] % 2)
			ret = pressure_put("/proc/sys/vm/compact_memory", 1);
		else
			ret = pressure_hog(meminfo("MemAvailable") + BEYOND);
		if (ret)
			_exit(1);
		for (i = 0; i < 10 && !s->stop; i++)
			usleep(50000);
	}
	_exit(0);
}

static pid_t start(void (*load)(struct shared *s), struct shared *s)
{
	pid_t parent = getpid(), pid = hpt_fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* behind the threads that switching waits for: it has all the time of that wait */
	errno = 0;
	if (nice(19) == -1 && errno)
		_exit(1);
	if (getppid() == parent)
		load(s);
	_exit(1);
}

/* ---- who reads the stalls ---- */

/**
 * struct reader
 * @told: stalls so far
 * @wrong: what must not come: shorter than the threshold, or of no source of the kernel's
 */
struct reader {
	pthread_t thread;
	volatile bool stop;
	volatile unsigned long told, wrong;
	bool runs;
};

static void take(struct reader *r, const struct hpbuf_nl_notice *n)
{
	if (n->what != HPBUF_NL_STALL)
		return;
	if (n->stall.took_ns <= THRESHOLD || n->stall.source < HPBUF_STAT_SOURCE_DIRECT_RECLAIM)
		r->wrong++;
	r->told++;
}

/* Until the module goes, which takes the socket's group with it. */
static void read_stalls(struct reader *r, struct hpbuf_nl *nl)
{
	struct hpbuf_nl_notice n;
	int ret;

	do {
		ret = hpbuf_nl_wait(nl, 50, &n);
		if (!ret)
			take(r, &n);
	} while (!r->stop && ret != -ENODEV);
}

static void *reader_fn(void *arg)
{
	struct reader *r = arg;
	struct hpbuf_nl *nl;

	while (!r->stop) {
		if (hpbuf_nl_open(&nl)) {
			usleep(1000);
			continue;
		}
		if (!hpbuf_nl_subscribe_stalls(nl))
			read_stalls(r, nl);
		hpbuf_nl_close(nl);
	}
	return NULL;
}

/* ---- what the module says ---- */

/* What the kernel says when it loads any module from outside. */
static bool is_usual(const char *line)
{
	return strstr(line, "loading out-of-tree module") || strstr(line, "verification failed");
}

/* Lines of the kernel log that name the module; -1: some were not seen. */
static int lines_of_module(int fd)
{
	char rec[8192];
	int count = 0;
	ssize_t n;

	while ((n = read(fd, rec, sizeof(rec) - 1)) > 0 || errno == EINTR) {
		if (n <= 0)
			continue;
		rec[n] = '\0';
		if (!strcasestr(rec, "hpbuf") || is_usual(rec))
			continue;
		fprintf(stderr, "# kernel log: %s", rec);
		count++;
	}
	return errno == EAGAIN ? count : -1;
}

/* ---- */

FIXTURE(storm) {
	struct shared *shared;
	pid_t load[2];
	struct reader reader;
	int log;
	uint64_t reclaimed;
	struct timespec start;
	uint32_t seed;
};

FIXTURE_SETUP(storm)
{
	self->seed = 2463534242;
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->log);
	lseek(self->log, 0, SEEK_END);
	self->reclaimed = pressure_reclaimed();
	clock_gettime(CLOCK_MONOTONIC, &self->start);
	self->load[0] = start(squeeze_cgroup, self->shared);
	self->load[1] = start(squeeze_machine, self->shared);
}

FIXTURE_TEARDOWN(storm)
{
	for (int i = 0; i < 2; i++)
		kill(self->load[i], SIGKILL);
}

static void reader_start(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self)
{
	ASSERT_EQ(0, pthread_create(&self->reader.thread, NULL, reader_fn, &self->reader));
	self->reader.runs = true;
}

/* Tracing is on: it was told a stall at last. */
static bool told(struct reader *r)
{
	for (int i = 0; i < TOLD_TRIES && !r->told; i++)
		usleep(10000);
	return r->told;
}

static int trace(bool on)
{
	struct hpbuf_nl_trace t = {
		.enabled = on, .has_enabled = true,
		.threshold_ns = THRESHOLD, .has_threshold_ns = true,
	};
	struct hpbuf_nl *nl;
	int ret = hpbuf_nl_open(&nl);

	if (ret)
		return ret;
	ret = hpbuf_nl_trace_set(nl, &t);
	hpbuf_nl_close(nl);
	return ret;
}

static void pause_a_little(FIXTURE_DATA(storm) *self)
{
	usleep(hpt_rand(&self->seed) % GAP);
}

/* The load went on to the end, there was reclaim, and no line came. */
static void expect_calm(struct __test_metadata *_metadata, FIXTURE_DATA(storm) *self)
{
	uint64_t reclaimed = pressure_reclaimed() - self->reclaimed;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	self->reader.stop = true;
	if (self->reader.runs)
		pthread_join(self->reader.thread, NULL);
	self->shared->stop = true;
	EXPECT_EQ(0, hpt_wait(self->load[0]));
	EXPECT_EQ(0, hpt_wait(self->load[1]));
	EXPECT_LT(0, reclaimed);
	EXPECT_EQ(0, self->reader.wrong);
	EXPECT_EQ(0, lines_of_module(self->log));
	fprintf(stderr, "# %lld s, %llu MiB reclaimed, %lu and %lu turns of the load, %lu stalls told\n",
		(long long)(now.tv_sec - self->start.tv_sec),
		(unsigned long long)(reclaimed >> 8), self->shared->turns[0],
		self->shared->turns[1], self->reader.told);
}

/* Of a long run. */
static void tell(unsigned long round)
{
	if (round && round % 100 == 0)
		fprintf(stderr, "# round %lu\n", round);
}

static unsigned long rounds(void)
{
	return hpt_env("HPBUF_ROUNDS", 6);
}

static int add_kernels(const struct hpbuf_nl_stat *s, void *arg)
{
	if (s->source >= HPBUF_STAT_SOURCE_DIRECT_RECLAIM && s->source != HPBUF_STAT_SOURCE_FAIL)
		*(uint64_t *)arg += s->count;
	return 0;
}

/* Operations of the kernel's that were timed. */
static uint64_t timed(struct __test_metadata *_metadata)
{
	struct hpbuf_nl *nl;
	uint64_t sum = 0;

	ASSERT_EQ(0, hpbuf_nl_open(&nl));
	EXPECT_EQ(0, hpbuf_nl_stats(nl, add_kernels, &sum));
	hpbuf_nl_close(nl);
	return sum;
}

TEST_F(storm, on_and_off)
{
	uint64_t before = timed(_metadata);
	unsigned long i, n = rounds();

	for (i = 0; i < n; i++) {
		tell(i);
		if (i == n / 2)
			reader_start(_metadata, self);
		ASSERT_EQ(0, trace(true)) {
			TH_LOG("round %lu", i);
		}
		pause_a_little(self);
		if (i % 4 == 0) {
			EXPECT_LE(before, timed(_metadata));
		}
		if (i == n - 1) {
			EXPECT_TRUE(told(&self->reader));
		}
		ASSERT_EQ(0, trace(false)) {
			TH_LOG("round %lu", i);
		}
	}
	EXPECT_LT(before, timed(_metadata));
	expect_calm(_metadata, self);
}

TEST_F(storm, unloaded_while_on)
{
	unsigned long i, n = rounds();

	if (!getenv("HPBUF_KO"))
		SKIP(return, "needs HPBUF_KO to load the module again");
	for (i = 0; i < n; i++) {
		tell(i);
		if (i == n / 2)
			reader_start(_metadata, self);
		ASSERT_EQ(0, trace(true));
		pause_a_little(self);
		if (i == n - 1) {
			EXPECT_TRUE(told(&self->reader));
		}
		ASSERT_EQ(0, hpt_reload("")) {
			TH_LOG("round %lu", i);
		}
	}
	expect_calm(_metadata, self);
}

static void storm_begin(void)
{
	int ret = pressure_on(SWAP, LEAVE);

	if (ret) {
		ksft_print_header();
		ksft_exit_skip("needs zram0 for swap: %s\n", strerror(-ret));
	}
	if (!pressure_limit(LIMIT))
		printf("# no memory cgroup\n");
}

HPBUF_TEST_MAIN_WITH(storm_begin())
