// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page that one user wrote and the next one takes from the pool is zero, every
 * time: buffers come and go at random, are filled to the last byte and looked at to
 * the last byte, while threads of real-time priority keep the workers from the CPU,
 * writers get SIGKILL at any moment, and memory pressure takes pages away.
 *
 * HPBUF_CYCLES	allocations, default 40
 */
#include "pool.h"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#define POOL_PAGES	24
#define POOL_MIN	4
#define SLOTS		8
#define MAX_PAGES	4
#define SQUEEZE_CHUNK	(16UL << 20)
#define LEFT		(700L << 20)	/* bytes available; twice floor_bytes */
#define CYCLES		40	/* by default */
#define PHASE		10	/* cycles; in every fourth the workers are starved */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT \
	((int)(hpt_env("HPBUF_TIMEOUT_SCALE", 1) * (240 + hpt_env("HPBUF_CYCLES", CYCLES) / 4)))

/* What the helpers see. */
struct shared {
	volatile int starve;
	volatile unsigned int squeeze;		/* times that memory is to be taken */
	volatile unsigned int squeezes;		/* and was */
};

FIXTURE(zero) {
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_nl_pool pool;
	struct shared *sh;
	pid_t helpers[65];
	int nr_helpers;
	char hugepages[32];
	uint32_t seed;
	struct freemem before;
};

/* ---- helpers: they end with the test ---- */

/* On one CPU at real-time priority: nine tenths of the time while told to. */
static void hog_cpu(struct shared *sh, int cpu)
{
	struct sched_param prio = { .sched_priority = 10 };
	struct timespec from, now;

	hpt_pin_to(cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &prio))
		_exit(1);
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		do {
			clock_gettime(CLOCK_MONOTONIC, &now);
		} while (sh->starve && (now.tv_sec - from.tv_sec) * 1000000000L +
			 now.tv_nsec - from.tv_nsec < 45000000L);
		usleep(5000);
	}
}

/*
 * Touches what is available, what the pool can give, and a little more: what is
 * available is a guess at the low side. It is the first to be killed.
 */
static void hog_memory(void)
{
	size_t more = (POOL_PAGES - POOL_MIN) * SZ_2M + (64UL << 20);
	size_t size = meminfo("MemAvailable") + more, off;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	hpt_write_text("/proc/self/oom_score_adj", "1000");
	if (p == MAP_FAILED)
		_exit(1);
	madvise(p, size, MADV_NOHUGEPAGE);
	/* many pages a call: an emulated CPU takes long over a fault */
	for (off = 0; off + SQUEEZE_CHUNK <= size; off += SQUEEZE_CHUNK)
		if (madvise(p + off, SQUEEZE_CHUNK, MADV_POPULATE_WRITE))
			_exit(1);
	_exit(0);
}

/* Starts one after the other while told to. */
static void squeeze(struct shared *sh)
{
	pid_t pid;

	for (;;) {
		if (sh->squeezes == sh->squeeze) {
			usleep(10000);
			continue;
		}
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			hog_memory();
		}
		hpt_wait(pid);
		sh->squeezes++;
	}
}

static void start(FIXTURE_DATA(zero) *self, int cpu)
{
	pid_t pid = hpt_fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (cpu >= 0)
			hog_cpu(self->sh, cpu);
		else
			squeeze(self->sh);
		_exit(1);
	}
	self->helpers[self->nr_helpers++] = pid;
}

/* Huge pages nobody uses take all but LEFT: little has to be squeezed out. */
static void fill_memory(void)
{
	long left = meminfo("MemAvailable") - LEFT;
	char text[32];

	if (left <= 0)
		return;
	snprintf(text, sizeof(text), "%lu", left / SZ_2M);
	hpt_write_text("/proc/sys/vm/nr_hugepages", text);
}

FIXTURE_SETUP(zero)
{
	int cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	ASSERT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 0, &self->pool));
	freemem_read(&self->before);
	ASSERT_EQ(0, hpt_read_text("/proc/sys/vm/nr_hugepages", self->hugepages,
				   sizeof(self->hugepages)));
	self->seed = 20240601;
	self->sh = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->sh);
	ASSERT_EQ(0, pool_set(self->nl, 0, HPBUF_SHIFT_2M, POOL_PAGES, POOL_MIN, false));
	ASSERT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_2M, POOL_PAGES, &self->pool));
	fill_memory();
	for (cpu = 0; cpu < cpus && cpu < 64; cpu++)
		start(self, cpu);
	start(self, -1);
}

FIXTURE_TEARDOWN(zero)
{
	int i;

	for (i = 0; i < self->nr_helpers; i++) {
		kill(self->helpers[i], SIGKILL);
		hpt_wait(self->helpers[i]);
	}
	hpt_write_text("/proc/sys/vm/nr_hugepages", self->hugepages);
	EXPECT_EQ(0, pool_fill(self->nl, 0, HPBUF_SHIFT_2M, 0, &self->pool));
	EXPECT_EQ(0, pool_pages(&self->pool));
	EXPECT_TRUE(hpt_used_becomes(self->dev, 0));
	EXPECT_TRUE(freemem_is_back(&self->before));
	hpbuf_nl_close(self->nl);
	close(self->dev);
}

