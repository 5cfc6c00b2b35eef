/* SPDX-License-Identifier: GPL-2.0 */
/* Memory failures in buffers. */
#ifndef HPBUF_FAILURE_H
#define HPBUF_FAILURE_H

struct buf;

/*
 * Take pages of @b that have failed since from everybody who has them mapped, and tell.
 * Sleeps; costs nothing until there was a failure. @b can be found, and a reference held.
 */
void failure_check(struct buf *b);

int failure_init(void);

/* When no buffer can be made any more. May be the last to hold one. */
void failure_exit(void);

#endif
