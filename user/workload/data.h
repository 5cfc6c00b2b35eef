/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the array holds: a cheap function of the index, so that the sum a loop has
 * to come to can be worked out without the memory it read.
 */
#ifndef HPCTL_DATA_H
#define HPCTL_DATA_H

#include "packed.h"

/** Salts: which write it was. */
#define DATA_BASE	0
#define DATA_SECOND	UINT64_C(0x5851f42d4c957f2d)
#define DATA_SET	UINT64_C(0x2545f4914f6cdd1d)

/** data_value - element @i after the write with @salt; 40 bits, never constant */
static inline uint64_t data_value(uint64_t i, uint64_t salt)
{
	return ((i + 1) * UINT64_C(0x9e3779b97f4a7c15) + salt) >> 24;
}

#endif
