/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a mapping of 4 KiB pages is one. A page-table walk and smaps show no
 * huge page below 2 MiB (mTHP: 16 KiB to 1 MiB, contiguous pages behind PTEs), so
 * the pages themselves are looked at, or, without the right to, the counters.
 */
#ifndef HPCTL_SMALL_H
#define HPCTL_SMALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/**
 * small_allocs - huge pages below 2 MiB that faults of the whole system took
 * Sum of anon_fault_alloc of every such size; false when the kernel has no such
 * counters (before 6.8 there was no such size either).
 */
bool small_allocs(uint64_t *count);

/** small_possible - whether the switches allow any size below 2 MiB */
bool small_possible(void);

/**
 * small_verify - that populated [addr, addr + len) has no huge page of any size
 * @before: small_allocs() from before it was populated, @counted: it was there
 * @how: set to how it was verified
 *
 * Returns HP_OK; HP_NOT_AS_ASKED: there is one; HP_UNSUPPORTED: cannot be told.
 */
int small_verify(const void *addr, size_t len, uint64_t before, bool counted,
		 const char **how, struct hp_error *e);

#endif
