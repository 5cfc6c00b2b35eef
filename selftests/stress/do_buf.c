// SPDX-License-Identifier: GPL-2.0-only
/* What a worker does with buffers: making, finding, sharing, giving back. */
#include "worker.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int alloc_may[] = { EBUSY, ENOSPC, ETIMEDOUT, 0 };
static const int open_may[] = { ENOENT, 0 };

/* All of the mapping is zero, as promised. */
static void check_zero(const unsigned char *p, const struct slot *s)
{
	long at = stamp_nonzero(p, s->size, s->shift == HPBUF_SHIFT_1G ? 512 : 8);

	if (at >= 0)
		wrong("a new buffer of %llu bytes holds data at %#lx",
		      (unsigned long long)s->size, at);
}

/* See that a new buffer is zero, and stamp it. */
static int slot_stamp(struct slot *s)
{
	unsigned char *p = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);

	op_ended(OP_MAP, p == MAP_FAILED ? -errno : 0, NULL);
	if (p == MAP_FAILED)
		return -1;
	check_zero(p, s);
	stamp_write(p, s->size, 0, s->id);
	s->stamped = true;
	op_ended(OP_UNMAP, munmap(p, s->size) ? -errno : 0, NULL);
	return 0;
}

static void alloc_wish(struct actor *a, struct hpbuf_alloc *req)
{
	memset(req, 0, sizeof(*req));
	req->page_shift = HPBUF_SHIFT_2M;
	req->bytes = (1 + rng_below(&a->rng, 8)) * SZ_2M;
	if (rng_one_in(&a->rng, 12))
		req->bytes = (1 + rng_below(&a->rng, 64)) * SZ_2M;
	if ((a->caps.page_shifts & SZ_1G) && rng_one_in(&a->rng, 24)) {
		req->page_shift = HPBUF_SHIFT_1G;
		req->bytes = SZ_1G;
	}
	/* a part of a page is a page */
	req->bytes -= rng_below(&a->rng, 2) * 4095;
	if (rng_one_in(&a->rng, 3))
		req->timeout_ms = 1 + rng_below(&a->rng, 3000);
	if (rng_one_in(&a->rng, 4))
		req->nodes[0] = 1ULL << rng_below(&a->rng, 2);
}

/* Which error is right depends on the machine: a second node may not be there. */
static int alloc_one(struct actor *a, struct hpbuf_alloc *req)
{
	enum op op = req->page_shift == HPBUF_SHIFT_1G ? OP_ALLOC_1G : OP_ALLOC_2M;
	int ret = hpbuf_alloc(a->dev, req);

	if (ret == -ENXIO && req->nodes[0] > 1)
		return op_counted(op, ret);
	return op_ended(op, ret, alloc_may);
}

static void slot_fill(struct slot *s, const struct hpbuf_alloc *req)
{
	*s = (struct slot){ .fd = req->fd, .id = req->id, .shift = req->page_shift,
			    .size = req->size };
	if (req->size != (req->bytes + slot_page(s) - 1) / slot_page(s) * slot_page(s))
		wrong("asked for %llu bytes, given %llu", (unsigned long long)req->bytes,
		      (unsigned long long)req->size);
}

static struct slot *slot_empty(struct actor *a)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		if (a->slot[i].fd < 0)
			return &a->slot[i];
	return NULL;
}

void do_alloc(struct actor *a)
{
	struct slot *s = slot_empty(a);
	struct hpbuf_alloc req;

	if (!s)
		return;
	alloc_wish(a, &req);
	if (alloc_one(a, &req) < 0)
		return;
	slot_fill(s, &req);
	/* some are freed as they came */
	if (!rng_one_in(&a->rng, 4))
		slot_stamp(s);
}

/* A place in the table for @id; false when it is full. */
static bool persist_enter(uint32_t id)
{
	unsigned int none;
	int i;

	for (i = 0; i < PERSIST_NR; i++) {
		none = 0;
		if (atomic_compare_exchange_strong(&shared->persist[i], &none, id))
			return true;
	}
	return false;
}

