/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --reserve: fill hugetlb pools for the length of a run and put them back.
 *
 * What the pools held before is written to a journal before the first change:
 * /run/hpctl/pools, or $XDG_RUNTIME_DIR/hpctl/pools. Its lock is held for the
 * run, so that two runs cannot undo each other's changes, and a journal that
 * nobody holds is one of a run that was killed: the next start puts it right.
 */
#ifndef HPCTL_RESERVE_H
#define HPCTL_RESERVE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define RESERVE_NODES	64
#define RESERVE_SIZES	2

/** struct reserve_pool - one page size that was changed; pages */
struct reserve_pool {
	unsigned int page_shift;
	uint64_t former, wanted;
	unsigned int nr_nodes;
	struct {
		unsigned int node;
		uint64_t former;
	} nodes[RESERVE_NODES];
};

/** struct reserve - zeroed before use, but for @lock = -1 */
struct reserve {
	int lock;
	char journal[256];
	unsigned int nr;
	struct reserve_pool pool[RESERVE_SIZES];
};

/**
 * reserve_recover - put back what a killed run left
 * @note: set to one line when there was something, else empty
 * Harmless, and silent, when there is nothing or the run still lives.
 */
void reserve_recover(char *note, size_t size);

/**
 * reserve_fill - make @pages pages of a size available to new mappings
 *
 * The count is read back: a write that succeeds says nothing. HP_RESOURCE with
 * "asked 4, got 3" when the kernel did not find them, HP_PERMISSION, HP_FAILED.
 * On failure the caller still calls reserve_restore().
 */
int reserve_fill(struct reserve *r, unsigned int page_shift, uint64_t pages,
		 struct hp_error *e);

/** reserve_restore - put everything back; may be called twice */
int reserve_restore(struct reserve *r, struct hp_error *e);

#endif
