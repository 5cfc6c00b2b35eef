// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs of calls made by chance, on the module: ioctls, mappings and what can be done
 * to them, netlink messages, parameters, children, descriptors on their way. Each runs in
 * a process of its own; between two of them all memory has to be back.
 *
 * Where the kernel has KCOV and the module is built with it, a program that reaches what
 * none did before is kept, and those that follow are made from those that were kept. It
 * is also made as short as it can be and saved in $HPBUF_RESULTS/corpus. Without KCOV,
 * those in the directory "corpus" beside this program, or $HPBUF_FUZZ_CORPUS, are what
 * others are made from. They are run first in both cases.
 *
 *	HPBUF_SEED		another course, default 1
 *	HPBUF_FUZZ_SECONDS	how long, default 60
 *	HPBUF_FUZZ_RUNS		at most so many programs
 *	HPBUF_RESULTS		where programs go that broke something, and the like
 */
#include "hpbuf_test.h"

#include <dirent.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "fuzz/kcov.h"
#include "fuzz/run.h"
#include "libhpbuf.h"

#define INPUTS		4096
#define RING		32	/* programs that a complaint in the log may be about */
#define RING_SLOT	1024
#define RUN_LIMIT	10	/* seconds a program may take, then it is killed */
#define KILL_LIMIT	60	/* and to be gone when it is killed */

static struct fz_setup setup;
static struct fz_shared *sh;
static struct fz_rand chance;
static struct fz_input inputs[INPUTS], ring[RING];
static unsigned int nr_inputs, nr_saved, nr_runs, nr_killed;
static int ring_fd = -1, dev;
static bool has_kcov;
static struct hpbuf_nl *nl;
static const char *results;
static time_t over;
static unsigned int max_runs;

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* ---- what is kept on disk ---- */

static uint32_t name_of(const struct fz_input *in)
{
	const uint8_t *bytes;
	size_t len = fz_pack(in, &bytes), i;
	uint32_t h = 2166136261;

	for (i = 0; i < len; i++)
		h = (h ^ bytes[i]) * 16777619;
	return h;
}

static void save_as(const struct fz_input *in, const char *prefix)
{
	char path[PATH_MAX];

	if (!results)
		return;
	snprintf(path, sizeof(path), "%s/%s%08x", results, prefix, name_of(in));
	if (fz_save(in, path))
		ksft_print_msg("%s cannot be written\n", path);
}

/* On disk before it runs: the kernel may not come back from it. */
static void remember(const struct fz_input *in)
{
	char slot[RING_SLOT] = { 0 };
	unsigned int at = nr_runs % RING;

	ring[at] = *in;
	if (ring_fd < 0)
		return;
	memcpy(slot, &nr_runs, sizeof(nr_runs));
	memcpy(slot + 4, in, sizeof(*in));
	if (pwrite(ring_fd, slot, sizeof(slot), at * RING_SLOT) < 0)
		ksft_print_msg("the last programs cannot be written down\n");
}

static void save_ring(void)
{
	unsigned int i;

	for (i = 0; i < RING && i < nr_runs; i++)
		save_as(&ring[i], "suspect-");
}

