// SPDX-License-Identifier: GPL-2.0-only
#include "books.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "module.h"

/* Last references, pins and zeroing come to their end within this. */
#define WAIT_MS		(30000u * time_scale())

/*
 * What the kernel itself may have taken for things that are in no counter: a few MiB
 * for hundreds of processes, groups and CPUs that came and went. What is lost in each
 * round adds up.
 */
#define SLACK		(24L << 20)

#define POOLS_MAX	64

/* struct sums - of one answer of the module to each question */
struct sums {
	unsigned int nr_pools;
	struct hpbuf_nl_pool pool[POOLS_MAX];
	uint64_t in_bufs[POOLS_MAX];	/* pages in the buffers of the list, by pool */
	unsigned int bufs, held;	/* buffers, and of them those that somebody uses */
	uint32_t odd;			/* one that nobody can have made for long */
};

int books_open(struct books *b)
{
	b->dev = hpbuf_open_device(NULL, NULL);
	if (b->dev < 0)
		return b->dev;
	return hpbuf_nl_open(&b->nl);
}

void books_close(struct books *b)
{
	hpbuf_nl_close(b->nl);
	close(b->dev);
	b->nl = NULL;
	b->dev = -1;
}

/* ---- persistent buffers ---- */

static bool in_table(uint32_t id)
{
	int i;

	for (i = 0; i < PERSIST_NR; i++)
		if (shared->persist[i] == id)
			return true;
	return false;
}

struct orphans {
	unsigned int nr;
	uint32_t id[1024];
};

static int find_orphan(const struct hpbuf_nl_buf *buf, void *arg)
{
	struct orphans *o = arg;

	if (buf->persist && !in_table(buf->id) && o->nr < NR(o->id))
		o->id[o->nr++] = buf->id;
	return 0;
}

/* Their makers were killed before they could enter them, or free them. */
static void free_orphans(struct books *b)
{
	struct orphans *o = calloc(1, sizeof(*o));
	unsigned int i;

	if (!o)
		return;
	op_ended(OP_LIST, hpbuf_nl_bufs(b->nl, find_orphan, o), NULL);
	for (i = 0; i < o->nr; i++)
		op_ended(OP_FREE, hpbuf_free_id(b->dev, o->id[i], NULL), NULL);
	free(o);
}

static void check_one(struct books *b, uint32_t id)
{
	int fd = op_ended(OP_OPEN, hpbuf_open_id(b->dev, id, true), NULL);
	struct hpbuf_info info;
	unsigned char *p;
	long at;

	if (fd < 0)
		return;
	if (hpbuf_info(fd, &info) || !(info.flags & HPBUF_INFO_PERSIST)) {
		wrong("persistent buffer %u is not what it was", id);
		goto out;
	}
	p = mmap(NULL, info.size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		wrong("persistent buffer %u cannot be mapped: %s", id, strerror(errno));
		goto out;
	}
	at = stamp_check(p, info.size, 0, id);
	if (at >= 0)
		wrong("persistent buffer %u: foreign at %#lx", id, at);
	munmap(p, info.size);
out:
	close(fd);
}

static void check_persistent(struct books *b)
{
	int i;

	for (i = 0; i < PERSIST_NR; i++)
		if (shared->persist[i])
			check_one(b, shared->persist[i]);
}

/* ---- sums ---- */

static int sum_pool(const struct hpbuf_nl_pool *pool, void *arg)
{
	struct sums *s = arg;

	if (s->nr_pools < POOLS_MAX)
		s->pool[s->nr_pools++] = *pool;
	return 0;
}

static int sum_buf(const struct hpbuf_nl_buf *buf, void *arg)
{
	struct sums *s = arg;
	unsigned int n, i;

	s->bufs++;
	s->held += buf->mappings || buf->opens;
	if (!buf->persist || !in_table(buf->id))
		s->odd = buf->id;
	for (n = 0; n < buf->nr_nodes; n++)
		for (i = 0; i < s->nr_pools; i++)
			if (s->pool[i].node == buf->nodes[n].node &&
			    s->pool[i].page_shift == buf->page_shift)
				s->in_bufs[i] += buf->nodes[n].pages;
	return 0;
}

static int sums_read(struct books *b, struct sums *s)
{
	int ret;

	memset(s, 0, sizeof(*s));
	ret = hpbuf_nl_pools(b->nl, sum_pool, s);
	return ret ? ret : hpbuf_nl_bufs(b->nl, sum_buf, s);
}

/* Pages that memory failure took out of use are in no list. */
static bool pages_match(uint64_t are, uint64_t should)
{
	return are == should || (are > should && are - should <= shared->poisoned);
}

static bool pool_adds_up(const struct sums *s, unsigned int i, char *why, size_t size)
{
	const struct hpbuf_nl_pool *p = &s->pool[i];

	if (!p->filling && !p->dirty && p->used == s->in_bufs[i] && p->lent <= p->used &&
	    pages_match(p->allocated - p->freed, p->used + p->ready + p->dirty))
		return true;
	snprintf(why, size, "node %u, 2^%u: %llu pages in buffers; used %llu lent %llu ready %llu dirty %llu%s, allocated - freed %lld",
		 p->node, p->page_shift, (unsigned long long)s->in_bufs[i],
		 (unsigned long long)p->used, (unsigned long long)p->lent,
		 (unsigned long long)p->ready, (unsigned long long)p->dirty,
		 p->filling ? " filling" : "", (long long)(p->allocated - p->freed));
	return false;
}

