// SPDX-License-Identifier: GPL-2.0-only
/* Memory: hogs, compaction, caches, huge pages, migration, other readers. */
#include "disturb.h"

#include <dirent.h>
#include <fcntl.h>
#include <numaif.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "../module/freemem.h"

/* ---- hogs ---- */

#define GROUP		"/sys/fs/cgroup/hpbuf-stress"
#define GROUP_MAX	(128UL << 20)

/* Take it bit by bit, keep it for a moment; the first to be killed for memory. */
static void hog_main(size_t bytes, unsigned int keep_ms, bool huge)
{
	unsigned char *p;
	size_t off;

	text_write("/proc/self/oom_score_adj", "1000");
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return;
	madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (off = 0; off < bytes && !shared->stop; off += SZ_4K)
		*(volatile size_t *)(p + off) = off;
	disturb_pause(keep_ms);
	/* holes all over */
	for (off = 0; off < bytes && !shared->stop; off += 2 * SZ_2M)
		madvise(p + off, SZ_2M - SZ_4K, MADV_DONTNEED);
	disturb_pause(keep_ms);
}

static void hog(struct rng *r, enum op which, const char *group, size_t bytes)
{
	bool huge = rng_below(r, 2);
	unsigned int keep_ms = rng_below(r, 1000);
	pid_t pid = child_fork();
	int status;

	if (!pid) {
		if (group && text_write(group, "0"))
			_exit(1);
		hog_main(bytes, keep_ms, huge);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		op_counted(which, -errno);
	else	/* EINTR: killed for memory */
		op_counted(which, WIFSIGNALED(status) ? -EINTR : 0);
}

static void run_hog(struct rng *r)
{
	long available = meminfo("MemAvailable");

	hog(r, OP_HOG, NULL, available / 100 * (40 + rng_below(r, 65)));
}

static bool lacks_group(char *why, size_t size)
{
	text_write("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir(GROUP, 0755);
	return disturb_needs(GROUP "/memory.max", why, size);
}

static void run_hog_group(struct rng *r)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", GROUP_MAX);
	text_write(GROUP "/memory.max", text);
	hog(r, OP_HOG_GROUP, GROUP "/cgroup.procs", GROUP_MAX / 100 * (50 + rng_below(r, 70)));
}

const struct disturber disturb_hog = {
	.op = OP_HOG, .pause_ms = 6000, .run = run_hog,
};

const struct disturber disturb_hog_group = {
	.op = OP_HOG_GROUP, .pause_ms = 4000, .lacks = lacks_group, .run = run_hog_group,
};

/* ---- compaction, caches ---- */

static bool lacks_compact(char *why, size_t size)
{
	return disturb_needs("/proc/sys/vm/compact_memory", why, size);
}

static void run_compact(struct rng *r)
{
	op_counted(OP_COMPACT, text_write("/proc/sys/vm/compact_memory", "1"));
}

static void run_drop(struct rng *r)
{
	op_counted(OP_DROP, text_write("/proc/sys/vm/drop_caches", "3"));
}

const struct disturber disturb_compact = {
	.op = OP_COMPACT, .pause_ms = 4000, .lacks = lacks_compact, .run = run_compact,
};

const struct disturber disturb_drop = {
	.op = OP_DROP, .pause_ms = 5000, .run = run_drop,
};

/* ---- transparent huge pages ---- */

#define THP	"/sys/kernel/mm/transparent_hugepage/"

static bool lacks_thp(char *why, size_t size)
{
	return disturb_needs(THP "enabled", why, size);
}

/* Buffers are mapped whatever these say. */
static void run_thp(struct rng *r)
{
	static const char * const enabled[] = { "always", "madvise", "never" };
	static const char * const defrag[] = { "always", "defer", "never" };
	int ret = text_write(THP "enabled", enabled[rng_below(r, NR(enabled))]);

	text_write(THP "defrag", defrag[rng_below(r, NR(defrag))]);
	text_write(THP "khugepaged/scan_sleep_millisecs", "10");
	text_write(THP "khugepaged/alloc_sleep_millisecs", "10");
	op_counted(OP_THP, ret);
}

static void restore_thp(void)
{
	text_write(THP "enabled", "always");
	text_write(THP "defrag", "madvise");
	text_write(THP "khugepaged/scan_sleep_millisecs", "10000");
	text_write(THP "khugepaged/alloc_sleep_millisecs", "60000");
}

const struct disturber disturb_thp = {
	.op = OP_THP, .pause_ms = 3000, .lacks = lacks_thp, .run = run_thp,
	.restore = restore_thp,
};

/* ---- migration ---- */

static bool lacks_migrate(char *why, size_t size)
{
	if (!access("/sys/devices/system/node/node1", F_OK))
		return false;
	snprintf(why, size, "needs two nodes, found one");
	return true;
}

/* All that a worker has, to the other node and back. */
static void run_migrate(struct rng *r)
{
	unsigned long one = 1, other = 2;
	bool back = rng_below(r, 2);
	pid_t pid = disturb_worker(r);
	long ret;

	if (!pid)
		return;
	ret = migrate_pages(pid, 64, back ? &other : &one, back ? &one : &other);
	op_counted(OP_MIGRATE, ret < 0 ? -errno : 0);
}

const struct disturber disturb_migrate = {
	.op = OP_MIGRATE, .pause_ms = 1000, .lacks = lacks_migrate, .run = run_migrate,
};

/* ---- what monitoring reads of others ---- */

static void run_readers(struct rng *r)
{
	static const char * const files[] = { "smaps", "smaps_rollup", "numa_maps", "maps" };
	pid_t pid = disturb_worker(r);
	char path[64], buf[8192];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, files[rng_below(r, NR(files))]);
	fd = pid ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		;
	op_counted(OP_READERS, n < 0 ? -errno : 0);
	close(fd);
}

const struct disturber disturb_readers = {
	.op = OP_READERS, .pause_ms = 300, .run = run_readers,
};
