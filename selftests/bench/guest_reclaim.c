// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a page that the kernel reclaims costs, with the module not loaded, tracing off, on,
 * and on with every stall told to a reader: guest-reclaim.sh runs this in an emulated
 * machine whose clock counts instructions. Elsewhere it is time.
 *
 * usage: guest_reclaim MODULE [ROUNDS]
 *
 * All that the machine does while the load runs is counted, the fault that wants the page
 * and the reader among it, and divided by the pages reclaimed. In each round all modes
 * take turns, and each round begins with another one. Ratios are those of one round to
 * the module not loaded: their median, and the least and the most.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libhpbuf.h"
#include "pressure.h"

#define MIB		(1UL << 20)
#define SWAP		(512 * MIB)
#define LEAVE		(192 * MIB)
#define LIMIT		(32 * MIB)
#define BEYOND		(128 * MIB)	/* what is available; some of its reserves can be had */
#define CGROUP_TURNS	4
#define THRESHOLD	1000		/* ns */
#define ROUNDS_MAX	64

/* ---- loads ---- */

static int squeeze_cgroup(void)
{
	int ret = pressure_enter();

	for (int i = 0; i < CGROUP_TURNS && !ret; i++)
		ret = pressure_hog(LIMIT + LIMIT / 2);
	return ret;
}

static int squeeze_machine(void)
{
	return pressure_hog((size_t)meminfo("MemAvailable") + BEYOND);
}

enum { CGROUP, MACHINE, NR_LOADS };

static const struct {
	const char *name;
	int (*run)(void);
} loads[] = {
	[CGROUP] = { "a cgroup beyond its limit", squeeze_cgroup },
	[MACHINE] = { "a machine without free memory", squeeze_machine },
};

static int in_child(int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(!!run());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	return status ? -EIO : 0;
}

/* ---- modes ---- */

enum { UNLOADED, OFF, ON, TOLD, NR_MODES };

static const char *const mode_names[] = {
	[UNLOADED] = "module not loaded",
	[OFF] = "tracing off",
	[ON] = "tracing on",
	[TOLD] = "on, stalls > 1 us read",
};

/** struct reader - of stalls; @told: so many came */
struct reader {
	struct hpbuf_nl *nl;
	pthread_t thread;
	volatile bool stop;
	uint64_t told;
};

static void *reader_fn(void *arg)
{
	struct reader *r = arg;
	struct hpbuf_nl_notice n;

	while (!r->stop)
		if (!hpbuf_nl_wait(r->nl, 10, &n) && n.what == HPBUF_NL_STALL)
			r->told++;
	return NULL;
}

static int reader_start(struct reader *r)
{
	int ret = hpbuf_nl_open(&r->nl);

	if (ret)
		return ret;
	r->stop = false;
	ret = hpbuf_nl_subscribe_stalls(r->nl);
	if (!ret)
		ret = -pthread_create(&r->thread, NULL, reader_fn, r);
	if (ret)
		hpbuf_nl_close(r->nl);
	return ret;
}

static void reader_stop(struct reader *r)
{
	r->stop = true;
	pthread_join(r->thread, NULL);
	hpbuf_nl_close(r->nl);
}

static int load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, "", 0))
		ret = -errno;
	close(fd);
	return ret;
}

static int unload_module(void)
{
	for (int i = 0; i < 100; i++) {
		if (!syscall(SYS_delete_module, "hpbuf", O_NONBLOCK))
			return 0;
		usleep(20000);
	}
	return -errno;
}

static int trace(int mode)
{
	struct hpbuf_nl_trace t = {
		.enabled = mode != OFF, .has_enabled = true,
		.threshold_ns = mode == TOLD ? THRESHOLD : 0, .has_threshold_ns = true,
	};
	struct hpbuf_nl *nl;
	int ret = hpbuf_nl_open(&nl);

	if (ret)
		return ret;
	ret = hpbuf_nl_trace_set(nl, &t);
	hpbuf_nl_close(nl);
	return ret;
}

