// SPDX-License-Identifier: GPL-2.0-only
/* What include/uapi/linux/hpbuf.h describes, and numbers that it does not. */
#include "run.h"

#include <linux/hpbuf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB	(1ULL << 20)
#define GIB	(1ULL << 30)

static const uint64_t some_bytes[] = {
	2 * MIB, 1, 4 * MIB, 2 * MIB + 1, 8 * MIB, 2 * MIB - 1, 32 * MIB, GIB, 0, 2 * GIB,
	GIB + 1, 1ULL << 40, INT64_MAX, INT64_MAX - 2 * MIB + 1, INT64_MAX - 2 * MIB + 2,
	UINT64_MAX, 1ULL << 63, 1ULL << 32,
};

static const uint64_t some_shifts[] = {
	21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 30, 21, 21, 21, 0, 12, 22, 63, 64,
};

/* Mostly nothing where nothing belongs. */
static uint64_t take_nothing(struct fz_cur *c)
{
	uint8_t what = fz_u8(c);

	return what < 0xf0 ? 0 : what == 0xff ? UINT64_MAX : what;
}

static const char * const some_names[] = {
	"", "", "", "", "a", "b", "fuzz.1", "fuzz-2_x", "1", "0123456789", "a/b", ".", "a\n",
	"abcdefghijklmnopqrstuvwxyz01234", "abcdefghijklmnopqrstuvwxyz012345", "\xff", " a",
};

static void take_name(struct fz_cur *c, char name[HPBUF_NAME_LEN])
{
	uint8_t which = fz_u8(c);
	const char *text = some_names[which % (sizeof(some_names) / sizeof(some_names[0]))];
	unsigned int i;

	memcpy(name, text, strnlen(text, HPBUF_NAME_LEN));
	/* a byte anywhere, also behind the end of the name */
	if (which >= 0xf0) {
		i = fz_one(c, HPBUF_NAME_LEN);
		name[i] = fz_u8(c);
	}
}

/* The errnos that the contract allows, and those that every call may meet. */
static const int of_all[] = { EINVAL, E2BIG, EFAULT, ENOMEM, EBADF, ENOTTY, 0 };
static const int of_caps[] = { 0 };
static const int of_alloc[] = {
	EOVERFLOW, EOPNOTSUPP, ENXIO, EEXIST, ENOSPC, EDQUOT, EBUSY, ETIMEDOUT, EINTR,
	EMFILE, ENFILE, 0,
};
static const int of_open[] = { ENOENT, EACCES, EMFILE, ENFILE, 0 };
static const int of_free[] = { ENOENT, EACCES, 0 };
static const int of_info[] = { EINTR, 0 };

static bool in_list(const int *list, long err)
{
	while (*list)
		if (*list++ == -err)
			return true;
	return false;
}

/*
 * The call with @size bytes of @from, which lie where the record says; the answer goes
 * back to @from. Records may also change the size that the number speaks of.
 */
static long call(struct fz_run *r, struct fz_cur *c, int fd, unsigned int cmd, void *from,
		 const int *allowed)
{
	static const int more[] = { 8, -8, -4, 1, 64, 4000, -32, -160 };
	unsigned int size = _IOC_SIZE(cmd), full = size;
	uint8_t which = fz_u8(c);
	char *at;
	long ret;

	if (which >= 0xd0)
		size += more[which % 8];
	if (size > 8000)	/* below 0 */
		size = 0;
	at = fz_room(r, c, size);
	if (at == r->scratch || at == r->scratch + FZ_SCRATCH / 2 ||
	    at == r->scratch + FZ_SCRATCH - size) {
		memset(at, fz_u8(c) < 0xf0 ? 0 : 0xff, size);
		memcpy(at, from, size < full ? size : full);
	}
	ret = fz_ret(ioctl(fd, _IOC(_IOC_DIR(cmd), _IOC_TYPE(cmd), _IOC_NR(cmd), size), at));
	if (ret < 0 && !in_list(of_all, ret) && !in_list(allowed, ret))
		fz_broken(r, "ioctl %#x of %u bytes: errno %ld is not in the contract", cmd, size,
			  -ret);
	if (ret >= 0 && at >= r->scratch && at + size <= r->scratch + FZ_SCRATCH)
		memcpy(from, at, size < full ? size : full);
	return ret;
}

