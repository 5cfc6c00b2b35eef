/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of the CPU, as the kernel describes them. */
#ifndef HPCTL_CACHE_H
#define HPCTL_CACHE_H

#include <stdint.h>

/**
 * cache_bytes - size of CPU 0's data or unified cache of a level
 * @level: 1, 2 or 3
 * Returns bytes; 0: there is none, or the kernel does not tell (many virtual
 * machines).
 */
uint64_t cache_bytes(unsigned int level);

#endif
