// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timing of page walks: a miss takes longer than a hit on every kind of memory,
 * every sample is accounted for, a seed repeats, and neither odd ranges, nor a
 * mapping that changes meanwhile, nor a signal does any harm.
 */
#include "walk_memory.h"

#include <libhpbuf.h>
#include <pthread.h>
#include <time.h>

#define SAMPLES	2000

enum kind { ANON, HUGETLB, HPBUF };

/* ---- every kind of memory ---- */

FIXTURE(kind) {
	struct hpbuf_nl *nl;
	struct memory m;
	bool there;
	struct hpbuf_nl_walk_time *w;
};

FIXTURE_VARIANT(kind) {
	enum kind kind;
	unsigned int shift;
	size_t len;
	int advice;
};

FIXTURE_VARIANT_ADD(kind, anon_4k) { ANON, 12, 4 * SZ_2M, MADV_NOHUGEPAGE };
FIXTURE_VARIANT_ADD(kind, anon_thp) { ANON, 21, 4 * SZ_2M, MADV_HUGEPAGE };
FIXTURE_VARIANT_ADD(kind, hugetlb_2m) { HUGETLB, 21, 4 * SZ_2M, 0 };
FIXTURE_VARIANT_ADD(kind, hugetlb_1g) { HUGETLB, 30, SZ_1G, 0 };
FIXTURE_VARIANT_ADD(kind, hpbuf_2m) { HPBUF, 21, 4 * SZ_2M, 0 };
FIXTURE_VARIANT_ADD(kind, hpbuf_1g) { HPBUF, 30, SZ_1G, 0 };

FIXTURE_SETUP(kind)
{
	size_t off;
	int ret;

	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	self->w = calloc(1, sizeof(*self->w));
	ASSERT_NE(NULL, self->w);
	self->m = (struct memory){ .len = variant->len, .dev = -1, .fd = -1 };
	if (variant->kind == ANON)
		ret = get_anon(&self->m, variant->advice);
	else if (variant->kind == HUGETLB)
		ret = get_hugetlb(&self->m, variant->shift);
	else
		ret = get_hpbuf(&self->m, variant->shift);
	if (ret)
		SKIP(return, "needs %zu bytes in pages of 2^%u: %s", variant->len,
		     variant->shift, strerror(-ret));
	for (off = 0; off < variant->len; off += SZ_4K)
		self->m.p[off] = 1;
	self->there = true;
}

FIXTURE_TEARDOWN(kind)
{
	put_memory(&self->m);
	hpbuf_nl_close(self->nl);
	free(self->w);
}

static const struct hpbuf_nl_level *level_of(const struct hpbuf_nl_walk_time *w,
					     unsigned int shift)
{
	return &w->level[(shift - 12) / 9];
}

static uint64_t leaf_bytes(const struct hpbuf_nl_walk *w, unsigned int shift)
{
	return shift == 12 ? w->pte_bytes : shift == 21 ? w->pmd_bytes : w->pud_bytes;
}

static uint64_t sum_of(const struct hpbuf_nl_walk_time *w)
{
	return (uint64_t)w->level[0].samples + w->level[1].samples + w->level[2].samples +
		w->skipped;
}

#define EXPECT_ORDER(t) do {						\
	EXPECT_LE((t).p0, (t).p10);					\
	EXPECT_LE((t).p10, (t).p50);					\
	EXPECT_LE((t).p50, (t).p90);					\
	EXPECT_LE((t).p90, (t).p99);					\
	EXPECT_LE((t).p99, (t).p100);					\
	EXPECT_NE(0, (t).p100);						\
} while (0)

TEST_F(kind, a_miss_is_longer_than_a_hit)
{
	struct hpbuf_nl_walk_req req = { .samples = SAMPLES, .seed = 7, .cold = true };
	const struct hpbuf_nl_level *l;

	if (!self->there)
		return;
	ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &req, self->w))
		TH_LOG("%s", hpbuf_nl_strerror(self->nl));
	if (variant->kind == ANON && variant->shift > 12 &&
	    leaf_bytes(&self->w->census, variant->shift) != variant->len)
		SKIP(return, "needs huge pages, got %llu bytes in them",
		     (unsigned long long)self->w->census.pmd_bytes);
	EXPECT_EQ(variant->len, leaf_bytes(&self->w->census, variant->shift));
	EXPECT_EQ(SAMPLES, self->w->samples);
	EXPECT_EQ(0, self->w->skipped);
	EXPECT_EQ(SAMPLES, sum_of(self->w));
	EXPECT_EQ(7, self->w->seed);
	EXPECT_NE(0, self->w->tsc_khz);
	EXPECT_TRUE(self->w->has_cold);
	l = level_of(self->w, variant->shift);
	ASSERT_EQ(SAMPLES, l->samples);
	EXPECT_GT(l->warm.p50, l->hit.p50);
	EXPECT_GT(l->cold.p50, l->hit.p50);
	EXPECT_ORDER(l->hit);
	EXPECT_ORDER(l->warm);
	EXPECT_ORDER(l->cold);
	EXPECT_EQ(0, l->hit.nr_hist);
}