static void keep(struct fz_run *r, struct fz_cur *c, int fd, uint32_t id, uint32_t shift,
		 uint64_t size)
{
	struct fz_buf *b = fz_buf(r, c);

	/* What was there is lost, as programs lose descriptors. */
	b->fd = fd;
	b->id = id;
	b->shift = shift;
	b->size = size;
}

/* A wrong node now and then; else none, or the first. */
static void take_nodes(struct fz_cur *c, __u64 nodes[HPBUF_NODE_WORDS])
{
	uint8_t which = fz_u8(c);

	if (which >= 0x60 && which < 0xc0)
		nodes[0] = 1;
	if (which >= 0xf0)
		nodes[fz_one(c, HPBUF_NODE_WORDS)] = 1ULL << fz_one(c, 64);
}

static void take_alloc(struct fz_cur *c, struct hpbuf_alloc *a)
{
	static const uint64_t flags[] = { 0, 0, 0, 0, HPBUF_ALLOC_PERSIST, HPBUF_ALLOC_PERSIST, 2 };
	static const uint64_t times[] = { 0, 1000, 100, 10, 1, 5000, 0 };

	memset(a, 0, sizeof(*a));
	a->bytes = FZ_PICK(c, some_bytes);
	a->page_shift = FZ_PICK(c, some_shifts);
	a->flags = FZ_PICK(c, flags);
	a->timeout_ms = times[fz_one(c, 7)];
	take_nodes(c, a->nodes);
	take_name(c, a->name);
	a->fd = take_nothing(c);
	a->id = take_nothing(c);
	a->size = take_nothing(c);
	a->reserved = take_nothing(c);
}

long fz_alloc(struct fz_run *r, struct fz_cur *c)
{
	struct hpbuf_alloc a;
	struct fz_cur slot = { .at = c->at + c->left - 1, .left = c->left ? 1 : 0 };
	long ret;

	take_alloc(c, &a);
	ret = call(r, c, r->dev, HPBUF_IOC_ALLOC, &a, of_alloc);
	if (ret >= 0)
		keep(r, &slot, a.fd, a.id, a.page_shift, a.size);
	return ret;
}

/* Is it zero when it is handed out? Then it is written, for those that come after. */
long fz_fresh(struct fz_run *r, struct fz_cur *c)
{
	struct hpbuf_alloc a = { .page_shift = HPBUF_SHIFT_2M };
	uint64_t *p, i, words;
	long ret;

	a.bytes = (1 + fz_one(c, 4)) << HPBUF_SHIFT_2M;
	ret = fz_ret(ioctl(r->dev, HPBUF_IOC_ALLOC, &a));
	if (ret < 0)
		return ret;
	words = a.bytes / sizeof(*p);
	/* Another thread may write to a place that was its mapping once. */
	p = r->two ? MAP_FAILED : mmap(NULL, a.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, a.fd, 0);
	if (p != MAP_FAILED) {
		for (i = fz_u8(c); i < words; i += 512) {
			if (p[i])
				fz_broken(r, "word %llu of a new buffer is not zero",
					  (unsigned long long)i);
			p[i] = ~0ULL;
		}
		munmap(p, a.bytes);
	}
	close(a.fd);
	return 0;
}

long fz_caps(struct fz_run *r, struct fz_cur *c)
{
	struct hpbuf_caps caps = { .uapi_version = take_nothing(c) };

	caps.floor_bytes = take_nothing(c);
	return call(r, c, r->dev, HPBUF_IOC_CAPS, &caps, of_caps);
}

/* An id that there is, or one beside it. */
static uint32_t take_id(struct fz_run *r, struct fz_cur *c)
{
	static const uint64_t others[] = { 0, 0, 0, 0, 0, 0, 0, 1, UINT32_MAX, 0x80000000 };
	uint32_t id = fz_buf(r, c)->id;

	return id + FZ_PICK(c, others);
}