static void make_results(void)
{
	char path[PATH_MAX];

	results = getenv("HPBUF_RESULTS");
	if (!results)
		return;
	snprintf(path, sizeof(path), "%s/corpus", results);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/fuzz_last", results);
	ring_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

/* ---- one program ---- */

static void reap(pid_t pid)
{
	time_t limit = now() + KILL_LIMIT * hpt_env("HPBUF_TIMEOUT_SCALE", 1);
	pid_t got;

	kill(-pid, SIGKILL);
	do {
		got = waitpid(-pid, NULL, WNOHANG);
		if (!got)
			usleep(1000);
	} while (got >= 0 && now() < limit);
	if (got >= 0)
		snprintf(sh->broken, sizeof(sh->broken), "a killed process does not end");
}

static void wait_for(pid_t pid)
{
	struct pollfd p = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int limit = RUN_LIMIT * hpt_env("HPBUF_TIMEOUT_SCALE", 1);

	if (poll(&p, 1, limit * 1000) == 0) {
		ksft_print_msg("program %u takes too long in %s, %s\n", nr_runs,
			       fz_calls[sh->doing[0]].name, fz_calls[sh->doing[1]].name);
		save_as(&ring[(nr_runs - 1) % RING], "slow-");
		nr_killed++;
	}
	close(p.fd);
	reap(pid);
}

static int free_one(const struct hpbuf_nl_buf *b, void *arg)
{
	if (b->persist)
		hpbuf_free_id(dev, b->id, NULL);
	return 0;
}

/*
 * Descriptors in a socket that only itself holds are found when some socket ends.
 */
static void end_some_socket(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		return;
	close(pair[0]);
	close(pair[1]);
}

static bool all_back(void)
{
	int i, tries = FREEMEM_TRIES * hpt_env("HPBUF_TIMEOUT_SCALE", 1);

	for (i = 0; i < tries; i++) {
		if (!hpt_used(dev))
			return true;
		end_some_socket();
		usleep(FREEMEM_PAUSE / 10 * (i < 10 ? 1 : 10));
	}
	return false;
}

/* What programs change stays no longer than they do, and nothing else stays at all. */
static void put_right(void)
{
	struct hpbuf_nl_trace off = {
		.has_enabled = true, .has_pid = true, .has_cgroup = true,
		.has_threshold_ns = true,
	};

	if (sh->dirty & FZ_DIRTY_POOL) {
		hpt_write_text("/sys/module/hpbuf/parameters/floor_bytes", "0");
		hpt_write_text("/sys/module/hpbuf/parameters/max_bytes", FZ_CAP);
		hpt_write_text("/sys/module/hpbuf/parameters/pool_2m", "0");
		hpt_write_text("/sys/module/hpbuf/parameters/pool_1g", "0");
	}
	if (sh->dirty & FZ_DIRTY_TRACE)
		hpbuf_nl_trace_set(nl, &off);
	if (!hpt_used(dev))
		return;
	hpbuf_nl_bufs(nl, free_one, NULL);
	if (!*sh->broken && !all_back())
		snprintf(sh->broken, sizeof(sh->broken), "memory is still held when all is over");
}

/* Once more; false when something is broken, which is then told and saved. */
static bool run(const struct fz_input *in)
{
	pid_t pid;

	remember(in);
	nr_runs++;
	sh->forks = sh->dirty = sh->doing[0] = sh->doing[1] = 0;
	if (has_kcov)
		fz_cover_clear();
	pid = hpt_fork();
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fz_program(in, &setup, sh);
	}
	setpgid(pid, pid);
	wait_for(pid);
	put_right();
	if (nr_runs % (RING / 2) == 0 && klog_bad()) {
		save_ring();
		snprintf(sh->broken, sizeof(sh->broken), "the kernel log has a complaint");
	}
	if (*sh->broken)
		save_as(in, "crash-");
	return !*sh->broken;
}

/* ---- many of them ---- */

static bool in_time(void)
{
	return now() < over && nr_runs < max_runs;
}

/* @in without what it does not need to reach all those. */
static bool shorten(struct fz_input *in, const struct fz_fresh *fresh)
{
	struct fz_input less;
	struct fz_fresh more;
	int i, how;

	for (how = 0; how < 2; how++) {
		for (i = in->nr - 1; i >= 0 && in_time(); i--) {
			less = *in;
			if (how)
				memset(less.rec[i] + 1, 0, FZ_REC - 1);
			else if (in->nr > 1)
				fz_drop(&less, i);
			if (fz_same(&less, in))
				continue;
			if (!run(&less))
				return false;
			if (fz_cover_had(fresh))
				*in = less;
			fz_cover_take(&more);
		}
	}
	return true;
}

static void keep(const struct fz_input *in)
{
	if (nr_inputs < INPUTS)
		inputs[nr_inputs++] = *in;
	else
		inputs[fz_below(&chance, INPUTS)] = *in;
}

/* Run @in; if it came where none did before, it stays, and is saved if that is sure. */
static bool try_one(struct fz_input *in, bool shorter)
{
	struct fz_fresh fresh, more;
	bool sure;

	if (!run(in))
		return false;
	if (!has_kcov)
		return true;
	fz_cover_take(&fresh);
	if (!fresh.nr)
		return true;
	if (!run(in))
		return false;
	sure = fz_cover_had(&fresh);
	fz_cover_take(&more);
	if (sure && shorter && !shorten(in, &fresh))
		return false;
	keep(in);
	if (sure) {
		save_as(in, "corpus/");
		nr_saved++;
	}
	return true;
}

static bool fuzz(void)
{
	struct fz_input in;

	while (in_time()) {
		if (!nr_inputs || !fz_below(&chance, 6)) {
			fz_random(&in, &chance);
		} else {
			in = inputs[fz_below(&chance, nr_inputs)];
			fz_mutate(&in, &inputs[fz_below(&chance, nr_inputs)], &chance);
		}
		if (!try_one(&in, true))
			return false;
	}
	return true;
}

/* ---- those that are there from the beginning ---- */

static int by_size(const void *a, const void *b)
{
	const struct fz_input *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? -1 : 1;
	return memcmp(x->rec, y->rec, sizeof(x->rec));
}

