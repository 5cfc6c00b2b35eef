/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the array holds: a function of the index, so that the sum a loop has to
 * come to can be worked out without the memory it read. No more than an addition
 * and a mask: a fill is to wait for memory, not for arithmetic (a multiplication
 * halves its rate).
 */
#ifndef HPCTL_DATA_H
#define HPCTL_DATA_H

#include "packed.h"

/** Salts: which write it was. None is 0, so that zeroed memory is not right. */
#define DATA_BASE	UINT64_C(0x36a09e667f)
#define DATA_SECOND	UINT64_C(0xbb67ae8584)
#define DATA_SET	UINT64_C(0x3c6ef372fe)

/** data_value - element @i after the write with @salt; 40 bits */
static inline uint64_t data_value(uint64_t i, uint64_t salt)
{
	return (i + salt) & PACKED_MAX;
}

#endif
