/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_EVENT_H
#define HPBUF_EVENT_H

#include <linux/types.h>

struct buf;

/*
 * Tell the listeners of the group "events". Never waits for one: who does not
 * read fast enough loses events and sees a gap in the numbers. All sleep.
 */
void event_alloc(const struct buf *b);
void event_free(const struct buf *b);
/* So many of its pages have failed since the last. */
void event_failure(const struct buf *b, unsigned int pages);
/* Of @size bytes @done are there, after @took_ns. */
void event_progress(u32 id, unsigned int shift, u64 size, u64 done, u64 took_ns);
void event_fail(unsigned int shift, u64 bytes, u64 took_ns, int err);

#endif
