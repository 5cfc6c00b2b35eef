/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backings: the kinds of memory a workload runs on, behind one table of
 * functions. A new one is a file and a row in backing.c.
 */
#ifndef HPCTL_BACKING_H
#define HPCTL_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "measure/census.h"
#include "measure/placement.h"

struct backing_ops;

/**
 * struct backing - one chosen on the command line
 * @ops: what it is
 * @label: as it was typed, as results name it
 * @page_shift: leaf asked for: 12, 21 or 30
 * @path: directory in a mounted hugetlbfs, else empty
 * @device: node of the module
 * @buffer: id of an existing buffer, 0: make one
 * @buffer_bytes: its size
 * @timeout_ms: for making one, 0: the module's default
 * @nodes: the memory is to be on these alone, HP_NODE_WORDS words; NULL: anywhere
 */
struct backing {
	const struct backing_ops *ops;
	char label[300];
	unsigned int page_shift;
	char path[256];
	const char *device;
	uint32_t buffer;
	uint64_t buffer_bytes;
	uint32_t timeout_ms;
	const uint64_t *nodes;
};

/**
 * struct mapping - memory of a backing
 * @b: whose
 * @addr: start, aligned to the page
 * @bytes: mapped: @asked rounded up to whole pages of the backing
 * @asked: bytes the caller wants to use
 * @region, @region_bytes: what was reserved around it, for unmap
 * @fd: file or buffer, -1
 * @thp_before, @thp_counted: see small_verify()
 * @create_ns: set by @create when it knows its time better than who calls it
 * @create_threads_ns: set by @create: CPU time that is in no process's account
 * @pool_before: free pages of the hugetlb pool at @note
 */
struct mapping {
	const struct backing *b;
	unsigned char *addr;
	uint64_t bytes;
	uint64_t asked;
	void *region;
	size_t region_bytes;
	int fd;
	uint64_t thp_before;
	bool thp_counted;
	uint64_t create_ns;
	uint64_t create_threads_ns;
	uint64_t pool_before;
};

/**
 * struct backing_ops
 * @name: as it is typed; a trailing ':' says that a path follows
 * @page_shift: leaf it asks for; 0: @probe finds out
 * @pool: pages come from a hugetlb pool
 * @module: needs the module
 * @probe: can it be had at all, for @asked bytes? Takes no memory. May set
 *	page_shift. Errors: HP_UNSUPPORTED, HP_RESOURCE, HP_PERMISSION.
 * @create: get memory that exists before it is mapped; NULL: nothing to do
 * @note: reads counters before anything is mapped, not timed; NULL: nothing
 * @map: address space, and a promise of memory where the kernel gives one
 * @populate: all leaves in place for [addr, addr + len), page by page in chunks,
 *	so that stop_pending() ends it early (HP_OK, unfinished). Called by several
 *	threads for different parts, whose ends may share a page. A shortage is
 *	found here and returned: never SIGBUS.
 * @census: leaves of the mapping; NULL: by walk, else smaps
 * @place: on which nodes the pages are; NULL: the kernel tells
 * @verify: more checks on populated memory; NULL: none. Sets @how.
 * @unmap: undoes @map; its failure is an error (HP_FAILED), memory leaks then
 * @destroy: undoes @create; NULL likewise
 */
struct backing_ops {
	const char *name;
	unsigned int page_shift;
	bool pool, module;
	int (*probe)(struct backing *b, uint64_t asked, struct hp_error *e);
	int (*create)(struct mapping *m, struct hp_error *e);
	void (*note)(struct mapping *m);
	int (*map)(struct mapping *m, struct hp_error *e);
	int (*populate)(const struct mapping *m, unsigned char *addr, uint64_t len,
			struct hp_error *e);
	bool (*census)(const struct mapping *m, struct census *c);
	bool (*place)(const struct mapping *m, struct placement *p);
	int (*verify)(const struct mapping *m, const char **how, struct hp_error *e);
	int (*unmap)(struct mapping *m, struct hp_error *e);
	int (*destroy)(struct mapping *m, struct hp_error *e);
};

extern const struct backing_ops backing_anon_4k, backing_anon_thp, backing_hugetlb_2m,
	backing_hugetlb_1g, backing_hugetlbfs, backing_hpbuf_2m, backing_hpbuf_1g;

/** backing_names - of all that need no path, in order, NULL at the end */
extern const char *const backing_names[];

/** backing_parse - "anon-4k", "hugetlbfs:/dev/hugepages"; HP_USAGE if unknown */
int backing_parse(const char *text, struct backing *b, struct hp_error *e);

/** backing_page - bytes of a page of @b */
static inline uint64_t backing_page(const struct backing *b)
{
	return UINT64_C(1) << b->page_shift;
}

/** backing_round - @asked in whole pages; false when that does not fit 63 bits */
bool backing_round(const struct backing *b, uint64_t asked, uint64_t *bytes);

/**
 * backing_census - how @m is mapped now
 * @nl: of the module, or NULL
 */
bool backing_census(const struct mapping *m, struct hpbuf_nl *nl, struct census *c);

/** backing_place - on which nodes the pages of @m are now */
bool backing_place(const struct mapping *m, struct placement *p);

/* Shared by the files of this directory. */

/**
 * region_reserve - inaccessible address space around an aligned place
 * Nothing can merge with a mapping put into it, and smaps can tell it apart.
 * Sets addr, region and region_bytes of @m; bytes and b are set.
 */
int region_reserve(struct mapping *m, uint64_t align, struct hp_error *e);

/** region_release - unmap all of it, checked */
int region_release(struct mapping *m, struct hp_error *e);

/**
 * populate_write - MADV_POPULATE_WRITE in chunks of @chunk bytes
 * Returns 0, or a positive errno: ENOMEM or EFAULT no memory, EINVAL the kernel
 * is older than 5.14.
 */
int populate_write(unsigned char *addr, uint64_t len, uint64_t chunk);

/**
 * thp_off_here - huge pages are switched off for this process (prctl, inherited)
 * @advised: of memory with MADV_HUGEPAGE, which may be excepted (kernel 6.18)
 */
bool thp_off_here(bool advised);

#endif
