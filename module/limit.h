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

/* Whether memory stays above floor_bytes when @bytes more are taken. */
bool limit_above_floor(u64 bytes);

#endif
