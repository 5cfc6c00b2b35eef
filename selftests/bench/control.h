/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other side of the ratios: what somebody would write who has never seen
 * hpctl. Nothing of it is shared with the workloads.
 */
#ifndef BENCH_CONTROL_H
#define BENCH_CONTROL_H

#include <stdint.h>

/** control_get - the sum of @ops five-byte elements of @n at @base, at random */
uint64_t control_get(const unsigned char *base, uint64_t n, uint64_t ops, uint64_t seed);

/**
 * control_chain - link the 4 KiB pages of [@base, @base + @bytes) by pointers
 * One pointer a page, somewhere in it, in random order, all of them in one cycle.
 * Returns where to start, NULL without memory.
 */
void **control_chain(unsigned char *base, uint64_t bytes, unsigned int seed);

/** control_chase - follow @steps pointers; returns where it ended */
void **control_chase(void **p, uint64_t steps);

#endif
