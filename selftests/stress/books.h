/* SPDX-License-Identifier: GPL-2.0-only */
/* The books: what the module says it has, against what there must be. */
#ifndef HPBUF_STRESS_BOOKS_H
#define HPBUF_STRESS_BOOKS_H

#include "stress.h"
#include "../module/freemem.h"

/*
 * struct books
 * @before: memory while nothing is held
 * @loss: of the last comparison, in bytes, over all nodes
 */
struct books {
	int dev;
	struct hpbuf_nl *nl;
	struct freemem before;
	long loss;
};

int books_open(struct books *b);
void books_close(struct books *b);

/*
 * Nobody runs: what is held is what the persistent buffers hold, all of them are as
 * stamped, and pages add up.
 */
void books_check(struct books *b);

/* Give all back, and see that nothing is left, in the module and of its references. */
void books_empty(struct books *b);

/* Is memory back? Only while nothing is held. */
void books_memory(struct books *b);

#endif
