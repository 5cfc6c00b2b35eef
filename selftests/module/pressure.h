/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Little free memory, swap that costs no disk, and loads that make the kernel
 * reclaim: what _pressure.sh is for shells. All is put back when the process that
 * called pressure_on() exits.
 */
#ifndef HPBUF_PRESSURE_H
#define HPBUF_PRESSURE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>

#include "freemem.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

#define PRESSURE_SWAP	"/dev/zram0"
#define PRESSURE_ZRAM	"/sys/block/zram0"
#define PRESSURE_POOL	"/proc/sys/vm/nr_hugepages"
#define PRESSURE_WATCH	"/proc/sys/kernel/watchdog_thresh"

static struct {
	pid_t owner;
	bool swap, cgroups;
	long pool, watch;		/* what they were; -1: untouched */
	char dir[32], limited[48];
} pressure = { .pool = -1, .watch = -1 };

static inline int pressure_put(const char *path, unsigned long val)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%lu", val) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static inline long pressure_get(const char *path)
{
	FILE *f = fopen(path, "re");
	long val = -1;

	if (f && fscanf(f, "%ld", &val) != 1)
		val = -1;
	if (f)
		fclose(f);
	return val;
}

/* ---- taking and giving back ---- */

/* What mkswap writes: version 1, the last page, and the mark at the first one's end. */
static inline int pressure_mkswap(size_t bytes)
{
	uint32_t head[2] = { 1, bytes / 4096 - 1 };
	char page[4096] = { 0 };
	int fd = open(PRESSURE_SWAP, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	memcpy(page + 1024, head, sizeof(head));
	memcpy(page + sizeof(page) - 10, "SWAPSPACE2", 10);
	if (write(fd, page, sizeof(page)) != sizeof(page) || fsync(fd))
		ret = -EIO;
	close(fd);
	return ret;
}

static inline int pressure_swap(size_t bytes)
{
	int ret;

	if (access(PRESSURE_ZRAM, F_OK) && system("modprobe -q zram num_devices=1"))
		return -ENOENT;
	/* EBUSY: it is somebody's */
	ret = pressure_put(PRESSURE_ZRAM "/disksize", bytes);
	if (ret)
		return ret;
	pressure.swap = true;
	ret = pressure_mkswap(bytes);
	if (ret)
		return ret;
	return swapon(PRESSURE_SWAP, 0) ? -errno : 0;
}

static inline void pressure_off(void)
{
	if (getpid() != pressure.owner)
		return;
	if (*pressure.limited)
		rmdir(pressure.limited);
	if (pressure.cgroups)
		umount2(pressure.dir, MNT_DETACH);
	if (*pressure.dir)
		rmdir(pressure.dir);
	if (pressure.swap) {
		swapoff(PRESSURE_SWAP);
		pressure_put(PRESSURE_ZRAM "/reset", 1);
	}
	if (pressure.pool >= 0)
		pressure_put(PRESSURE_POOL, pressure.pool);
	if (pressure.watch >= 0)
		pressure_put(PRESSURE_WATCH, pressure.watch);
}

/*
 * Swap of @swap bytes, and no more than @leave available: huge pages that nobody
 * uses take the rest. Returns 0, or -errno when there can be no such swap.
 */
static inline int pressure_on(size_t swap, size_t leave)
{
	long rest;
	int ret;

	pressure.owner = getpid();
	atexit(pressure_off);
	/* emulated CPUs take longer than 20 s for what is no lockup, see _pressure.sh */
	pressure.watch = pressure_get(PRESSURE_WATCH);
	if (pressure.watch >= 0)
		pressure_put(PRESSURE_WATCH, 60);
	ret = pressure_swap(swap);
	if (ret)
		return ret;
	pressure.pool = pressure_get(PRESSURE_POOL);
	rest = meminfo("MemAvailable") - (long)leave;
	if (pressure.pool >= 0 && rest > 0)
		pressure_put(PRESSURE_POOL, pressure.pool + (rest >> 21));
	return 0;
}

/* A cgroup that may have @bytes. False: this machine has none of that kind. */
static inline bool pressure_limit(size_t bytes)
{
	char path[96];
	int fd;

	snprintf(pressure.dir, sizeof(pressure.dir), "/tmp/hpbuf.XXXXXX");
	if (!mkdtemp(pressure.dir)) {
		*pressure.dir = '\0';
		return false;
	}
	pressure.cgroups = !mount("none", pressure.dir, "cgroup2", 0, NULL);
	if (!pressure.cgroups)
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", pressure.dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "+memory", 7) < 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	close(fd);
	snprintf(pressure.limited, sizeof(pressure.limited), "%s/limited", pressure.dir);
	if (mkdir(pressure.limited, 0755)) {
		*pressure.limited = '\0';
		return false;
	}
	snprintf(path, sizeof(path), "%s/memory.max", pressure.limited);
	return !pressure_put(path, bytes);
}

/* The caller is in that cgroup from now on. */
static inline int pressure_enter(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/cgroup.procs", pressure.limited);
	return pressure_put(path, getpid());
}

/* ---- loads ---- */

/* By hand, for kernels before 5.14. */
static inline void pressure_touch(char *p, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += 4096)
		*(volatile char *)(p + at) = 1;
}

/* New memory, touched within one call if that is possible: kswapd hardly keeps up. */
static inline int pressure_hog(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret = 0;

	if (p == MAP_FAILED)
		return -errno;
	madvise(p, bytes, MADV_NOHUGEPAGE);
	if (madvise(p, bytes, MADV_POPULATE_WRITE))
		ret = -errno;
	if (ret == -EINVAL) {
		pressure_touch(p, bytes);
		ret = 0;
	}
	munmap(p, bytes);
	return ret;
}

/* Pages reclaimed since boot, for whomever. */
static inline uint64_t pressure_reclaimed(void)
{
	FILE *f = fopen("/proc/vmstat", "re");
	unsigned long long n;
	uint64_t sum = 0;
	char key[64];

	while (f && fscanf(f, "%63s %llu", key, &n) == 2)
		if (!strcmp(key, "pgsteal_anon") || !strcmp(key, "pgsteal_file"))
			sum += n;
	if (f)
		fclose(f);
	return sum;
}

#endif
