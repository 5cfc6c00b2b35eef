/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By which leaf entries a range is mapped, and how that is known. */
#ifndef HPCTL_CENSUS_H
#define HPCTL_CENSUS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libhpbuf.h"

/**
 * struct census - bytes of a range by the leaf that maps them
 * @by: how it was found out, NULL when it was not
 */
struct census {
	uint64_t pte, pmd, pud, none;
	const char *by;
};

/**
 * census_walk - from the page tables, by the module
 * @nl: NULL when there is no module; then nothing is known
 */
bool census_walk(struct census *c, struct hpbuf_nl *nl, const void *addr, size_t len);

/**
 * census_smaps - from /proc/self/smaps
 * Not while a buffer of hpbuf is mapped: see proc_smaps().
 */
bool census_smaps(struct census *c, const void *addr, size_t len);

/** census_share - the part, 0..1, mapped by leaves of 2^@shift bytes or larger */
double census_share(const struct census *c, unsigned int shift);

/** census_json - {"pte","pmd","pud","none"}, all null when nothing is known */
json_t *census_json(const struct census *c);

#endif
