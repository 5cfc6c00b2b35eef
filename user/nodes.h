/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA nodes: which there are, and what memory each has left. */
#ifndef HPCTL_NODES_H
#define HPCTL_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parse.h"

#define HP_NODES_MAX	(HP_NODE_WORDS * 64)

static inline bool nodes_has(const uint64_t mask[HP_NODE_WORDS], unsigned int node)
{
	return mask[node / 64] >> (node % 64) & 1;
}

/** "0-3,7" into @mask; false when it is malformed or beyond 1023. */
bool nodes_list(const char *text, uint64_t mask[HP_NODE_WORDS]);

/** Those that are online and have memory; node 0 on a kernel without NUMA. */
void nodes_with_memory(uint64_t mask[HP_NODE_WORDS]);

/** @mask as "0-3,7" in @buf, cut if need be; returned. */
char *nodes_text(const uint64_t mask[HP_NODE_WORDS], char *buf, size_t size);

/**
 * struct node_mem - memory of one node; bytes
 * @total, @free: 0 when unknown
 * @free_2m: of the free, in free blocks of 2 MiB or more
 * @largest: largest free block. The kernel's lists end at @ceiling: two such
 *	blocks may well lie side by side, and nothing tells.
 */
struct node_mem {
	uint64_t total, free, free_2m, largest, ceiling;
};

void node_mem_read(unsigned int node, struct node_mem *m);

#endif
