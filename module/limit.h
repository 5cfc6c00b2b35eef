/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_LIMIT_H
#define HPBUF_LIMIT_H

#include <linux/types.h>
#include <linux/uidgid.h>

/* Whose account the caller's buffers are in: its own, or that of its namespaces' maker. */
kuid_t limit_payer(void);

/*
 * Take @bytes for @payer out of max_bytes and of the caller's RLIMIT_MEMLOCK.
 * 0, -ENOSPC (max_bytes), -EDQUOT (RLIMIT_MEMLOCK), -ENOMEM. A sleeping call.
 */
int limit_charge(kuid_t payer, u64 bytes);

/* Give back what limit_charge() took; the pool got @pooled of it. */
void limit_uncharge(kuid_t payer, u64 bytes, u64 pooled);

/* Bytes that are held now, in buffers and in the pool. */
u64 limit_used(void);

/*
 * Of what was charged, @bytes are yet to be got; they have been, from the pool or the
 * system, or will not be. Without this, pages of the pool would count twice until then.
 */
void limit_promise(u64 bytes);
void limit_keep(u64 bytes);

/* Whether that is more than max_bytes: the pool has to give up some. */
bool limit_over(void);

/*
 * Pages that the pool gets from the system: 0, or -ENOSPC (max_bytes). What it had
 * lent is just added. One that is lent again before it was added is subtracted first;
 * the sum is right all the time.
 */
int limit_pool_charge(u64 bytes);
void limit_pool_add(u64 bytes);
void limit_pool_uncharge(u64 bytes);

/*
 * Say that @bytes are about to be taken from the system; what has been taken, or
 * will not be, is unreserved. -ENOMEM when floor_bytes would not be left, with
 * all that others have reserved.
 */
int limit_reserve(u64 bytes);
void limit_unreserve(u64 bytes);

/* Whether floor_bytes are left when all that is reserved has been taken. */
bool limit_above_floor(void);

/* Whether twice floor_bytes are left when @bytes have been taken. */
bool limit_plenty(u64 bytes);

#endif
