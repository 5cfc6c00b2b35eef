/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program of calls under way: what it holds, and what it tells.
 */
#ifndef HPBUF_FUZZ_RUN_H
#define HPBUF_FUZZ_RUN_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "input.h"

#define FZ_BUFS		3
#define FZ_MAPS		3
#define FZ_SOCKS	2
#define FZ_CHILDREN	4
#define FZ_CALLS	64	/* room for the table of calls */
#define FZ_SCRATCH	(64 << 10)

/** max_bytes for programs; those that want a page of 1 GiB raise it. */
#define FZ_CAP		"64M"
#define FZ_CAP_1G	"1088M"

/** What an exit status of a program says. */
#define FZ_BROKEN	99

/** What has to be put right when a program is over: bits of fz_shared.dirty. */
#define FZ_DIRTY_POOL	1	/* pools and parameters */
#define FZ_DIRTY_TRACE	2

/**
 * struct fz_shared - what all processes of a program and the supervisor see
 * @called, @worked: of each call, how often it was made and how often it succeeded
 * @doing: the call that each thread is in
 * @forks: children the program has made
 * @dirty: FZ_DIRTY_* bits
 * @broken: what should not be, as text; empty as long as all is well
 */
struct fz_shared {
	uint64_t called[FZ_CALLS];
	uint64_t worked[FZ_CALLS];
	uint32_t doing[2];
	uint32_t forks;
	uint32_t dirty;
	char broken[240];
};

struct fz_buf {
	int fd;
	uint32_t id;
	uint32_t shift;
	uint64_t size;
};

struct fz_map {
	char *addr;
	uint64_t len;
	uint64_t page;
};

/**
 * struct fz_setup - what the supervisor knows
 * @family: number of the netlink family
 * @groups: of the netlink groups, 0 when unknown
 */
struct fz_setup {
	uint16_t family;
	uint32_t groups[2];
};

/**
 * struct fz_run - handles of a program; both threads use them, without a lock
 * @pair: a pair of sockets that descriptors are sent through
 * @two: there are two threads
 * @child: this is a child that the program made
 * @scratch: memory for structures; the page behind it is not accessible, the one
 *	before it only readable
 */
struct fz_run {
	const struct fz_setup *setup;
	struct fz_shared *sh;
	int dev;
	struct fz_buf buf[FZ_BUFS];
	struct fz_map map[FZ_MAPS];
	int sock[FZ_SOCKS];
	int pair[2];
	int pipe[2];
	int file;
	pid_t children[FZ_CHILDREN];
	bool two;
	bool child;
	char *scratch;
};

/** struct fz_call - a row of the table; @run returns as a system call, -errno */
struct fz_call {
	const char *name;
	long (*run)(struct fz_run *r, struct fz_cur *c);
};

extern const struct fz_call fz_calls[];
unsigned int fz_nr_calls(void);

/** fz_program - run it to its end, in the process of its own that this is */
void fz_program(const struct fz_input *in, const struct fz_setup *setup,
		struct fz_shared *sh);

/** fz_broken - the module has done what it must not; does not return */
void fz_broken(struct fz_run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* ---- for actors ---- */

/** fz_ret - what a system call returned, with -1 replaced by the errno, negative */
static inline long fz_ret(long ret)
{
	return ret == -1 ? -errno : ret;
}

struct fz_buf *fz_buf(struct fz_run *r, struct fz_cur *c);
struct fz_map *fz_map(struct fz_run *r, struct fz_cur *c);

/** fz_learn - what buffer its descriptor is of, if it is of one */
void fz_learn(struct fz_buf *b);

/** fz_room - memory for @size bytes, placed as the record says */
void *fz_room(struct fz_run *r, struct fz_cur *c, size_t size);

/** fz_touch - read or write a byte of memory that may not be there */
int fz_touch(volatile char *at, bool write);

/* ioctl.c */
long fz_alloc(struct fz_run *r, struct fz_cur *c);
long fz_fresh(struct fz_run *r, struct fz_cur *c);
long fz_caps(struct fz_run *r, struct fz_cur *c);
long fz_open(struct fz_run *r, struct fz_cur *c);
long fz_free(struct fz_run *r, struct fz_cur *c);
long fz_info(struct fz_run *r, struct fz_cur *c);
long fz_populate(struct fz_run *r, struct fz_cur *c);
long fz_raw_ioctl(struct fz_run *r, struct fz_cur *c);

/* map.c */
long fz_mmap(struct fz_run *r, struct fz_cur *c);
long fz_munmap(struct fz_run *r, struct fz_cur *c);
long fz_mremap(struct fz_run *r, struct fz_cur *c);
long fz_mprotect(struct fz_run *r, struct fz_cur *c);
long fz_madvise(struct fz_run *r, struct fz_cur *c);
long fz_mlock(struct fz_run *r, struct fz_cur *c);
long fz_access(struct fz_run *r, struct fz_cur *c);
long fz_policy(struct fz_run *r, struct fz_cur *c);
long fz_uffd(struct fz_run *r, struct fz_cur *c);

/* reach.c */
long fz_copy(struct fz_run *r, struct fz_cur *c);
long fz_proc(struct fz_run *r, struct fz_cur *c);
long fz_splice(struct fz_run *r, struct fz_cur *c);

/* handle.c */
long fz_close(struct fz_run *r, struct fz_cur *c);
long fz_dup(struct fz_run *r, struct fz_cur *c);
long fz_pass(struct fz_run *r, struct fz_cur *c);
long fz_file(struct fz_run *r, struct fz_cur *c);

/* task.c */
long fz_fork(struct fz_run *r, struct fz_cur *c);
long fz_kill(struct fz_run *r, struct fz_cur *c);
long fz_limit(struct fz_run *r, struct fz_cur *c);
long fz_who(struct fz_run *r, struct fz_cur *c);
long fz_thp(struct fz_run *r, struct fz_cur *c);
long fz_param(struct fz_run *r, struct fz_cur *c);

/* netlink.c */
long fz_netlink(struct fz_run *r, struct fz_cur *c);
long fz_netlink_bad(struct fz_run *r, struct fz_cur *c);
long fz_netlink_socket(struct fz_run *r, struct fz_cur *c);

/** fz_resolve - the numbers of family and groups; false when there is no family */
bool fz_resolve(struct fz_setup *setup);

#endif
