/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes at which a curve over the size of an array may bend, on this machine. */
#ifndef HPCTL_REACH_H
#define HPCTL_REACH_H

#include <jansson.h>

/**
 * reach_json - what the caches, the TLBs and the caches with page tables reach
 * {"caches": [{"level","bytes"}], "tlbs": [{"page_bytes","entries"}], "tlb_from",
 * "tlb_why", "tables": [{"page_bytes","level","bytes"}]}: what is not known is not
 * there. "tables": the array whose page-table entries fill that cache.
 */
json_t *reach_json(void);

#endif
