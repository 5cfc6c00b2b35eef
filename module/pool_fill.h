/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_POOL_FILL_H
#define HPBUF_POOL_FILL_H

#include <linux/types.h>

struct pool;

/* The thread that gets pages for the pools, and gives back what is too much. */
int fill_init(void);
void fill_exit(void);

/*
 * The pool shall have @want pages, @least of them also under pressure. It is worked at
 * in the background; a setting that is under way is given up for this one. With
 * @partial it ends with what can be had, else with all or as it was before.
 */
void fill_set(struct pool *p, u64 want, u64 least, bool partial);

/* The same, tried for again and again: what module parameters ask for. */
void fill_want(struct pool *p, u64 want);

/* A pool may have more than it wants, or the module more than it may. */
void fill_look_again(void);

/* Memory pressure took pages: fill up in a while. */
void fill_later(struct pool *p);

/* Whether the calling task is that thread. */
bool fill_is_current(void);

#endif
