// SPDX-License-Identifier: GPL-2.0-only
/* The kernel and other processes reaching into mappings. */
#define _GNU_SOURCE
#include "run.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MIB	(1ULL << 20)

static const uint64_t some_offs[] = { 0, 0, 2 * MIB - 8, 2 * MIB, 4 * MIB - 1, 1, -8, 4096 };
static const uint64_t some_lens[] = { 16, 1, 4096, 8192, 16384, 0 };

static char *take_at(struct fz_run *r, struct fz_cur *c)
{
	return fz_map(r, c)->addr + FZ_PICK(c, some_offs);
}

static size_t take_len(struct fz_cur *c)
{
	size_t len = FZ_PICK(c, some_lens);

	return len < FZ_SCRATCH ? len : FZ_SCRATCH;
}

static long proc_mem(char *at, char *to, size_t len, bool write)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = fz_ret(write ? pwrite(fd, to, len, (off_t)at) : pread(fd, to, len, (off_t)at));
	close(fd);
	return ret;
}

/* Past the page cache: the pages are pinned. */
static long direct(char *at, size_t len, bool write)
{
	char path[] = "/tmp/hpbuf-fuzz-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC | O_DIRECT);
	long ret;

	if (fd < 0)
		return -errno;
	unlink(path);
	ret = fz_ret(write ? pread(fd, at, len, 0) : pwrite(fd, at, len, 0));
	close(fd);
	return ret;
}

static long futex(char *at, unsigned int what)
{
	struct timespec soon = { .tv_nsec = 1000000 };

	at -= (uintptr_t)at % 4;
	return fz_ret(syscall(SYS_futex, at, what & 1 ? FUTEX_WAKE : FUTEX_WAIT, 0, &soon, at, 0));
}

long fz_copy(struct fz_run *r, struct fz_cur *c)
{
	char *at = take_at(r, c);
	struct iovec there = { at, take_len(c) }, here = { r->scratch, there.iov_len };
	bool write = fz_u8(c) & 1;

	switch (fz_one(c, 5)) {
	case 0:
		return fz_ret(write ? process_vm_writev(getpid(), &here, 1, &there, 1, 0) :
			      process_vm_readv(getpid(), &here, 1, &there, 1, 0));
	case 1:
		return proc_mem(at, r->scratch, there.iov_len, write);
	case 2:
		return direct(at, there.iov_len, write);
	case 3:
		return futex(at, fz_u8(c));
	}
	/* From one buffer to another. */
	here.iov_base = take_at(r, c);
	return fz_ret(process_vm_readv(getpid(), &here, 1, &there, 1, 0));
}

static long write_text(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = fz_ret(write(fd, text, len));
	close(fd);
	return ret;
}

static long pagemap(const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry[64];
	long ret;

	if (fd < 0)
		return -errno;
	ret = fz_ret(pread(fd, entry, sizeof(entry), (uintptr_t)at / 4096 * 8));
	close(fd);
	return ret;
}

/* Of ourselves: files that walk page tables, and one that writes to them. */
long fz_proc(struct fz_run *r, struct fz_cur *c)
{
	static const char * const files[] = {
		"/proc/self/smaps", "/proc/self/numa_maps", "/proc/self/maps",
		"/proc/self/smaps_rollup", "/proc/self/status",
	};
	char buf[1024], what;
	long ret;
	int fd;

	switch (fz_one(c, 3)) {
	case 0:
		fd = open(files[fz_one(c, 5)], O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		do {
			ret = fz_ret(read(fd, buf, sizeof(buf)));
		} while (ret > 0);
		close(fd);
		return ret;
	case 1:
		what = '1' + fz_one(c, 5);
		return write_text("/proc/self/clear_refs", &what, 1);
	}
	return pagemap(take_at(r, c));
}

/* Pages, or references to them, in a pipe that outlives the mapping. */
long fz_splice(struct fz_run *r, struct fz_cur *c)
{
	struct iovec there = { take_at(r, c), take_len(c) };
	unsigned int flags = fz_one(c, 16) | SPLICE_F_NONBLOCK;
	int fd;

	if (r->pipe[0] < 0 && pipe2(r->pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	fd = fz_buf(r, c)->fd;
	switch (fz_one(c, 5)) {
	case 0:
		return fz_ret(vmsplice(r->pipe[1], &there, 1, flags));
	case 1:
		return fz_ret(vmsplice(r->pipe[0], &there, 1, flags));
	case 2:
		return fz_ret(write(r->pipe[1], there.iov_base, there.iov_len));
	case 3:
		return fz_ret(read(r->pipe[0], there.iov_base, there.iov_len));
	}
	return fz_ret(splice(fd, NULL, r->pipe[1], NULL, there.iov_len, flags));
}