/* All that a settled module must say; @why not. */
static bool adds_up(const struct sums *s, char *why, size_t size)
{
	uint64_t bytes = 0;
	unsigned int i;

	if (s->odd || s->held) {
		snprintf(why, size, "%u buffers, %u of them in use; %u is nobody's", s->bufs,
			 s->held, s->odd);
		return false;
	}
	for (i = 0; i < s->nr_pools; i++) {
		if (!pool_adds_up(s, i, why, size))
			return false;
		bytes += (s->pool[i].used + s->pool[i].ready) << s->pool[i].page_shift;
	}
	if (!s->nr_pools || s->pool[0].used_bytes != bytes) {
		snprintf(why, size, "used_bytes is %llu, the pages are %llu",
			 s->nr_pools ? (unsigned long long)s->pool[0].used_bytes : 0,
			 (unsigned long long)bytes);
		return false;
	}
	return true;
}

static bool is_empty(const struct sums *s, char *why, size_t size)
{
	unsigned int i;

	if (!adds_up(s, why, size))
		return false;
	for (i = 0; i < s->nr_pools; i++) {
		if (!s->pool[i].used && !s->pool[i].ready && !s->pool[i].lent)
			continue;
		snprintf(why, size, "node %u, 2^%u: used %llu lent %llu ready %llu at the end",
			 s->pool[i].node, s->pool[i].page_shift,
			 (unsigned long long)s->pool[i].used,
			 (unsigned long long)s->pool[i].lent,
			 (unsigned long long)s->pool[i].ready);
		return false;
	}
	return true;
}

static void wait_until(struct books *b, bool (*good)(const struct sums *s, char *why, size_t size))
{
	uint64_t end = now_ms() + WAIT_MS;
	struct sums *s = malloc(sizeof(*s));
	char why[200] = "no answer";

	while (s) {
		if (!sums_read(b, s) && good(s, why, sizeof(why)))
			break;
		if (now_ms() > end) {
			wrong("%s", why);
			break;
		}
		pause_ms(100);
	}
	free(s);
}

/* ---- new pages ---- */

static void check_new(struct books *b, unsigned int pages)
{
	struct hpbuf_alloc req = { .bytes = pages * SZ_2M, .page_shift = HPBUF_SHIFT_2M };
	static const int may[] = { EBUSY, 0 };
	unsigned char *p;
	long at;

	if (op_ended(OP_ALLOC_2M, hpbuf_alloc(b->dev, &req), may) < 0)
		return;
	p = mmap(NULL, req.size, PROT_READ | PROT_WRITE, MAP_SHARED, req.fd, 0);
	if (p == MAP_FAILED) {
		wrong("a new buffer cannot be mapped: %s", strerror(errno));
	} else {
		at = stamp_nonzero(p, req.size, 8);
		if (at >= 0)
			wrong("a new buffer holds data at %#lx", at);
		stamp_write(p, req.size, 0, req.id);
		munmap(p, req.size);
	}
	close(req.fd);
}

/* ---- all of it ---- */

void books_check(struct books *b)
{
	free_orphans(b);
	wait_until(b, adds_up);
	check_persistent(b);
	check_new(b, 24);
	wait_until(b, adds_up);
}

static void free_persistent(struct books *b)
{
	uint32_t id;
	int i;

	for (i = 0; i < PERSIST_NR; i++) {
		id = atomic_exchange(&shared->persist[i], 0);
		if (id)
			op_ended(OP_FREE, hpbuf_free_id(b->dev, id, NULL), NULL);
	}
}

static int empty_pool(const struct hpbuf_nl_pool *pool, void *arg)
{
	struct hpbuf_nl *nl = arg;
	struct hpbuf_nl_pool_set set = { .node = pool->node, .page_shift = pool->page_shift,
					 .has_min = true };
	static const int may[] = { EOPNOTSUPP, 0 };

	op_ended(OP_POOL, hpbuf_nl_pool_set(nl, &set), may);
	return 0;
}

static void check_refs(void)
{
	uint64_t end = now_ms() + WAIT_MS;

	while (module_refs() && now_ms() < end)
		pause_ms(50);
	if (module_refs())
		wrong("the module has %ld references, and nobody uses it", module_refs());
}

void books_empty(struct books *b)
{
	struct hpbuf_nl *nl;
	int ret;

	free_persistent(b);
	/* one to ask, one to set while it does */
	ret = hpbuf_nl_open(&nl);
	if (!ret) {
		op_ended(OP_POOL, hpbuf_nl_pools(b->nl, empty_pool, nl), NULL);
		hpbuf_nl_close(nl);
	}
	wait_until(b, is_empty);
	books_close(b);
	check_refs();
	ret = books_open(b);
	if (ret)
		wrong("the device cannot be opened: %s", strerror(-ret));
}

static long compare(struct books *b)
{
	struct freemem now;
	long loss = 0;
	int i;

	freemem_read(&now);
	for (i = 0; i < FREEMEM_NODES; i++)
		loss += b->before.node[i] - now.node[i];
	return loss;
}

void books_memory(struct books *b)
{
	int try;

	for (try = 0; try < FREEMEM_TRIES; try++) {
		b->loss = compare(b);
		if (b->loss < SLACK)
			return;
		usleep(FREEMEM_PAUSE);
	}
	wrong("%ld KiB of memory did not come back", b->loss >> 10);
}
