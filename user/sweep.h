/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes of a sweep: the same workloads on arrays from small to large. */
#ifndef HPCTL_SWEEP_H
#define HPCTL_SWEEP_H

#include <stdint.h>

#include "error.h"

#define SWEEP_STEPS	8
#define SWEEP_MAX	128

/**
 * struct sweep
 * @lo, @hi: bytes of the smallest and of the largest array, both measured
 * @steps: sizes in each doubling; 0: no sweep was asked for
 */
struct sweep {
	uint64_t lo, hi;
	unsigned int steps;
};

/**
 * sweep_parse - "64M..8G", or "64M..8G/2" for two sizes in each doubling
 * HP_USAGE: what hp_parse_size() refuses, the second not above the first, steps that
 * are not 1 to SWEEP_STEPS.
 */
int sweep_parse(const char *text, struct sweep *s, struct hp_error *e);

/**
 * sweep_sizes - the sizes, ascending: lo * 2^(i / steps), whole pages of 4096 bytes
 * where they are between, and at last hi. Returns how many: 2 to SWEEP_MAX for a sweep
 * that sweep_parse() took. @sizes may be NULL: only count.
 */
unsigned int sweep_sizes(const struct sweep *s, uint64_t sizes[SWEEP_MAX]);

#endif
