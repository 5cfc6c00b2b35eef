/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stress program: workers and disturbers, which are processes of their own and
 * may be killed at any time, and what they leave in shared memory for the one that
 * checks the books at quiet points.
 */
#ifndef HPBUF_STRESS_H
#define HPBUF_STRESS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <libhpbuf.h>

#define SZ_4K		(4UL << 10)
#define SZ_2M		(2UL << 20)
#define SZ_1G		(1UL << 30)

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* What is counted; op_names in shared.c has the names. */
enum op {
	OP_ALLOC_2M, OP_ALLOC_1G, OP_CLOSE, OP_PERSIST, OP_OPEN, OP_FREE, OP_INFO, OP_LIST,
	OP_MAP, OP_TOUCH, OP_UNMAP, OP_PROTECT, OP_REMAP, OP_POPULATE, OP_ADVISE, OP_FORK,
	OP_WALK, OP_PROC, OP_READV, OP_PIN, OP_UNPIN, OP_KILL, OP_WORKER,
	OP_HOG, OP_HOG_GROUP, OP_COMPACT, OP_DROP, OP_THP, OP_MIGRATE, OP_READERS,
	OP_OFFLINE, OP_ONLINE, OP_CPU, OP_POOL, OP_LIMITS, OP_TRACE, OP_LISTEN, OP_UNLOAD,
	OP_FREEZE, OP_POISON,
	OP_NR
};

#define ERRNO_NR	160
#define PERSIST_NR	24
#define WORKERS_MAX	32
#define WRONG_NR	16
#define WRONG_LEN	240

struct op_count {
	atomic_ulong done;
	atomic_ulong failed[ERRNO_NR];
};

/*
 * struct shared - what all processes see
 * @stop: disturbers end
 * @seed: of the run
 * @poison: pages are poisoned; SIGBUS is no fault then
 * @poisoned: so many were
 * @worker: the workers' process ids, 0 where there is none
 * @persist: ids of persistent buffers that are stamped all over; whoever changes one
 *	to 0 frees it
 * @nr_wrong, @wrong: what must not be; the first ones in words
 */
struct shared {
	atomic_bool stop;
	uint64_t seed;
	bool poison;
	atomic_uint poisoned;
	atomic_int worker[WORKERS_MAX];
	atomic_uint persist[PERSIST_NR];
	struct op_count op[OP_NR];
	atomic_uint nr_wrong;
	char wrong[WRONG_NR][WRONG_LEN];
};

extern struct shared *shared;

int shared_make(void);
const char *op_name(enum op op);

/* Something that must not be: the round fails. */
__attribute__((format(printf, 1, 2)))
void wrong(const char *fmt, ...);

/* Print what was wrong since the last time. Returns how much it was. */
unsigned int wrong_print(void);

/*
 * Count what came of @op: @ret is negative with an errno. One that is not among @may,
 * a list that ends with 0, is wrong; ENOMEM always may be. Returns @ret.
 */
long op_ended(enum op op, long ret, const int *may);

/* As it comes: any errno may be. */
long op_counted(enum op op, long ret);

void op_summary(void);

/* ---- chance ---- */

struct rng {
	uint64_t state;
};

struct rng rng_make(uint64_t a, uint64_t b, uint64_t c);
uint64_t rng_next(struct rng *r);

/* Less than @n. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}

/* One time out of @n. */
static inline bool rng_one_in(struct rng *r, uint64_t n)
{
	return !rng_below(r, n);
}

/* ---- contents: each 4 KiB says whose it is and where ---- */

void stamp_write(volatile unsigned char *p, size_t len, uint64_t off, uint32_t id);

/* -1, or the offset in @p of the first word that is another's. */
long stamp_check(const volatile unsigned char *p, size_t len, uint64_t off, uint32_t id);

/* -1 when every @stride-th word is zero, else the offset of one that is not. */
long stamp_nonzero(const volatile unsigned char *p, size_t len, size_t stride);

/* ---- files ---- */

/* 0 or -errno; the text is cut to @size. */
int text_read(const char *path, char *buf, size_t size);
int text_write(const char *path, const char *text);
long number_read(const char *path, long dflt);

void pause_ms(unsigned int ms);
uint64_t now_ms(void);

/* HPBUF_TIMEOUT_SCALE, at least 1. */
unsigned int time_scale(void);

#endif
