/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's hugetlb pools, read. reserve.h is the one that changes them. */
#ifndef HPCTL_POOL_H
#define HPCTL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct pool - one page size, whole machine; pages */
struct pool {
	uint64_t nr, free, resv, surplus, overcommit;
};

/** pool_read - false: no such page size */
bool pool_read(unsigned int page_shift, struct pool *p);

/** pool_node_read - one node's: nr, free and surplus; the rest is 0 */
bool pool_node_read(unsigned int node, unsigned int page_shift, struct pool *p);

/** pool_avail - pages that a new mapping can reserve */
uint64_t pool_avail(const struct pool *p);

/**
 * pool_avail_on - pages that a new mapping bound to @nodes finds there
 * @nodes: HP_NODE_WORDS words; NULL: any node. 0 when there is no such page size.
 */
uint64_t pool_avail_on(unsigned int page_shift, const uint64_t *nodes);

#endif
