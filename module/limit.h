/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_LIMIT_H
#define HPBUF_LIMIT_H

#include <linux/types.h>
#include <linux/uidgid.h>

/*
 * Take @bytes for @owner out of max_bytes and of the caller's RLIMIT_MEMLOCK.
 * 0, -ENOSPC (max_bytes), -EDQUOT (RLIMIT_MEMLOCK), -ENOMEM. A sleeping call.
 */
int limit_charge(kuid_t owner, u64 bytes);

/* Give back what limit_charge() took. */
void limit_uncharge(kuid_t owner, u64 bytes);

/* Bytes that are charged now. */
u64 limit_used(void);

/*
 * Say that @bytes are about to be taken from the system; what has been taken, or
 * will not be, is unreserved. -ENOMEM when floor_bytes would not be left, with
 * all that others have reserved.
 */
int limit_reserve(u64 bytes);
void limit_unreserve(u64 bytes);

/* Whether floor_bytes are left when all that is reserved has been taken. */
bool limit_above_floor(void);

#endif
