/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of --reserve: what hugetlb pools held before they were filled, in
 * /run/hpctl/pools, or $XDG_RUNTIME_DIR/hpctl/pools for others than root.
 *
 *	hpctl-pools 1 BOOT-ID
 *	pool SHIFT FORMER WANTED	before a pool is changed: pages, in all
 *	node N FORMER			of each node; N is -1 without nodes
 *	end SHIFT			so that half a record is told from a whole one
 *	got SHIFT N PAGES		after it was changed, of each node
 *
 * Records are only appended, each by one write, so that a run that is killed
 * leaves what it had changed until then. Its lock is held for the run: a journal
 * that nobody holds is one of a run that was killed.
 */
#ifndef HPCTL_JOURNAL_H
#define HPCTL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "backing/reserve.h"

/** Node of a kernel without nodes. */
#define JOURNAL_WHOLE	(-1)

/** journal_path - false where there is no place for one */
bool journal_path(char *buf, size_t size);

/**
 * journal_lock - open and lock
 * @create: make it if it is not there
 * Returns a descriptor; -EWOULDBLOCK: a run holds it; -ENOENT; -EINVAL: something
 * else than a regular file is there; or another negative errno.
 */
int journal_lock(const char *path, bool create);

/** journal_begun, journal_got - append a record; 0 or a positive errno */
int journal_begun(int fd, const struct reserve_pool *p);
int journal_got(int fd, const struct reserve_pool *p);

/** What journal_read() found. */
enum journal_state {
	JOURNAL_EMPTY,		/* nothing was changed, or the system was booted since */
	JOURNAL_READ,
	JOURNAL_TORN,		/* what it says cannot be relied on */
};

/** journal_read - the pools of it into @r, from the beginning of the file */
enum journal_state journal_read(int fd, struct reserve *r);

#endif