/* Every sample is in a bucket, of each kind of load; none of those not asked for. */
TEST_F(kind, histograms)
{
	struct hpbuf_nl_walk_req req = { .samples = SAMPLES, .hist = true };
	uint64_t hit = 0, warm = 0;
	const struct hpbuf_nl_level *l;
	uint32_t i;

	if (!self->there)
		return;
	ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &req, self->w));
	EXPECT_FALSE(self->w->has_cold);
	EXPECT_EQ(SAMPLES, sum_of(self->w));
	l = level_of(self->w, leaf_bytes(&self->w->census, variant->shift) ? variant->shift : 12);
	ASSERT_LE(l->warm.nr_hist, HPBUF_NL_WALK_BUCKETS);
	for (i = 0; i < HPBUF_NL_WALK_BUCKETS; i++) {
		hit += l->hit.hist[i];
		warm += l->warm.hist[i];
	}
	EXPECT_EQ(l->samples, hit);
	EXPECT_EQ(l->samples, warm);
	EXPECT_EQ(0, l->cold.p100);
}

/* ---- ranges ---- */

FIXTURE(range) {
	struct hpbuf_nl *nl;
	struct memory m;
	struct hpbuf_nl_walk_time *w;
};

FIXTURE_SETUP(range)
{
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	self->w = calloc(2, sizeof(*self->w));
	ASSERT_NE(NULL, self->w);
	self->m = (struct memory){ .len = 4 * SZ_2M, .dev = -1, .fd = -1 };
	ASSERT_EQ(0, get_anon(&self->m, MADV_NOHUGEPAGE));
}

FIXTURE_TEARDOWN(range)
{
	put_memory(&self->m);
	hpbuf_nl_close(self->nl);
	free(self->w);
}

TEST_F(range, a_seed_repeats)
{
	struct hpbuf_nl_walk_req req = { .samples = SAMPLES, .seed = 12345 };
	struct hpbuf_nl_walk_time *a = &self->w[0], *b = &self->w[1];
	size_t off;

	/* Every second page, so that it shows which places were chosen. */
	for (off = 0; off < self->m.len; off += 2 * SZ_4K)
		self->m.p[off] = 1;
	ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &req, a));
	ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &req, b));
	EXPECT_EQ(a->level[0].samples, b->level[0].samples);
	EXPECT_EQ(a->skipped, b->skipped);
	EXPECT_EQ(SAMPLES, sum_of(a));
	/* About half of them; six standard deviations. */
	EXPECT_GT(a->skipped, SAMPLES / 2 - 135);
	EXPECT_LT(a->skipped, SAMPLES / 2 + 135);
	req.seed = 54321;
	ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &req, b));
	EXPECT_NE(a->skipped, b->skipped);
	EXPECT_EQ(54321, b->seed);
}

#define EXPECT_ALL_SKIPPED() do {					\
	struct hpbuf_nl_walk_req _r = { .samples = SAMPLES, .cold = true }; \
									\
	ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &_r, self->w)) \
		TH_LOG("%s", hpbuf_nl_strerror(self->nl));		\
	EXPECT_EQ(SAMPLES, self->w->skipped);				\
	EXPECT_EQ(SAMPLES, sum_of(self->w));				\
} while (0)

TEST_F(range, nothing_to_load)
{
	EXPECT_ALL_SKIPPED();
	memset(self->m.p, 1, self->m.len);
	ASSERT_EQ(0, mprotect(self->m.p, self->m.len, PROT_NONE));
	EXPECT_ALL_SKIPPED();
	ASSERT_EQ(0, munmap(self->m.p, self->m.len));
	EXPECT_ALL_SKIPPED();
	EXPECT_EQ(self->m.len, self->w->census.none_bytes);
}

