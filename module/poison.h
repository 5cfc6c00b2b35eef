/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages with a memory failure in them: the kernel marks the 4 KiB that are bad, and
 * the whole page of ours is never lent again.
 */
#ifndef HPBUF_POISON_H
#define HPBUF_POISON_H

#include <linux/types.h>

/* memory_failure() has run. Before that nobody pays for looking. */
void poison_note(void);
bool poison_seen(void);

/*
 * Whether some of the page is bad. Once there was a failure this reads the struct of
 * each of its 4 KiB, so not under a spinlock.
 */
bool poison_in(unsigned int shift, unsigned long pfn);

/*
 * Keep a compound page out of use for good: the system would hand it out again, as it
 * looks for bad pages only where single ones are freed.
 */
void poison_keep(unsigned int shift, unsigned long pfn);

#endif