static unsigned int load_seeds(struct fz_input *seeds, unsigned int max)
{
	const char *dir = getenv("HPBUF_FUZZ_CORPUS");
	char own[PATH_MAX], beside[PATH_MAX + 8], path[PATH_MAX + 300];
	unsigned int nr = 0;
	struct dirent *de;
	ssize_t len;
	DIR *d;

	if (!dir) {
		len = readlink("/proc/self/exe", own, sizeof(own) - 1);
		own[len < 0 ? 0 : len] = '\0';
		/* beside this program */
		own[strrchr(own, '/') ? strrchr(own, '/') - own : 0] = '\0';
		snprintf(beside, sizeof(beside), "%s/corpus", own);
		dir = beside;
	}
	d = opendir(dir);
	while (d && nr < max && (de = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		if (*de->d_name != '.' && fz_load(&seeds[nr], path))
			nr++;
	}
	if (d)
		closedir(d);
	qsort(seeds, nr, sizeof(*seeds), by_size);
	return nr;
}

static bool run_seeds(void)
{
	struct fz_input *seeds = calloc(INPUTS, sizeof(*seeds));
	unsigned int nr = seeds ? load_seeds(seeds, INPUTS) : 0, i;
	bool ok = true;

	for (i = 0; ok && i < nr; i++) {
		ok = try_one(&seeds[i], false);
		if (!has_kcov)
			keep(&seeds[i]);
	}
	free(seeds);
	ksft_test_result(ok, "%u saved programs\n", nr);
	return ok;
}

/* ---- the end ---- */

static void tell(void)
{
	unsigned int i;
	char path[PATH_MAX];

	ksft_print_msg("%u programs, seed %lu, %u took too long and were killed\n", nr_runs,
		       hpt_env("HPBUF_SEED", 1), nr_killed);
	for (i = 0; i < fz_nr_calls(); i++)
		ksft_print_msg("%s: %llu calls, %llu succeeded\n", fz_calls[i].name,
			       (unsigned long long)sh->called[i],
			       (unsigned long long)sh->worked[i]);
	if (!has_kcov) {
		ksft_print_msg("no KCOV here: made by grammar and from %u programs\n", nr_inputs);
		return;
	}
	ksft_print_msg("%u places of the module reached by %u programs, %u of them saved\n",
		       fz_cover_count(), nr_inputs, nr_saved);
	snprintf(path, sizeof(path), "%s/fuzz_cover", results ?: "");
	if (results && fz_cover_save(path))
		ksft_print_msg("%s cannot be written\n", path);
}

static bool still_serves(void)
{
	struct hpbuf_alloc a;
	int fd = hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a);
	unsigned char byte = 1;
	void *p;
	bool ok;

	if (fd < 0)
		return false;
	p = hpt_map(fd, a.size);
	ok = p != MAP_FAILED && !hpt_poke(p, 7) && !hpt_peek(p, &byte) && byte == 7;
	if (p != MAP_FAILED)
		munmap(p, a.size);
	close(fd);
	return ok && hpt_used_becomes(dev, 0);
}

static int see_pool(const struct hpbuf_nl_pool *p, void *arg)
{
	uint64_t *sum = arg;

	*sum += p->ready + p->dirty + p->lent + p->used;
	return 0;
}

static int see_buf(const struct hpbuf_nl_buf *b, void *arg)
{
	uint64_t *sum = arg;

	(*sum)++;
	return 0;
}

static bool nothing_left(void)
{
	uint64_t pages = 0, bufs = 0;
	int ret = hpbuf_nl_pools(nl, see_pool, &pages);

	ret = ret ?: hpbuf_nl_bufs(nl, see_buf, &bufs);
	if (ret || pages || bufs)
		ksft_print_msg("%llu buffers, %llu pages: %s\n", (unsigned long long)bufs,
			       (unsigned long long)pages, strerror(ret < 0 ? -ret : ret));
	return !ret && !pages && !bufs;
}

static void begin(void)
{
	hpt_begin();
	ksft_print_header();
	ksft_set_plan(6);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	dev = hpt_open(NULL);
	if (dev < 0 || hpbuf_nl_open(&nl) || !fz_resolve(&setup))
		ksft_exit_fail_msg("no device, or no netlink family\n");
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED)
		ksft_exit_fail_msg("no memory\n");
	if (access("/sys/kernel/debug/kcov", F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	has_kcov = fz_cover_open();
	make_results();
	hpt_write_text("/sys/module/hpbuf/parameters/max_bytes", FZ_CAP);
	chance.state = hpt_env("HPBUF_SEED", 1);
	max_runs = hpt_env("HPBUF_FUZZ_RUNS", UINT_MAX);
	over = now() + hpt_env("HPBUF_FUZZ_SECONDS", 60);
}

int main(void)
{
	struct freemem before;
	bool ok;

	begin();
	ok = run_seeds();
	/* Only now: the first ones fill the kernel's caches. */
	freemem_read(&before);
	ok = ok && fuzz();
	tell();
	ksft_test_result(ok, "%u programs%s%s\n", nr_runs, *sh->broken ? ": " : "", sh->broken);
	hpt_write_text("/sys/module/hpbuf/parameters/max_bytes", "0");
	ksft_test_result(still_serves(), "the module still serves\n");
	ksft_test_result(nothing_left(), "no buffer and no page is left\n");
	ksft_test_result(freemem_is_back(&before), "memory is back\n");
	ksft_test_result(!klog_bad(), "kernel log is clean\n");
	ksft_finished();
}