/* Refused with the kernel's words, not only a number. */
#define EXPECT_REFUSED(err, addr, len, nr) do {				\
	struct hpbuf_nl_walk_req _r = { .samples = (nr) };		\
									\
	EXPECT_EQ(err, hpbuf_nl_walk_time(self->nl, (const void *)(addr), len, &_r, self->w)); \
	EXPECT_STRNE("", hpbuf_nl_strerror(self->nl));			\
} while (0)

TEST_F(range, odd_requests)
{
	uintptr_t at = (uintptr_t)self->m.p;
	struct hpbuf_nl_walk_req none = { .samples = 0 };

	EXPECT_REFUSED(-EINVAL, at, 0, 10);
	EXPECT_REFUSED(-EINVAL, at, -SZ_4K, 10);
	EXPECT_REFUSED(-EINVAL, at, ~0UL, 10);
	EXPECT_REFUSED(-EINVAL, at + 1, SZ_4K, 10);
	EXPECT_REFUSED(-EINVAL, at, SZ_4K + 8, 10);
	EXPECT_REFUSED(-EINVAL, 0xffff888000000000UL, SZ_4K, 10);
	EXPECT_REFUSED(-EINVAL, 0x00fff00000000000UL, SZ_4K, 10);
	EXPECT_REFUSED(-ERANGE, at, SZ_4K, HPBUF_NL_WALK_SAMPLES + 1);
	EXPECT_REFUSED(-ERANGE, at, SZ_4K, 1000000000);
	EXPECT_EQ(-EINVAL, hpbuf_nl_walk_time(self->nl, self->m.p, SZ_4K, &none, self->w));
	/* and the socket goes on */
	none.samples = HPBUF_NL_WALK_SAMPLES;
	self->m.p[0] = 1;
	EXPECT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, SZ_4K, &none, self->w));
	EXPECT_EQ(HPBUF_NL_WALK_SAMPLES, sum_of(self->w));
}

/* ---- meanwhile ---- */

struct changer {
	unsigned char *p;
	size_t len;
	int advice;
	bool stop;		/* atomic */
	unsigned long rounds;
};

/* Maps, fills, splits, protects and unmaps it, all the time. */
static void *change(void *arg)
{
	struct changer *c = arg;
	size_t off;

	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		if (mmap(c->p, c->len, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != c->p)
			return NULL;
		madvise(c->p, c->len, c->advice);
		for (off = 0; off < c->len; off += SZ_4K)
			c->p[off] = 1;
		madvise(c->p + SZ_4K, SZ_4K, MADV_DONTNEED);
		mprotect(c->p, c->len / 2, PROT_NONE);
		munmap(c->p, c->len);
		c->rounds++;
	}
	return NULL;
}

static void walk_changing(struct __test_metadata *_metadata, FIXTURE_DATA(range) *self,
			  int advice)
{
	struct hpbuf_nl_walk_req req = { .samples = 4000, .cold = true };
	struct changer c = { self->m.p, self->m.len, advice, false, 0 };
	struct timespec from, now;
	unsigned long taken = 0;
	pthread_t thread;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, change, &c));
	/* Until the range has changed often enough, for a bounded time. */
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < 50 || c.rounds < 50; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - from.tv_sec > 60)
			break;
		req.seed = i;
		ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, c.p, c.len, &req, self->w))
			TH_LOG("%s", hpbuf_nl_strerror(self->nl));
		taken += self->w->samples - self->w->skipped;
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_LE(3, c.rounds);
	EXPECT_NE(0, taken);
	EXPECT_EQ(0, klog_bad());
}

TEST_F(range, small_pages_change)
{
	walk_changing(_metadata, self, MADV_NOHUGEPAGE);
}

TEST_F(range, huge_pages_change)
{
	walk_changing(_metadata, self, MADV_HUGEPAGE);
}

static int walk_for_ever(void *arg)
{
	FIXTURE_DATA(range) *self = arg;
	struct hpbuf_nl_walk_req req = { .samples = HPBUF_NL_WALK_SAMPLES, .cold = true };
	struct hpbuf_nl *nl;

	if (hpbuf_nl_open(&nl))
		return 1;
	while (!hpbuf_nl_walk_time(nl, self->m.p, self->m.len, &req, self->w))
		;
	return 2;
}

