/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4) of eight bytes at a time: the
 * polynomial that processors have an instruction for.
 */
#ifndef HPCTL_CRC32C_H
#define HPCTL_CRC32C_H

#include <stdint.h>

/** crc32c_soft - @crc continued over the eight bytes of @v, lowest first; no inversions */
static inline uint32_t crc32c_soft(uint32_t crc, uint64_t v)
{
	/* The polynomial 0x82f63b78 (reflected) for each value of four bits. */
	static const uint32_t by_nibble[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
		0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};

	for (unsigned int k = 0; k < 16; k++, v >>= 4)
		crc = crc >> 4 ^ by_nibble[(crc ^ v) & 15];
	return crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
/** For functions that use crc32c_hard(), called where crc32c_has_hard() */
#define CRC32C_TARGET	__attribute__((target("sse4.2")))

static inline __attribute__((always_inline)) CRC32C_TARGET
uint32_t crc32c_hard(uint32_t crc, uint64_t v)
{
	return (uint32_t)__builtin_ia32_crc32di(crc, v);
}

#define crc32c_has_hard()	__builtin_cpu_supports("sse4.2")
#else
#define CRC32C_TARGET
#define crc32c_hard(crc, v)	crc32c_soft(crc, v)
#define crc32c_has_hard()	0
#endif

#endif
