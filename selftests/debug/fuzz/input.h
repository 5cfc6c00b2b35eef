/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program of calls as bytes: records of a fixed size, each one call.
 *
 * Byte 0 of a record is the call; its highest bit gives it to the second thread. The
 * rest are the arguments, taken one after the other by the actor of that call; what is
 * not there is zero, and zero always means something sensible. So every byte string is
 * a program, and records can be moved and put together at will.
 */
#ifndef HPBUF_FUZZ_INPUT_H
#define HPBUF_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FZ_REC		32
#define FZ_RECS		24
#define FZ_OTHER_THREAD	0x80

struct fz_input {
	uint32_t nr;
	uint8_t rec[FZ_RECS][FZ_REC];
};

/** struct fz_cur - where the arguments of a record are read */
struct fz_cur {
	const uint8_t *at;
	unsigned int left;
};

uint8_t fz_u8(struct fz_cur *c);
uint16_t fz_u16(struct fz_cur *c);
uint32_t fz_u32(struct fz_cur *c);
uint64_t fz_u64(struct fz_cur *c);

/** fz_pick - one of @nr values; or, for the last quarter of selectors, any 64 bits */
uint64_t fz_pick(struct fz_cur *c, const uint64_t *table, unsigned int nr);
#define FZ_PICK(c, table)	fz_pick(c, table, sizeof(table) / sizeof((table)[0]))

/** fz_one - one of @nr, never another */
unsigned int fz_one(struct fz_cur *c, unsigned int nr);

/* ---- chance: the same for the same seed ---- */

struct fz_rand {
	uint64_t state;
};

uint64_t fz_rand(struct fz_rand *r);
unsigned int fz_below(struct fz_rand *r, unsigned int nr);

/* ---- making programs ---- */

void fz_random(struct fz_input *in, struct fz_rand *r);

/** fz_mutate - change @in; @other gives its end now and then */
void fz_mutate(struct fz_input *in, const struct fz_input *other, struct fz_rand *r);

void fz_drop(struct fz_input *in, unsigned int at);
bool fz_same(const struct fz_input *a, const struct fz_input *b);

/** fz_load, fz_save - a file of whole records, zeros at its end left out */
bool fz_load(struct fz_input *in, const char *path);
int fz_save(const struct fz_input *in, const char *path);

/** fz_pack - its bytes without the zeros at the end; how many they are */
size_t fz_pack(const struct fz_input *in, const uint8_t **bytes);

#endif
