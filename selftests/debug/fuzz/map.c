// SPDX-License-Identifier: GPL-2.0-only
/* Mappings of buffers, and what can be done to them. */
#include "run.h"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096ULL
#define MIB	(1ULL << 20)
#define GIB	(1ULL << 30)

/* Behind a mapping's start, or added to its length. */
static const uint64_t some_offs[] = {
	0, 0, 0, 0, 0, 2 * MIB, 2 * MIB, 4 * MIB, PAGE, MIB, GIB, 2 * MIB - PAGE, -PAGE,
	0 - 2 * MIB, 2 * MIB + PAGE, 1, 6 * MIB, GIB - 2 * MIB,
};

static const uint64_t some_lens[] = {
	2 * MIB, 2 * MIB, PAGE, 4 * MIB, MIB, 6 * MIB, GIB, 2 * MIB - PAGE, 2 * MIB + PAGE, 0,
	1ULL << 46, UINT64_MAX, 1ULL << 63,
};

/* A part of a mapping: all of it, or as the record says. */
struct span {
	char *addr;
	uint64_t len;
};

static struct span take_span(struct fz_cur *c, const struct fz_map *m)
{
	struct span s = { m->addr, m->len };

	s.addr += FZ_PICK(c, some_offs);
	if (fz_u8(c) >= 0x80)
		s.len = FZ_PICK(c, some_lens);
	return s;
}

static int take_prot(struct fz_cur *c)
{
	static const uint64_t prots[] = {
		PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE, PROT_NONE,
		PROT_READ | PROT_EXEC, PROT_EXEC, PROT_READ | PROT_WRITE | PROT_GROWSDOWN,
	};

	return FZ_PICK(c, prots);
}

/* Replacing whatever lies at an address would be the end of the program itself. */
static int take_map_flags(struct fz_cur *c)
{
	static const uint64_t flags[] = {
		MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_SHARED | MAP_POPULATE,
		MAP_SHARED_VALIDATE, MAP_PRIVATE, MAP_SHARED | MAP_FIXED_NOREPLACE,
		MAP_SHARED | MAP_LOCKED, MAP_SHARED | MAP_HUGETLB, MAP_SHARED | MAP_NORESERVE,
		MAP_SHARED_VALIDATE | MAP_SYNC, MAP_SHARED | MAP_GROWSDOWN,
		MAP_SHARED | MAP_STACK, MAP_SHARED | MAP_32BIT, 0,
		MAP_SHARED | MAP_FIXED,
	};
	int which = FZ_PICK(c, flags);

	return which & ~MAP_ANONYMOUS;
}

long fz_mmap(struct fz_run *r, struct fz_cur *c)
{
	struct fz_buf *b = fz_buf(r, c);
	struct fz_map *m = fz_map(r, c), *near = fz_map(r, c);
	int prot = take_prot(c), flags = take_map_flags(c);
	uint64_t len = b->size, off = 0;
	char *addr = NULL, *got;

	if (fz_u8(c) >= 0x80)
		len = FZ_PICK(c, some_lens);
	if (fz_u8(c) >= 0x80)
		off = FZ_PICK(c, some_offs);
	if (fz_u8(c) >= 0x80)
		addr = near->addr + FZ_PICK(c, some_offs);
	/* The module refuses this, and so it has to be a place where nothing is. */
	if (flags & MAP_FIXED)
		addr = (char *)(1ULL << 45);
	got = mmap(addr, len, prot, flags, b->fd, off);
	if (got == MAP_FAILED)
		return -errno;
	if (!r->two && b->shift && (uintptr_t)got & ((1ULL << b->shift) - 1))
		fz_broken(r, "a mapping of %u-bit pages at %p", b->shift, got);
	m->addr = got;
	m->len = len;
	m->page = 1ULL << b->shift;
	return 0;
}

long fz_munmap(struct fz_run *r, struct fz_cur *c)
{
	struct fz_map *m = fz_map(r, c);
	struct span s = take_span(c, m);

	/* Not what lies around: only what is, or was, a mapping of ours. */
	if (s.addr < m->addr || s.len > m->len || s.addr + s.len > m->addr + m->len)
		s = (struct span){ m->addr, m->len };
	return fz_ret(munmap(s.addr, s.len));
}

long fz_mremap(struct fz_run *r, struct fz_cur *c)
{
	static const uint64_t flags[] = {
		MREMAP_MAYMOVE, 0, MREMAP_MAYMOVE | MREMAP_FIXED, MREMAP_FIXED,
		MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
		MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
	};
	struct fz_map *m = fz_map(r, c);
	struct span s = take_span(c, m);
	int how = FZ_PICK(c, flags) & 7;
	uint64_t to = FZ_PICK(c, some_lens);
	char *got;

	/* A free place of its own for what is moved. */
	got = mremap(s.addr, s.len, to, how, (char *)(1ULL << 45) + (fz_one(c, 4) << 30));
	if (got == MAP_FAILED)
		return -errno;
	m->addr = got;
	m->len = to;
	return 0;
}

