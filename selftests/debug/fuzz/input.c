// SPDX-License-Identifier: GPL-2.0-only
#include "input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

uint8_t fz_u8(struct fz_cur *c)
{
	if (!c->left)
		return 0;
	c->left--;
	return *c->at++;
}

uint16_t fz_u16(struct fz_cur *c)
{
	return fz_u8(c) | fz_u8(c) << 8;
}

uint32_t fz_u32(struct fz_cur *c)
{
	uint32_t low = fz_u16(c);

	return low | (uint32_t)fz_u16(c) << 16;
}

uint64_t fz_u64(struct fz_cur *c)
{
	uint64_t low = fz_u32(c);

	return low | (uint64_t)fz_u32(c) << 32;
}

uint64_t fz_pick(struct fz_cur *c, const uint64_t *table, unsigned int nr)
{
	uint8_t which = fz_u8(c);

	return which < 0xc0 ? table[which % nr] : fz_u64(c);
}

unsigned int fz_one(struct fz_cur *c, unsigned int nr)
{
	return fz_u8(c) % nr;
}

/* ---- chance ---- */

/* A counter, and its bits well mixed (splitmix64). */
uint64_t fz_rand(struct fz_rand *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

unsigned int fz_below(struct fz_rand *r, unsigned int nr)
{
	return fz_rand(r) % nr;
}

/* ---- making programs ---- */

/* Mostly the sensible zero, or nearly all calls would end at their first check. */
static void random_record(uint8_t *rec, struct fz_rand *r)
{
	unsigned int zeros = fz_below(r, 4), i;

	rec[0] = fz_rand(r) & ~FZ_OTHER_THREAD;
	if (!fz_below(r, 8))
		rec[0] |= FZ_OTHER_THREAD;
	for (i = 1; i < FZ_REC; i++)
		rec[i] = fz_below(r, 4) < zeros ? 0 : fz_rand(r);
}

void fz_random(struct fz_input *in, struct fz_rand *r)
{
	unsigned int i;

	memset(in, 0, sizeof(*in));
	in->nr = 2 + fz_below(r, FZ_RECS - 1);
	for (i = 0; i < in->nr; i++)
		random_record(in->rec[i], r);
	/* Little happens without a buffer: calls 0 and 1 make and map one. */
	if (fz_below(r, 4)) {
		memset(in->rec[0], 0, FZ_REC);
		memset(in->rec[1], 0, FZ_REC);
		in->rec[1][0] = 1;
	}
}

void fz_drop(struct fz_input *in, unsigned int at)
{
	memmove(in->rec[at], in->rec[at + 1], (in->nr - at - 1) * FZ_REC);
	in->nr--;
	memset(in->rec[in->nr], 0, FZ_REC);
}

/* Room at @at, which still holds what was there. */
static bool make_room(struct fz_input *in, unsigned int at)
{
	if (in->nr == FZ_RECS)
		return false;
	memmove(in->rec[at + 1], in->rec[at], (in->nr - at) * FZ_REC);
	in->nr++;
	return true;
}

static void splice(struct fz_input *in, const struct fz_input *other, struct fz_rand *r)
{
	unsigned int from = fz_below(r, other->nr);
	unsigned int to = 1 + fz_below(r, in->nr);

	while (to < FZ_RECS && from < other->nr)
		memcpy(in->rec[to++], other->rec[from++], FZ_REC);
	if (to > in->nr)
		in->nr = to;
}

static void swap(uint8_t *a, uint8_t *b)
{
	uint8_t keep[FZ_REC];

	memcpy(keep, a, FZ_REC);
	memcpy(a, b, FZ_REC);
	memcpy(b, keep, FZ_REC);
}

static void mutate_records(struct fz_input *in, const struct fz_input *other, struct fz_rand *r)
{
	unsigned int at = fz_below(r, in->nr);

	switch (fz_below(r, 6)) {
	case 0:
		if (make_room(in, at))
			random_record(in->rec[at], r);
		break;
	case 1:
		if (make_room(in, at))
			memcpy(in->rec[at], in->rec[fz_below(r, in->nr)], FZ_REC);
		break;
	case 2:
		if (in->nr > 1)
			fz_drop(in, at);
		break;
	case 3:
		swap(in->rec[at], in->rec[fz_below(r, in->nr)]);
		break;
	case 4:
		splice(in, other, r);
		break;
	case 5:
		if (make_room(in, at))
			memcpy(in->rec[at], other->rec[fz_below(r, other->nr)], FZ_REC);
		break;
	}
}

static void mutate_bytes(struct fz_input *in, struct fz_rand *r)
{
	uint8_t *rec = in->rec[fz_below(r, in->nr)];
	/* The first arguments count most. */
	unsigned int at = 1 + fz_below(r, fz_below(r, 2) ? 6 : FZ_REC - 1);

	switch (fz_below(r, 6)) {
	case 0:
		rec[at] = fz_rand(r);
		break;
	case 1:
		rec[at] ^= 1 << fz_below(r, 8);
		break;
	case 2:
		rec[at] += fz_below(r, 2) ? 1 : -1;
		break;
	case 3:
		rec[at] = 0;
		break;
	case 4:
		rec[0] ^= FZ_OTHER_THREAD;
		break;
	case 5:
		rec[0] = fz_rand(r) & ~FZ_OTHER_THREAD;
		break;
	}
}

void fz_mutate(struct fz_input *in, const struct fz_input *other, struct fz_rand *r)
{
	unsigned int times = 1 + fz_below(r, 6);

	while (times--) {
		if (fz_below(r, 3))
			mutate_bytes(in, r);
		else
			mutate_records(in, other, r);
	}
}

bool fz_same(const struct fz_input *a, const struct fz_input *b)
{
	return a->nr == b->nr && !memcmp(a->rec, b->rec, a->nr * FZ_REC);
}

/* ---- files ---- */

bool fz_load(struct fz_input *in, const char *path)
{
	FILE *f = fopen(path, "rbe");
	size_t len;

	memset(in, 0, sizeof(*in));
	if (!f)
		return false;
	len = fread(in->rec, 1, sizeof(in->rec), f);
	fclose(f);
	in->nr = (len + FZ_REC - 1) / FZ_REC;
	return in->nr;
}

size_t fz_pack(const struct fz_input *in, const uint8_t **bytes)
{
	size_t len = in->nr * FZ_REC;

	*bytes = in->rec[0];
	/* The byte that says which call the last one is stays. */
	while (len > (in->nr - 1) * FZ_REC + 1 && !(*bytes)[len - 1])
		len--;
	return len;
}

int fz_save(const struct fz_input *in, const char *path)
{
	const uint8_t *bytes;
	size_t len = fz_pack(in, &bytes);
	FILE *f = fopen(path, "wbe");
	int ret = 0;

	if (!f)
		return -errno;
	if (fwrite(bytes, 1, len, f) != len)
		ret = -EIO;
	if (fclose(f))
		ret = -EIO;
	return ret;
}
