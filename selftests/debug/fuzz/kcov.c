// SPDX-License-Identifier: GPL-2.0-only
#include "kcov.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS		2
#define WORDS		(256UL << 10)	/* of a thread's trace */
#define PLACES		(1U << 16)	/* many more than the module has */

static struct {
	int fd[THREADS];
	uint64_t *trace[THREADS];
	uint64_t first, last, text;	/* the module, and what offsets count from */
	uint64_t known[PLACES];		/* by hash; 0: free */
	unsigned int nr;
} cover = { .fd = { -1, -1 } };

static uint64_t *place(uint64_t pc)
{
	unsigned int at = pc * 0x9e3779b97f4a7c15ULL >> 48;

	while (cover.known[at % PLACES] && cover.known[at % PLACES] != pc)
		at++;
	return &cover.known[at % PLACES];
}

static bool read_module(void)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[512];
	uint64_t size;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "hpbuf %" SCNu64 " %*s %*s %*s %" SCNx64, &size,
			   &cover.first) == 2)
			cover.last = cover.first + size;
	}
	if (f)
		fclose(f);
	cover.text = cover.first;
	f = fopen("/sys/module/hpbuf/sections/.text", "re");
	if (f && fscanf(f, "%" SCNx64, &cover.text) != 1)
		cover.text = cover.first;
	if (f)
		fclose(f);
	return cover.last;
}

static bool open_one(int thread)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	cover.fd[thread] = fd;
	if (ioctl(fd, KCOV_INIT_TRACE, WORDS))
		return false;
	cover.trace[thread] = mmap(NULL, WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0);
	return cover.trace[thread] != MAP_FAILED;
}

/* Is the module built with it? Any call of it tells. */
static bool is_traced(void)
{
	int dev = open("/dev/hpbuf", O_RDWR | O_CLOEXEC);
	bool any;

	fz_cover_clear();
	fz_cover_begin(0);
	ioctl(dev, 0, 0);
	ioctl(cover.fd[0], KCOV_DISABLE, 0);
	any = cover.trace[0][0];
	if (dev >= 0)
		close(dev);
	return any;
}

bool fz_cover_open(void)
{
	return read_module() && open_one(0) && open_one(1) && is_traced();
}

void fz_cover_begin(int thread)
{
	if (cover.fd[thread] >= 0)
		ioctl(cover.fd[thread], KCOV_ENABLE, KCOV_TRACE_PC);
}

void fz_cover_clear(void)
{
	int t;

	for (t = 0; t < THREADS; t++)
		cover.trace[t][0] = 0;
}

static uint64_t trace_length(int thread)
{
	uint64_t n = __atomic_load_n(&cover.trace[thread][0], __ATOMIC_ACQUIRE);

	return n < WORDS ? n : WORDS - 1;
}

static void add(uint64_t pc, struct fz_fresh *fresh)
{
	uint64_t *known = place(pc);

	if (pc < cover.first || pc >= cover.last || *known || cover.nr == PLACES / 2)
		return;
	*known = pc;
	cover.nr++;
	if (fresh->nr < FZ_FRESH)
		fresh->pc[fresh->nr++] = pc;
}

void fz_cover_take(struct fz_fresh *fresh)
{
	uint64_t i, n;
	int t;

	fresh->nr = 0;
	for (t = 0; t < THREADS; t++) {
		n = trace_length(t);
		for (i = 1; i <= n; i++)
			add(cover.trace[t][i], fresh);
	}
}

static bool reached(uint64_t pc)
{
	uint64_t i, n;
	int t;

	for (t = 0; t < THREADS; t++) {
		n = trace_length(t);
		for (i = 1; i <= n; i++)
			if (cover.trace[t][i] == pc)
				return true;
	}
	return false;
}

bool fz_cover_had(const struct fz_fresh *fresh)
{
	unsigned int i;

	for (i = 0; i < fresh->nr; i++)
		if (!reached(fresh->pc[i]))
			return false;
	return true;
}

unsigned int fz_cover_count(void)
{
	return cover.nr;
}

int fz_cover_save(const char *path)
{
	FILE *f = fopen(path, "we");
	unsigned int i;

	if (!f)
		return -errno;
	for (i = 0; i < PLACES; i++)
		if (cover.known[i])
			fprintf(f, "%#" PRIx64 "\n", cover.known[i] - cover.text);
	return fclose(f) ? -EIO : 0;
}
