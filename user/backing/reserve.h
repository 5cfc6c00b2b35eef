/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --reserve: fill hugetlb pools for the length of a run and put them back.
 *
 * What the pools held before is in a journal (journal.h) before the first change,
 * so that the next start can put right what a killed run left. A pool that does not
 * hold what we put there is somebody else's by now, and is left as it is.
 */
#ifndef HPCTL_RESERVE_H
#define HPCTL_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define RESERVE_NODES	64
#define RESERVE_SIZES	2

/**
 * struct reserve_pool - one page size that was changed; pages
 * @former, @wanted: of the whole machine, before, and as asked
 * @known: got is; else the run was killed before it had filled the pool
 * @nodes: by node, without surplus pages: before, and after it was filled
 */
struct reserve_pool {
	unsigned int page_shift;
	uint64_t former, wanted;
	bool known;
	unsigned int nr_nodes;
	struct {
		int node;
		uint64_t former, got;
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
 * @dry: only say that it would be
 * @note: message and hint, when there is something to say; its code is not set
 * Returns whether there is. Silent when there is no journal or its run still lives.
 */
bool reserve_recover(bool dry, struct hp_error *note);

/**
 * reserve_fill - make @pages pages of a size available to new mappings
 * @nodes: on these nodes alone, HP_NODE_WORDS words; NULL: on any
 *
 * The count is read back: a write that succeeds says nothing. HP_RESOURCE with
 * "asked 4, got 3" when the kernel did not find them, HP_PERMISSION, HP_FAILED.
 * On failure the caller still calls reserve_restore().
 */
int reserve_fill(struct reserve *r, unsigned int page_shift, uint64_t pages,
		 const uint64_t *nodes, struct hp_error *e);

/**
 * reserve_restore - put everything back; may be called twice
 * @note: message and hint when a pool was left alone, as it was changed meanwhile
 */
int reserve_restore(struct reserve *r, struct hp_error *note, struct hp_error *e);

#endif
