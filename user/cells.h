/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells of the tables of run and compare that say why they are empty. */
#ifndef HPCTL_CELLS_H
#define HPCTL_CELLS_H

#include "out/out.h"

/** cells_dtlb - share of loads that missed the TLB, or "n/a (no PMU)"; of a row */
json_t *cells_dtlb(const json_t *row);

/** cells_rows - a copy of results, each row with "dtlb_miss": cells_dtlb() */
json_t *cells_rows(const json_t *results);

/** cells_any - whether any row has an object @key */
bool cells_any(const json_t *results, const char *key);

#endif
