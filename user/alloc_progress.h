/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far an allocation is, on a terminal, while the module works at it. */
#ifndef HPCTL_ALLOC_PROGRESS_H
#define HPCTL_ALLOC_PROGRESS_H

#include "lib/libhpbuf.h"
#include "out/out.h"

/**
 * struct alloc_progress
 * @nl: subscribed to events; NULL: nothing is shown
 * @o: where to, and whether
 * @size, @page_shift: of the allocation. Its id is not known before it is done, so
 *	another one of the same size at the same time is taken for it.
 * @number, @count: which of how many
 */
struct alloc_progress {
	struct hpbuf_nl *nl;
	const struct out_opts *o;
	uint64_t size;
	uint32_t page_shift;
	uint64_t number, count;
};

/** alloc_progress_begin - does nothing where nobody would see it */
void alloc_progress_begin(struct alloc_progress *p, const struct out_opts *o);
void alloc_progress_end(struct alloc_progress *p);

/** alloc_progress_tick - show the latest there is; never waits. @arg: the struct */
void alloc_progress_tick(void *arg);

#endif
