/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes, counts, nodes, times and page sizes as people write them. Every
 * function takes the whole text or refuses it: HP_USAGE with what was read.
 * The locale plays no part.
 */
#ifndef HPCTL_PARSE_H
#define HPCTL_PARSE_H

#include <stdint.h>

#include "error.h"

#define HP_NODE_WORDS	16

/**
 * Bytes: digits, then nothing, B, K, M, G, T, KiB, MiB, GiB or TiB in any case,
 * all powers of 1024. "1GB" is refused (10^9 or 2^30?), as are 0, signs,
 * fractions, exponents, spaces and what does not fit 63 bits.
 */
int hp_parse_size(const char *text, uint64_t *bytes, struct hp_error *e);

/** A plain count of 1 or more; K, M, G, T multiply by powers of 1000. */
int hp_parse_count(const char *text, uint64_t *count, struct hp_error *e);

/** Nanoseconds: digits with ns, us, ms, s, m or h; no unit: seconds; not 0. */
int hp_parse_time(const char *text, uint64_t *ns, struct hp_error *e);

/** 2M or 1G as 21 or 30; 2MiB, 1GiB and lower case too. */
int hp_parse_page(const char *text, unsigned int *shift, struct hp_error *e);

/**
 * Nodes: "0", "0-1", "0,2", "all", "!1" (all but). Those that are not online
 * with memory are refused with the list of those that are.
 */
int hp_parse_nodes(const char *text, uint64_t mask[HP_NODE_WORDS],
		   struct hp_error *e);

#endif