/* ---- the cycles ---- */

struct slot {
	int fd;
	size_t size;
	unsigned char *p;
};

static void drop(struct slot *s)
{
	if (s->p)
		munmap(s->p, s->size);
	if (s->fd > 0)
		close(s->fd);
	memset(s, 0, sizeof(*s));
}

/*
 * Take, look, fill. Under pressure there may be no memory, which is an answer too.
 * Returns whether there was.
 */
static bool take(struct __test_metadata *_metadata, FIXTURE_DATA(zero) *self, struct slot *s)
{
	struct hpbuf_alloc a;
	long at;

	s->fd = pool_alloc(self->dev, (1 + hpt_rand(&self->seed) % MAX_PAGES) * SZ_2M,
			  HPBUF_SHIFT_2M, &a);
	if (s->fd == -ENOMEM || s->fd == -EBUSY)
		return false;
	ASSERT_LE(0, s->fd)
		TH_LOG("%s", strerror(-s->fd));
	s->size = a.size;
	s->p = hpt_map(s->fd, s->size);
	ASSERT_NE(MAP_FAILED, s->p);
	at = hpt_nonzero(s->p, s->size, 8);
	ASSERT_EQ(-1, at)
		TH_LOG("buffer %u: %#lx holds %#lx", a.id, at, *(unsigned long *)(s->p + at));
	memset(s->p, 0xa5, s->size);
	return true;
}

/* A writer that is ended in the midst of it. */
static void killed_writer(FIXTURE_DATA(zero) *self)
{
	unsigned int delay = hpt_rand(&self->seed) % 8000;
	pid_t pid = hpt_fork();

	if (!pid) {
		struct hpbuf_alloc a;
		unsigned char *p;

		if (pool_alloc(self->dev, MAX_PAGES * SZ_2M, HPBUF_SHIFT_2M, &a) < 0)
			_exit(0);
		p = hpt_map(a.fd, a.size);
		while (p != MAP_FAILED)
			memset(p, 0x5a, a.size);
		_exit(0);
	}
	usleep(delay);
	kill(pid, SIGKILL);
	hpt_wait(pid);
}

TEST_F(zero, every_time)
{
	unsigned long cycles = hpt_env("HPBUF_CYCLES", CYCLES), i, had = 0;
	unsigned long squeeze_at = cycles < 2000 ? cycles / 2 + 1 : 1000;
	struct slot slots[SLOTS] = { 0 };
	struct hpbuf_nl_pool first;

	ASSERT_EQ(0, pool_get(self->nl, 0, HPBUF_SHIFT_2M, &first));
	for (i = 0; i < cycles; i++) {
		struct slot *s = &slots[hpt_rand(&self->seed) % SLOTS];

		if (i && i % 1000 == 0)
			TH_LOG("%lu of %lu", i, cycles);
		self->sh->starve = i / PHASE % 4 == 1;
		if (i % squeeze_at == squeeze_at / 2)
			self->sh->squeeze++;
		if (i % 16 == 7)
			killed_writer(self);
		drop(s);
		if (take(_metadata, self, s))
			had++;
		else
			usleep(1000);
	}
	self->sh->starve = 0;
	for (i = 0; i < SLOTS; i++)
		drop(&slots[i]);
	for (i = 0; i < 2 * POOL_TRIES && self->sh->squeezes < self->sh->squeeze; i++)
		usleep(POOL_PAUSE);
	EXPECT_EQ(self->sh->squeeze, self->sh->squeezes);
	ASSERT_EQ(0, pool_get(self->nl, 0, HPBUF_SHIFT_2M, &self->pool));
	TH_LOG("%lu of %lu allocations had memory, %llu pages from the pool, %llu taken by pressure",
	       had, cycles, (unsigned long long)(self->pool.taken - first.taken),
	       (unsigned long long)(self->pool.shrunk - first.shrunk));
	/* else this was a test of something else */
	EXPECT_LT(first.shrunk, self->pool.shrunk);
	EXPECT_LT(cycles / 2, had);
	EXPECT_LT(cycles / 4, self->pool.taken - first.taken);
}

/* All that is ready at the end of it, at once. */
TEST_F(zero, all_of_the_pool)
{
	unsigned long i, r;

	for (r = 0; r < 4; r++) {
		struct hpbuf_alloc a;
		unsigned char *p;

		self->sh->starve = r % 2;
		for (i = 0; i < 4; i++)
			killed_writer(self);
		ASSERT_EQ(0, pool_ready(self->nl, 0, HPBUF_SHIFT_2M, POOL_PAGES, &self->pool));
		ASSERT_LE(0, pool_alloc(self->dev, POOL_PAGES * SZ_2M, HPBUF_SHIFT_2M, &a));
		p = hpt_map(a.fd, a.size);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_EQ(-1, hpt_nonzero(p, a.size, 8));
		memset(p, 0xa5, a.size);
		munmap(p, a.size);
		close(a.fd);
	}
}

HPBUF_TEST_MAIN