/* Whenever it comes, the process is gone soon after. */
TEST_F(range, killed)
{
	int i, tries, status;
	pid_t pid;

	memset(self->m.p, 1, self->m.len);
	for (i = 0; i < 5; i++) {
		pid = hpt_fork();
		if (!pid)
			_exit(walk_for_ever(self));
		ASSERT_LT(0, pid);
		usleep(30000 + 17000 * i);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		for (tries = 0; tries < 1000; tries++) {
			if (waitpid(pid, &status, WNOHANG) == pid)
				break;
			usleep(10000);
		}
		ASSERT_GT(1000, tries) TH_LOG("it lives 10 s after SIGKILL");
		EXPECT_TRUE(WIFSIGNALED(status));
	}
}

/* ---- a census that takes long ---- */

#define WIDE	(8UL << 40)

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * One page of zeroes in each gigabyte: the census looks at each of its 512 PMD entries.
 * What was used before it goes to @say.
 */
static int wide_census(int say, bool census)
{
	struct hpbuf_nl_walk walk;
	struct hpbuf_nl *nl;
	uint64_t used;
	unsigned char *p;
	size_t off;

	p = mmap(NULL, WIDE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED || madvise(p, WIDE, MADV_NOHUGEPAGE) || hpbuf_nl_open(&nl))
		return 1;
	for (off = 0; off < WIDE; off += SZ_1G)
		*(volatile unsigned char *)(p + off);
	used = cpu_ns();
	if (write(say, &used, sizeof(used)) != sizeof(used))
		return 1;
	if (!census)
		return 0;
	return hpbuf_nl_walk(nl, p, WIDE, &walk) || walk.pte_bytes != WIDE / SZ_1G * SZ_4K;
}

/*
 * CPU time in ns of a census that was killed after @kill_us, or never, and of the
 * process's end; or -1.
 */
static int64_t census_ns(bool census, int64_t kill_us, int *status)
{
	uint64_t before = 0, after;
	struct rusage use;
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = hpt_fork();
	if (!pid)
		_exit(wide_census(fds[1], census));
	close(fds[1]);
	if (pid < 0 || read(fds[0], &before, sizeof(before)) != sizeof(before))
		before = UINT64_MAX;
	close(fds[0]);
	if (kill_us >= 0 && pid > 0) {
		usleep(kill_us);
		kill(pid, SIGKILL);
	}
	if (wait4(pid, status, 0, &use) != pid || before == UINT64_MAX)
		return -1;
	after = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000ULL +
		(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000ULL;
	return after > before ? after - before : 0;
}

/* It ends long before it is over: by CPU time, of which waiting is no part. */
TEST_F(range, killed_in_a_census)
{
	int64_t none, whole, part = INT64_MAX;
	int status, i;

	none = census_ns(false, -1, &status);
	ASSERT_EQ(0, status);
	ASSERT_LE(0, none);
	whole = census_ns(true, -1, &status);
	ASSERT_EQ(0, status);
	ASSERT_LT(none, whole);
	/* On a busy machine the signal may come late, but not always. */
	for (i = 0; i < 5 && part - none >= (whole - none) / 2; i++) {
		part = census_ns(true, (whole - none) / 10000, &status);
		EXPECT_TRUE(part >= 0 && (WIFSIGNALED(status) || !status));
	}
	EXPECT_GT((whole - none) / 2, part - none)
		TH_LOG("%ld ns killed, %ld ns whole, %ld ns without", (long)part, (long)whole,
		       (long)none);
}

/* ---- signals that do not kill ---- */

static volatile sig_atomic_t beats;

static void on_beat(int sig)
{
	beats++;
}

/* As with a profiler: a signal that does not kill leaves the answer as it is. */
TEST_F(range, signals_come_in_between)
{
	struct hpbuf_nl_walk_req req = { .samples = HPBUF_NL_WALK_SAMPLES, .seed = 3 };
	struct sigaction sa = { .sa_handler = on_beat, .sa_flags = SA_RESTART };
	struct itimerspec often = { { 0, 2000000 }, { 0, 2000000 } };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;
	int i;

	memset(self->m.p, 1, self->m.len);
	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	/* it comes from an interrupt: timers of CPU time wait for the return to user space */
	ASSERT_EQ(0, timer_create(CLOCK_MONOTONIC, &ev, &timer));
	ASSERT_EQ(0, timer_settime(timer, 0, &often, NULL));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &req,
						self->w)) {
			TH_LOG("%s", hpbuf_nl_strerror(self->nl));
		}
		EXPECT_EQ(HPBUF_NL_WALK_SAMPLES, self->w->samples);
	}
	timer_delete(timer);
	EXPECT_NE(0, beats);
}

HPBUF_TEST_MAIN