long fz_mprotect(struct fz_run *r, struct fz_cur *c)
{
	struct span s = take_span(c, fz_map(r, c));
	int prot = take_prot(c);

	return fz_ret(mprotect(s.addr, s.len, prot));
}

/* Without those that poison the memory for good: 100, 101. */
static const uint64_t some_advice[] = {
	MADV_DONTNEED, MADV_NORMAL, MADV_WILLNEED, MADV_REMOVE, MADV_FREE, MADV_DONTFORK,
	MADV_DOFORK, MADV_MERGEABLE, MADV_UNMERGEABLE, MADV_HUGEPAGE, MADV_NOHUGEPAGE,
	MADV_DONTDUMP, MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_COLD, MADV_PAGEOUT,
	MADV_POPULATE_READ, MADV_POPULATE_WRITE, 24 /* MADV_DONTNEED_LOCKED */,
	25 /* MADV_COLLAPSE */, 102, 103, MADV_RANDOM, MADV_SEQUENTIAL,
};

long fz_madvise(struct fz_run *r, struct fz_cur *c)
{
	struct span s = take_span(c, fz_map(r, c));
	unsigned int nr = sizeof(some_advice) / sizeof(some_advice[0]);

	return fz_ret(madvise(s.addr, s.len, some_advice[fz_one(c, nr)]));
}

long fz_mlock(struct fz_run *r, struct fz_cur *c)
{
	struct span s = take_span(c, fz_map(r, c));
	unsigned char vec[512];

	switch (fz_one(c, 7)) {
	case 0:
		return fz_ret(mlock(s.addr, s.len));
	case 1:
		return fz_ret(munlock(s.addr, s.len));
	case 2:
		return fz_ret(syscall(SYS_mlock2, s.addr, s.len, 1 /* MLOCK_ONFAULT */));
	case 3:
		return fz_ret(msync(s.addr, s.len, fz_u8(c) & 7));
	case 4:
		return fz_ret(mincore(s.addr, s.len < 2 * MIB ? s.len : 2 * MIB, vec));
	case 5:
		return fz_ret(mlockall(fz_u8(c) & 7));
	}
	return fz_ret(munlockall());
}

long fz_access(struct fz_run *r, struct fz_cur *c)
{
	struct span s = take_span(c, fz_map(r, c));
	bool write = fz_u8(c) & 1;
	uint64_t step = fz_u8(c) & 1 ? PAGE * 64 : 2 * MIB, at;
	int sig = 0;

	for (at = 0; !sig && at < s.len && at < 64 * MIB; at += step)
		sig = fz_touch(s.addr + at, write);
	return sig ? -EFAULT : 0;
}

/* Where its pages shall be, by whoever believes that they can be moved. */
long fz_policy(struct fz_run *r, struct fz_cur *c)
{
	struct span s = take_span(c, fz_map(r, c));
	unsigned long nodes = 1 + fz_one(c, 3);
	int mode = fz_one(c, 8), flags = fz_one(c, 8), status[4], to[4] = { 0, 1, 0, 0 };
	void *pages[4] = { s.addr, s.addr + PAGE, s.addr + s.len, s.addr + 2 * MIB };

	switch (fz_one(c, 5)) {
	case 0:
		return fz_ret(syscall(SYS_mbind, s.addr, s.len, mode, &nodes, 64, flags));
	case 1:
		return fz_ret(syscall(SYS_move_pages, 0, 4, pages, fz_u8(c) & 1 ? to : NULL,
				      status, flags));
	case 2:
		return fz_ret(syscall(SYS_migrate_pages, 0, 64, &nodes, &nodes));
	case 3:
		return fz_ret(syscall(SYS_get_mempolicy, &mode, NULL, 0, s.addr, flags));
	}
	return fz_ret(remap_file_pages(s.addr, s.len, 0, fz_u8(c), fz_u8(c) & 1));
}

long fz_uffd(struct fz_run *r, struct fz_cur *c)
{
	static const uint64_t features[] = { 0, 1 << 15 /* WP_ASYNC */, 1 << 13, UINT64_MAX };
	struct span s = take_span(c, fz_map(r, c));
	struct uffdio_api api = { .api = UFFD_API, .features = FZ_PICK(c, features) };
	struct uffdio_register reg = {
		.range = { (uintptr_t)s.addr, s.len }, .mode = 1 + fz_one(c, 7),
	};
	struct uffdio_writeprotect wp = { .range = reg.range, .mode = fz_one(c, 4) };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | 1 /* USER_MODE_ONLY */);
	long ret;

	if (fd < 0)
		return -errno;
	ioctl(fd, UFFDIO_API, &api);
	ret = fz_ret(ioctl(fd, UFFDIO_REGISTER, &reg));
	ioctl(fd, UFFDIO_WRITEPROTECT, &wp);
	/* Others would have the fault wait for an answer from us. */
	if (ret >= 0 && reg.mode == UFFDIO_REGISTER_MODE_WP && fz_u8(c) & 1)
		fz_touch(s.addr, false);
	close(fd);
	return ret;
}