void fz_learn(struct fz_buf *b)
{
	struct hpbuf_info i;

	memset(&i, 0, sizeof(i));
	b->shift = 0;
	if (ioctl(b->fd, HPBUF_IOC_INFO, &i))
		return;
	b->id = i.id;
	b->shift = i.page_shift;
	b->size = i.size;
}

long fz_open(struct fz_run *r, struct fz_cur *c)
{
	static const uint64_t flags[] = { 0, 0, 0, HPBUF_OPEN_RDONLY, 2, UINT32_MAX };
	struct hpbuf_open o = { 0 };
	struct fz_buf *b = fz_buf(r, c);
	long ret;

	o.flags = FZ_PICK(c, flags);
	if (fz_u8(c) < 0xc0)
		o.id = b->id;
	else
		take_name(c, o.name);
	o.id += take_nothing(c);
	o.fd = take_nothing(c);
	o.reserved = take_nothing(c);
	ret = call(r, c, r->dev, HPBUF_IOC_OPEN, &o, of_open);
	if (ret >= 0) {
		b = fz_buf(r, c);
		b->fd = o.fd;
		fz_learn(b);
	}
	return ret;
}

long fz_free(struct fz_run *r, struct fz_cur *c)
{
	struct hpbuf_free f = { .id = take_id(r, c) };

	f.reserved = take_nothing(c);
	f.busy = take_nothing(c);
	f.free_ns = take_nothing(c);
	return call(r, c, r->dev, HPBUF_IOC_FREE, &f, of_free);
}

long fz_info(struct fz_run *r, struct fz_cur *c)
{
	int fd = fz_buf(r, c)->fd;
	struct hpbuf_info i;

	memset(&i, 0, sizeof(i));
	i.size = take_nothing(c);
	return call(r, c, fd, HPBUF_IOC_INFO, &i, of_info);
}

/* Without a record's say in where the answer goes, so that it can be judged. */
static void judge_info(struct fz_run *r, int fd)
{
	struct hpbuf_info i;

	memset(&i, 0, sizeof(i));
	if (ioctl(fd, HPBUF_IOC_INFO, &i))
		return;
	if (i.leaf_bytes_pte)
		fz_broken(r, "%llu bytes of a buffer are mapped by 4 KiB leaves",
			  (unsigned long long)i.leaf_bytes_pte);
	if (!i.size || i.size & ((1ULL << i.page_shift) - 1) || i.asked > i.size)
		fz_broken(r, "a buffer of %llu bytes, %llu of them asked for",
			  (unsigned long long)i.size, (unsigned long long)i.asked);
}

long fz_populate(struct fz_run *r, struct fz_cur *c)
{
	const struct fz_map *m = fz_map(r, c);
	static const uint64_t off[] = { 0, 0, 0, 0, 2 * MIB, GIB, 4096, 0 - 2 * MIB };
	struct hpbuf_populate p = { .addr = (uintptr_t)m->addr, .len = m->len };
	int fd = fz_buf(r, c)->fd;
	long ret;

	p.addr += FZ_PICK(c, off);
	p.len += FZ_PICK(c, off);
	p.flags = take_nothing(c);
	p.reserved = take_nothing(c);
	p.done = take_nothing(c);
	ret = call(r, c, fd, HPBUF_IOC_POPULATE, &p, of_info);
	judge_info(r, fd);
	return ret;
}

long fz_raw_ioctl(struct fz_run *r, struct fz_cur *c)
{
	int fd = fz_u8(c) & 1 ? fz_buf(r, c)->fd : r->dev;
	unsigned int dir = fz_one(c, 4), nr = fz_one(c, 0x14), size = fz_u16(c) & 0x3fff;
	uint64_t type = fz_u8(c);
	char *at;

	/* Those of files themselves take descriptors and more; only ours and nobody's. */
	type = type < 0xc0 ? HPBUF_IOC_MAGIC : 0xbc;
	at = fz_room(r, c, size);
	if (at >= r->scratch && at + 8 <= r->scratch + FZ_SCRATCH)
		memset(at, fz_u8(c), 8);
	return fz_ret(ioctl(fd, _IOC(dir, type, nr, size), at));
}
