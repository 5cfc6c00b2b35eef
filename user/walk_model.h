/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What page walks should cost, from the shape of x86-64 page tables alone: how
 * many entries a walk reads, and up to which array the entries fit a cache.
 */
#ifndef HPCTL_WALK_MODEL_H
#define HPCTL_WALK_MODEL_H

#include <jansson.h>
#include <stdint.h>

/** walk_levels_here - levels of page tables of the running kernel: 4 or 5 */
unsigned int walk_levels_here(void);

/**
 * walk_refs - entries that a walk reads when no upper one is cached by the CPU
 * @levels: 4 or 5
 * @page_shift: leaf: 12, 21 or 30
 */
unsigned int walk_refs(unsigned int levels, unsigned int page_shift);

/**
 * walk_tables - bytes of the entries that map an array, all levels
 *
 * Eight bytes an entry, whole cache lines a level: what a cache has to hold, less
 * than the tables take in memory (4 KiB each).
 */
uint64_t walk_tables(uint64_t bytes, unsigned int levels, unsigned int page_shift);

/**
 * walk_reach - the largest array, in whole pages, whose entries fit @cache bytes
 * Were nothing else in that cache. 0 when @cache is 0 (unknown).
 */
uint64_t walk_reach(uint64_t cache, unsigned int levels, unsigned int page_shift);

/** walk_model_json - {"levels","refs","l2_bytes","l2_reach_bytes",...} */
json_t *walk_model_json(unsigned int levels, unsigned int page_shift);

#endif
