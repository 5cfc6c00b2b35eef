/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_BUF_H
#define HPBUF_BUF_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/hpbuf.h>

#include "contig.h"

/*
 * struct buf - one buffer
 *
 * Each open file holds a reference, HPBUF_ALLOC_PERSIST holds one; mappings hold
 * theirs through the file. The last one to go gives the memory back.
 *
 * @ref: references
 * @id, @name: fixed; @name is unique among those that can be opened
 * @state: RAW has an id only, NEW its name too, LIVE can be opened, FREED not any
 *	more; guarded by the registry's lock
 * @persist: a reference is held until buf_free(); guarded by the same lock
 * @owner: effective user that made it
 * @payer: user whose account it is in
 * @inode: all its files are on it
 * @shift, @nr, @asked, @pfn: its pages; fixed once it can be seen
 * @node_pages: how many of them lie on each node; they never move
 * @node_pooled, @pooled: how many of these the pool has lent, and all of them
 * @node: room for the two
 * @alloc_ns, @time: what getting them took
 * @thread_ns: CPU time of our threads for that
 * @free_ns: what giving them back took; set by the last buf_put()
 * @created_ns: CLOCK_BOOTTIME
 * @unmapped_ns: CLOCK_BOOTTIME when a mapping last went away; 0: none did
 * @poisoned: pages with a memory failure in them; changes under @check_lock and the
 *	mapping's invalidate lock
 * @linger: among those that wait for pins to go
 */
struct buf {
	struct kref ref;
	u32 id;
	enum buf_state { BUF_RAW, BUF_NEW, BUF_LIVE, BUF_FREED } state;
	bool persist;
	char name[HPBUF_NAME_LEN];
	kuid_t owner;
	kuid_t payer;
	struct inode *inode;

	unsigned int shift;
	unsigned int nr;
	u64 asked;
	unsigned long *pfn;
	u32 *node_pages;
	u32 *node_pooled;
	u64 pooled;

	struct list_head linger;
	u64 created_ns;
	u64 alloc_ns;
	u64 thread_ns;
	u64 free_ns;
	struct contig_time time;

	atomic_t mappings;
	atomic_t opens;
	atomic64_t unmapped_ns;
	unsigned int poisoned;
	struct mutex check_lock;	/* one look for failures at a time */
	atomic64_t faults;
	atomic64_t fault_ns;
	atomic64_t fault_max_ns;
	u32 node[];
};

static inline u64 buf_size(const struct buf *b)
{
	return (u64)b->nr << b->shift;
}

/* What a new buffer shall be. @name is checked and closed by NUL. */
struct buf_spec {
	u64 bytes;
	unsigned int shift;
	unsigned int timeout_ms;
	nodemask_t nodes;
	const char *name;
};

void buf_init(void);
void buf_exit(void);

/*
 * A buffer with all its memory and one reference for the caller. Nobody else
 * sees it before buf_publish(). An ERR_PTR as HPBUF_IOC_ALLOC documents.
 */
struct buf *buf_make(const struct buf_spec *spec);

/* Let others find it. Takes the reference of @persist. */
void buf_publish(struct buf *b, bool persist);

void buf_get(struct buf *b);

/*
 * Drop a reference. Returns the nanoseconds that giving the memory back took,
 * or 0 when it is still held, by others or by pins. Sleeps.
 */
u64 buf_put(struct buf *b);

/* The same from a place that must not take long. */
void buf_put_later(struct buf *b);

/*
 * A reference to a buffer that can be opened, by id or by name, or NULL. With
 * @freed_too by id also to one that cannot, but still holds memory.
 */
struct buf *buf_find(u32 id, const char *name, bool freed_too);

/* A reference to the first buffer that holds memory and has an id of @id or more, or NULL. */
struct buf *buf_next(u32 id);

/* Changes with the set of living buffers; never 0. */
unsigned int buf_generation(void);

/* Whether the caller may open and free @b. */
bool buf_owned(const struct buf *b);

/*
 * End a persistent buffer: it can no longer be opened. 0 with the reference of
 * HPBUF_ALLOC_PERSIST handed to the caller, who drops it, and whose open device
 * keeps the module here; -EINVAL not persistent; -ENOENT ended before.
 */
int buf_unpersist(struct buf *b);

/* A fault on page @index, which took @ns, was served. */
void buf_account_fault(struct buf *b, u64 index, u64 ns);

#endif
