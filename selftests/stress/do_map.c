// SPDX-License-Identifier: GPL-2.0-only
/* What a worker does with mappings. */
#include "worker.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void do_map(struct actor *a)
{
	struct slot *s = slot_any(a);
	uint64_t page, pages, first;

	if (!s || s->map)
		return;
	page = slot_page(s);
	pages = s->size / page;
	first = rng_one_in(&a->rng, 2) ? 0 : rng_below(&a->rng, pages);
	s->map_off = first * page;
	s->map_len = (1 + rng_below(&a->rng, pages - first)) * page;
	s->prot = rng_one_in(&a->rng, 6) ? PROT_READ : PROT_READ | PROT_WRITE;
	s->map = mmap(NULL, s->map_len, s->prot,
		      MAP_SHARED | (rng_one_in(&a->rng, 8) ? MAP_POPULATE : 0),
		      s->fd, s->map_off);
	op_ended(OP_MAP, s->map == MAP_FAILED ? -errno : 0, NULL);
	if (s->map == MAP_FAILED)
		s->map = NULL;
}

static void check_contents(const struct slot *s, const char *when)
{
	long at;

	if (s->stamped)
		at = stamp_check(s->map, s->map_len, s->map_off, s->id);
	else
		at = stamp_nonzero(s->map, s->map_len, SZ_4K);
	if (at >= 0)
		wrong("buffer %u, 2^%u, at %#llx: not as it was left (%s)", s->id, s->shift,
		      (unsigned long long)s->map_off + at, when);
}

void do_touch(struct actor *a)
{
	struct slot *s = slot_mapped(a);
	uint64_t off;

	if (!s)
		return;
	if (rng_one_in(&a->rng, 2)) {
		check_contents(s, "read");
	} else if (s->stamped && (s->prot & PROT_WRITE)) {
		off = rng_below(&a->rng, s->map_len / SZ_2M) * SZ_2M;
		stamp_write(s->map + off, SZ_2M, s->map_off + off, s->id);
	}
	op_counted(OP_TOUCH, 0);
}

/* A 4 KiB piece cannot go; a page can. */
static void unmap_part(struct actor *a, struct slot *s)
{
	uint64_t off = rng_below(&a->rng, s->map_len / SZ_4K - 1) * SZ_4K;

	if (off % slot_page(s) == 0)
		off += SZ_4K;
	if (!munmap(s->map + off, SZ_4K))
		wrong("a part of a page could be unmapped");
	else
		op_counted(OP_UNMAP, -errno);
	if (s->map_len == slot_page(s))
		return;
	if (op_ended(OP_UNMAP, munmap(s->map, slot_page(s)) ? -errno : 0, NULL))
		return;
	s->map += slot_page(s);
	s->map_off += slot_page(s);
	s->map_len -= slot_page(s);
}

void do_unmap(struct actor *a)
{
	struct slot *s = slot_mapped(a);

	if (!s)
		return;
	if (rng_one_in(&a->rng, 3))
		unmap_part(a, s);
	else
		slot_unmap(s);
}

void do_protect(struct actor *a)
{
	static const int prots[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	struct slot *s = slot_mapped(a);
	unsigned char *at;
	int prot, ret;

	if (!s)
		return;
	at = s->map + rng_below(&a->rng, s->map_len / slot_page(s)) * slot_page(s);
	prot = prots[rng_below(&a->rng, NR(prots))];
	ret = mprotect(at, slot_page(s), prot) ? -errno : 0;
	if (s->shift == HPBUF_SHIFT_1G) {
		/* nothing to do is nothing done */
		if (!ret && prot != s->prot)
			wrong("1 GiB pages could be protected");
		op_counted(OP_PROTECT, ret);
		return;
	}
	op_ended(OP_PROTECT, ret, NULL);
	if (!ret && prot == PROT_READ)
		check_contents(&(struct slot){ .id = s->id, .shift = s->shift, .map = at,
			       .map_off = s->map_off + (at - s->map), .map_len = slot_page(s),
			       .stamped = s->stamped }, "protected");
	/* Without memory for it, a part stays as it is: nothing more is known. */
	if (op_ended(OP_PROTECT, mprotect(s->map, s->map_len, s->prot) ? -errno : 0, NULL))
		slot_unmap(s);
}

/* Shrinking is unmapping; growing and moving are refused. */
void do_remap(struct actor *a)
{
	static const int grow_may[] = { EINVAL, EFAULT, 0 };
	struct slot *s = slot_mapped(a);
	uint64_t page;
	void *p;

	if (!s)
		return;
	page = slot_page(s);
	if (s->map_len > page && rng_one_in(&a->rng, 2)) {
		p = mremap(s->map, s->map_len, s->map_len - page, 0);
		if (!op_ended(OP_REMAP, p == MAP_FAILED ? -errno : 0, NULL))
			s->map_len -= page;
		return;
	}
	p = mremap(s->map, s->map_len, s->map_len + page, MREMAP_MAYMOVE);
	if (p != MAP_FAILED)
		wrong("a mapping of %zu bytes could grow", s->map_len);
	else
		op_ended(OP_REMAP, -errno, grow_may);
}

void do_populate(struct actor *a)
{
	static const int may[] = { EINTR, 0 };
	struct slot *s = slot_mapped(a);

	if (s)
		op_ended(OP_POPULATE, hpbuf_populate(s->fd, s->map, s->map_len, NULL), may);
}

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

/* Whatever the kernel says to it, the contents stay; so does the mapping. */
void do_advise(struct actor *a)
{
	static const int advices[] = { MADV_DONTNEED, MADV_WILLNEED, MADV_COLD, MADV_PAGEOUT,
				       MADV_FREE, MADV_RANDOM, MADV_HUGEPAGE, MADV_COLLAPSE,
				       MADV_MERGEABLE, MADV_POPULATE_READ };
	struct slot *s = slot_mapped(a);
	int advice, ret;

	if (!s)
		return;
	advice = advices[rng_below(&a->rng, NR(advices))];
	ret = madvise(s->map, s->map_len, advice) ? -errno : 0;
	op_counted(OP_ADVISE, ret);
	check_contents(s, "advised");
}

/* The child has the same memory, and stays for a moment beyond its parent's end. */
void do_fork(struct actor *a)
{
	struct slot *s = slot_mapped(a);
	pid_t pid;

	if (!s)
		return;
	pid = fork();
	if (pid) {
		op_counted(OP_FORK, pid < 0 ? -errno : 0);
		return;
	}
	check_contents(s, "child");
	if (s->stamped && (s->prot & PROT_WRITE))
		stamp_write(s->map, SZ_2M, s->map_off, s->id);
	pause_ms(rng_below(&a->rng, 200));
	check_contents(s, "child");
	_exit(0);
}