void do_persist(struct actor *a)
{
	struct hpbuf_alloc req;
	struct slot s;

	alloc_wish(a, &req);
	if (req.bytes > 16 * SZ_2M)
		return;
	req.flags = HPBUF_ALLOC_PERSIST;
	snprintf(req.name, sizeof(req.name), "stress-%d-%llx", getpid(),
		 (unsigned long long)rng_next(&a->rng) & 0xffffff);
	if (op_ended(OP_PERSIST, alloc_one(a, &req), alloc_may) < 0)
		return;
	slot_fill(&s, &req);
	if (slot_stamp(&s) || !persist_enter(s.id))
		op_ended(OP_FREE, hpbuf_free_id(a->dev, s.id, NULL), NULL);
	op_ended(OP_CLOSE, close(s.fd) ? -errno : 0, NULL);
}

void do_close(struct actor *a)
{
	struct slot *s = slot_any(a);

	if (s)
		slot_close(a, s);
}

static void read_other(struct actor *a, int fd, uint32_t id)
{
	const int writable = rng_below(&a->rng, 2) ? PROT_WRITE : 0;
	struct hpbuf_info info;
	const unsigned char *p;
	uint64_t page, off;
	long at;

	if (op_ended(OP_INFO, hpbuf_info(fd, &info), NULL) < 0)
		return;
	if (info.id != id)
		wrong("opened buffer %u, INFO says %u", id, info.id);
	page = 1ULL << info.page_shift;
	off = rng_below(&a->rng, info.size / page) * page;
	p = mmap(NULL, page, PROT_READ | writable, MAP_SHARED, fd, off);
	if (writable) {
		if (p != MAP_FAILED)
			wrong("mapped writable by a read-only descriptor");
		return;
	}
	op_ended(OP_MAP, p == MAP_FAILED ? -errno : 0, NULL);
	if (p == MAP_FAILED)
		return;
	at = stamp_check(p, page, off, id);
	if (at >= 0)
		wrong("buffer %u of somebody else: foreign at %#llx", id,
		      (unsigned long long)off + at);
	op_ended(OP_UNMAP, munmap((void *)p, page) ? -errno : 0, NULL);
}

void do_open(struct actor *a)
{
	uint32_t id = shared->persist[rng_below(&a->rng, PERSIST_NR)];
	int fd;

	if (!id)
		return;
	fd = op_ended(OP_OPEN, hpbuf_open_id(a->dev, id, true), open_may);
	if (fd < 0)
		return;
	read_other(a, fd, id);
	close(fd);
}

void do_free(struct actor *a)
{
	uint32_t id = atomic_exchange(&shared->persist[rng_below(&a->rng, PERSIST_NR)], 0);

	if (id)
		op_ended(OP_FREE, hpbuf_free_id(a->dev, id, NULL), NULL);
}

void do_info(struct actor *a)
{
	struct slot *s = slot_any(a);
	struct hpbuf_info info;

	if (!s || op_ended(OP_INFO, hpbuf_info(s->fd, &info), NULL) < 0)
		return;
	if (info.id != s->id || info.size != s->size || info.page_shift != s->shift)
		wrong("INFO of buffer %u: id %u, %llu bytes, 2^%u", s->id, info.id,
		      (unsigned long long)info.size, info.page_shift);
	if (info.leaf_bytes_pte)
		wrong("buffer %u is mapped by 4 KiB leaves", s->id);
}

static int list_one(const struct hpbuf_nl_buf *b, void *arg)
{
	if (!b->id || !b->size || b->size % (1ULL << b->page_shift))
		wrong("the list has a buffer %u of %llu bytes", b->id,
		      (unsigned long long)b->size);
	return 0;
}

void do_list(struct actor *a)
{
	static const int may[] = { EINTR, EAGAIN, 0 };

	op_ended(OP_LIST, hpbuf_nl_bufs(a->nl, list_one, NULL), may);
}
