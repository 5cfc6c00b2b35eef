/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA: keeping threads and memory on some nodes, and on which nodes pages really are. */
#ifndef HPCTL_PLACEMENT_H
#define HPCTL_PLACEMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/** Nodes told apart; pages on others count as unknown. */
#define PLACEMENT_NODES	64

/**
 * struct placement - pages of a range by the node they are on
 * @pages: by node
 * @unknown: pages that the kernel did not tell about; those that are not there count
 *	nowhere
 * @by: how it was found out, NULL when it was not
 */
struct placement {
	uint32_t pages[PLACEMENT_NODES];
	uint32_t unknown;
	const char *by;
};

/**
 * placement_of - look at the pages of a populated range
 * @page: of what size they are, bytes
 * Each of them, up to 262144; of more, as many, evenly spread.
 */
bool placement_of(struct placement *p, const void *addr, size_t len, size_t page);

/** placement_share - the part, 0..1, of all pages that are on @nodes (HP_NODE_WORDS words) */
double placement_share(const struct placement *p, const uint64_t *nodes);

/** placement_json - [{"node", "pages"}, ...]; null when nothing is known */
json_t *placement_json(const struct placement *p);

/**
 * placement_confine - the calling thread, and those it starts, to the CPUs of @nodes
 * HP_RESOURCE: none of them may be used; HP_UNSUPPORTED: no NUMA here, and other nodes
 * than 0 were asked for.
 */
int placement_confine(const uint64_t *nodes, struct hp_error *e);

/** placement_bind - memory that [addr, addr + len) will get: from @nodes or not at all */
int placement_bind(void *addr, size_t len, const uint64_t *nodes, struct hp_error *e);

/**
 * placement_available - memory that can be had on @nodes, bytes: free, and page cache
 * of files. 0: not known.
 */
uint64_t placement_available(const uint64_t *nodes);

#endif