/* ---- measuring ---- */

/*
 * What the CPUs have run so far, in ns. Not the clock: what was evicted is read again, and
 * that is waited for.
 */
static uint64_t busy(void)
{
	FILE *f = fopen("/proc/schedstat", "re");
	unsigned long long ns;
	uint64_t sum = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%*u %*u %*u %*u %*u %*u %*u %llu", &ns) == 1)
			sum += ns;
	if (f)
		fclose(f);
	return sum;
}

/** struct cost - ns a page, of each round */
struct cost {
	double per_page[ROUNDS_MAX];
};

static struct reader reader;

static int sample(int load, double *per_page)
{
	uint64_t pages = pressure_reclaimed(), ns = busy();
	int ret = in_child(loads[load].run);

	ns = busy() - ns;
	pages = pressure_reclaimed() - pages;
	if (!ret && (!pages || !ns))
		ret = -ENODATA;
	if (!ret)
		*per_page = (double)ns / (double)pages;
	return ret;
}

static int measure(const char *module, int mode, int round, struct cost (*costs)[NR_MODES])
{
	int ret = 0;

	if (mode != UNLOADED) {
		ret = load_module(module);
		if (!ret)
			ret = trace(mode);
	}
	if (!ret && mode == TOLD)
		ret = reader_start(&reader);
	for (int l = 0; l < NR_LOADS && !ret; l++)
		ret = sample(l, &costs[l][mode].per_page[round]);
	if (mode == TOLD && reader.nl)
		reader_stop(&reader);
	if (mode != UNLOADED && !ret)
		ret = unload_module();
	return ret;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print_row(const char *name, const struct cost *c, const struct cost *to, int rounds)
{
	double v[ROUNDS_MAX] = { 0 }, ratio[ROUNDS_MAX] = { 0 };

	for (int i = 0; i < rounds; i++) {
		v[i] = c->per_page[i];
		ratio[i] = c->per_page[i] / to->per_page[i];
	}
	qsort(v, rounds, sizeof(v[0]), by_value);
	qsort(ratio, rounds, sizeof(ratio[0]), by_value);
	printf("%-24s %10.0f %8.4f %8.4f %8.4f\n", name, v[rounds / 2], ratio[rounds / 2],
	       ratio[0], ratio[rounds - 1]);
}

static void print_tables(struct cost (*costs)[NR_MODES], int rounds)
{
	for (int l = 0; l < NR_LOADS; l++) {
		printf("\n%s, a page reclaimed, %d rounds\n%-24s %10s %8s %8s %8s\n", loads[l].name,
		       rounds, "", "ns", "ratio", "least", "most");
		for (int m = 0; m < NR_MODES; m++)
			print_row(mode_names[m], &costs[l][m], &costs[l][UNLOADED], rounds);
	}
	printf("\n%llu stalls were told.\n", (unsigned long long)reader.told);
}

int main(int argc, char **argv)
{
	static struct cost costs[NR_LOADS][NR_MODES];
	int rounds = argc > 2 ? atoi(argv[2]) : 3, ret;

	if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: guest_reclaim MODULE [1..%d]\n", ROUNDS_MAX);
		return 2;
	}
	ret = pressure_on(SWAP, LEAVE);
	if (!ret && !pressure_limit(LIMIT))
		ret = -ENOENT;
	if (ret) {
		fprintf(stderr, "needs zram and a memory cgroup: %s\n", strerror(-ret));
		return 4;
	}
	/* the first time is another one: what was used at boot goes */
	ret = in_child(squeeze_machine);
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < NR_MODES && !ret; i++)
			ret = measure(argv[1], (round + i) % NR_MODES, round, costs);
	if (ret) {
		fprintf(stderr, "guest_reclaim: %s\n", strerror(-ret));
		return 1;
	}
	print_tables(costs, rounds);
	return 0;
}
