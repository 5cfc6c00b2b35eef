/* SPDX-License-Identifier: MIT OR LGPL-2.1-or-later */
/*
 * Packed arrays: n elements of 1 to 8 bytes each, one behind the other, little
 * endian in memory on every machine. Nothing but inline functions on plain
 * pointers, and two macros that define functions which choose by the CPU they run
 * on (PACKED_FILLER, PACKED_SUMMER); no state, no allocation, no alignment wanted.
 *
 * Five bytes (40 bits) is the width this exists for: packed_get(), packed_set()
 * and so on. Every one has a sibling with a trailing "w" that takes the width;
 * give it a constant, then the code is as short as for five bytes.
 *
 * All counts, indices and byte offsets are 64 bits. The caller sees to i < n
 * unless a function says that it checks.
 */
#ifndef PACKED_H
#define PACKED_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define PACKED_AVX2	__attribute__((target("avx2")))
#endif

/** Bytes of an element where no width is given. */
#define PACKED_WIDTH	5

#define PACKED_INLINE	static inline __attribute__((always_inline, unused))

/** packed_maxw - the greatest value that @width (1..8) bytes hold */
PACKED_INLINE uint64_t packed_maxw(unsigned int width)
{
	return ~(uint64_t)0 >> (64 - 8 * width);
}

/**
 * packed_bytes - bytes of @n elements of @width bytes, checked
 *
 * Returns false, and leaves @bytes alone, when the width is not 1..8 or the
 * product does not fit 64 bits. For five bytes n goes up to 3689348814741910323.
 */
PACKED_INLINE bool packed_bytes(uint64_t n, unsigned int width, uint64_t *bytes)
{
	uint64_t product;

	if (width < 1 || width > 8 || __builtin_mul_overflow(n, (uint64_t)width, &product))
		return false;
	*bytes = product;
	return true;
}

/**
 * packed_fast_limitw - first index that packed_getw_fast() must not be given
 *
 * Indices below it have eight readable bytes inside an array of @n elements.
 * 0 when the array is shorter than eight bytes. n * width must fit 64 bits.
 */
PACKED_INLINE uint64_t packed_fast_limitw(uint64_t n, unsigned int width)
{
	uint64_t bytes = n * width;

	return bytes < 8 ? 0 : (bytes - 8) / width + 1;
}

/* Unaligned little-endian loads and stores; memcpy() becomes one instruction. */

PACKED_INLINE uint64_t packed_load16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap16(v);
#endif
	return v;
}

PACKED_INLINE uint64_t packed_load32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

PACKED_INLINE uint64_t packed_load64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

PACKED_INLINE void packed_store16(unsigned char *p, uint64_t value)
{
	uint16_t v = (uint16_t)value;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap16(v);
#endif
	memcpy(p, &v, sizeof(v));
}

PACKED_INLINE void packed_store32(unsigned char *p, uint64_t value)
{
	uint32_t v = (uint32_t)value;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	memcpy(p, &v, sizeof(v));
}

PACKED_INLINE void packed_store64(unsigned char *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, sizeof(v));
}

/**
 * packed_getw - element @i by loads that stay inside it
 * Five bytes are a load of four and one of one byte.
 */
PACKED_INLINE uint64_t packed_getw(const void *base, uint64_t i, unsigned int width)
{
	const unsigned char *p = (const unsigned char *)base + i * width;

	switch (width) {
	case 1:
		return p[0];
	case 2:
		return packed_load16(p);
	case 3:
		return packed_load16(p) | (uint64_t)p[2] << 16;
	case 4:
		return packed_load32(p);
	case 5:
		return packed_load32(p) | (uint64_t)p[4] << 32;
	case 6:
		return packed_load32(p) | packed_load16(p + 4) << 32;
	case 7:
		return packed_load32(p) | packed_load32(p + 3) >> 8 << 32;
	default:
		return packed_load64(p);
	}
}

/**
 * packed_getw_safe - element @i of an array of @n, checked
 * Returns false, and leaves @value alone, when i >= n. Reads the element's own
 * bytes only: the last element may end at an unmapped page.
 */
PACKED_INLINE bool packed_getw_safe(const void *base, uint64_t n, uint64_t i,
				    unsigned int width, uint64_t *value)
{
	if (__builtin_expect(i >= n, 0))
		return false;
	*value = packed_getw(base, i, width);
	return true;
}

/**
 * packed_getw_fast - element @i by one load of eight bytes
 *
 * Reads 8 - width bytes of what follows. For i < packed_fast_limitw(n, width)
 * only: this is the caller's promise, asserted unless NDEBUG is set.
 */
PACKED_INLINE uint64_t packed_getw_fast(const void *base, uint64_t n, uint64_t i,
					unsigned int width)
{
	assert(i < packed_fast_limitw(n, width));
	(void)n;
	return packed_load64((const unsigned char *)base + i * width) &
	       packed_maxw(width);
}

/**
 * packed_putw - write @value to element @i: its own bytes and no other
 * @value is at most packed_maxw(width): the caller's promise, asserted unless
 * NDEBUG is set. packed_setw() checks always.
 */
PACKED_INLINE void packed_putw(void *base, uint64_t i, unsigned int width, uint64_t value)
{
	unsigned char *p = (unsigned char *)base + i * width;

	assert(value <= packed_maxw(width));
	switch (width) {
	case 1:
		p[0] = (unsigned char)value;
		break;
	case 2:
		packed_store16(p, value);
		break;
	case 3:
		packed_store16(p, value);
		p[2] = (unsigned char)(value >> 16);
		break;
	case 4:
		packed_store32(p, value);
		break;
	case 5:
		packed_store32(p, value);
		p[4] = (unsigned char)(value >> 32);
		break;
	case 6:
		packed_store32(p, value);
		packed_store16(p + 4, value >> 32);
		break;
	case 7:
		packed_store32(p, value);
		packed_store32(p + 3, value >> 24);
		break;
	default:
		packed_store64(p, value);
		break;
	}
}

/**
 * packed_setw - write @value to element @i, checked
 * Returns false, and writes nothing, when the value does not fit: it is never
 * cut to fit.
 */
PACKED_INLINE bool packed_setw(void *base, uint64_t i, unsigned int width, uint64_t value)
{
	if (__builtin_expect(value > packed_maxw(width), 0))
		return false;
	packed_putw(base, i, width, value);
	return true;
}

/**
 * packed_setw_fast - write @value to element @i by one load and one store of eight bytes
 *
 * The 8 - width bytes behind it are written with what they were: nobody else may
 * write those meanwhile. For i < packed_fast_limitw(n, width) and values that fit
 * only: the caller's promises, asserted unless NDEBUG is set.
 */
PACKED_INLINE void packed_setw_fast(void *base, uint64_t n, uint64_t i, unsigned int width,
				    uint64_t value)
{
	unsigned char *p = (unsigned char *)base + i * width;

	assert(i < packed_fast_limitw(n, width));
	assert(value <= packed_maxw(width));
	(void)n;
	packed_store64(p, (packed_load64(p) & ~packed_maxw(width)) | value);
}

/**
 * packed_put8w - write eight elements @v to @dst, in @width stores of eight bytes
 *
 * Eight elements of any width fill whole words: fewer stores than element by
 * element, on every machine. Values as for packed_putw().
 */
PACKED_INLINE void packed_put8w(unsigned char *dst, const uint64_t v[8], unsigned int width)
{
	unsigned int bits = 0, w = 0;
	uint64_t word = 0;

	/* With a constant width every shift is one: all of this unrolls. */
#pragma GCC unroll 8
	for (unsigned int k = 0; k < 8; k++) {
		assert(v[k] <= packed_maxw(width));
		word |= v[k] << bits;
		bits += 8 * width;
		if (bits >= 64) {
			packed_store64(dst + 8 * w++, word);
			bits -= 64;
			word = bits ? v[k] >> (8 * width - bits) : 0;
		}
	}
}

/**
 * packed_fillw - write elements @first to @first + @count - 1
 * @fn: gives the value of an index, at most packed_maxw(width); inlined when it
 *	is an inline function named directly
 * @arg: handed to @fn
 */
PACKED_INLINE void packed_fillw(void *base, uint64_t first, uint64_t count,
				unsigned int width,
				uint64_t (*fn)(uint64_t i, uint64_t arg), uint64_t arg)
{
	unsigned char *p = (unsigned char *)base + first * width;
	uint64_t i = first, end = first + count;

	for (; end - i >= 8; i += 8, p += 8 * (size_t)width) {
		const uint64_t v[8] = {
			fn(i, arg), fn(i + 1, arg), fn(i + 2, arg), fn(i + 3, arg),
			fn(i + 4, arg), fn(i + 5, arg), fn(i + 6, arg), fn(i + 7, arg),
		};

		packed_put8w(p, v, width);
	}
	for (; i < end; i++)
		packed_putw(base, i, width, fn(i, arg));
}

/* The same in vectors of four elements. */
#ifdef PACKED_AVX2

/** Elements behind its own four that a vector may reach, at most. */
#define PACKED_BEHIND	14

/**
 * packed_put4w_avx2 - write four elements @v to @dst in two stores of 16 bytes
 *
 * Each store ends in 16 - 2 * width zeros, which the next one writes over: only
 * where PACKED_BEHIND elements follow that are still to be written. Bits above
 * the width are left out, not asserted: a check of each would cost the speed.
 */
PACKED_INLINE PACKED_AVX2 void packed_put4w_avx2(unsigned char *dst, const uint64_t v[4],
						 unsigned int width)
{
	unsigned char from[32];
	__m256i x;

	/* With a constant width this is a constant. */
#pragma GCC unroll 32
	for (unsigned int k = 0; k < 32; k++) {
		unsigned int at = k % 16;

		from[k] = (unsigned char)(at < 2 * width ? 8 * (at / width) + at % width : 0x80);
	}
	x = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)v),
				_mm256_loadu_si256((const __m256i *)from));
	_mm_storeu_si128((__m128i *)dst, _mm256_castsi256_si128(x));
	_mm_storeu_si128((__m128i *)(dst + 2 * width), _mm256_extracti128_si256(x, 1));
}

/** packed_fillw_avx2 - packed_fillw() for a function compiled with PACKED_AVX2 */
PACKED_INLINE PACKED_AVX2 void packed_fillw_avx2(void *base, uint64_t first, uint64_t count,
						 unsigned int width,
						 uint64_t (*fn)(uint64_t i, uint64_t arg),
						 uint64_t arg)
{
	unsigned char *p = (unsigned char *)base + first * width;
	uint64_t i = first, end = first + count;

	for (; end - i >= 16 + PACKED_BEHIND; i += 16, p += 16 * (size_t)width) {
		uint64_t v[16];

		for (unsigned int k = 0; k < 16; k++)
			v[k] = fn(i + k, arg);
#pragma GCC unroll 4
		for (unsigned int k = 0; k < 16; k += 4)
			packed_put4w_avx2(p + k * (size_t)width, v + k, width);
	}
	packed_fillw(base, i, end - i, width, fn, arg);
}

#define PACKED_FILLER_AVX2(name, width, fn)						\
PACKED_AVX2 __attribute__((unused))							\
static void name##_avx2(void *base, uint64_t first, uint64_t count, uint64_t arg)	\
{											\
	packed_fillw_avx2(base, first, count, width, fn, arg);				\
}
#define PACKED_TRY_AVX2(name, ...) do {							\
	if (__builtin_cpu_supports("avx2")) {						\
		name##_avx2(__VA_ARGS__);						\
		return;									\
	}										\
} while (0)

#else
#define PACKED_FILLER_AVX2(...)
#define PACKED_TRY_AVX2(...)	do { } while (0)
#endif

/**
 * PACKED_FILLER - define name(base, first, count, arg): packed_fillw() with the
 * widest stores that the CPU it runs on has
 * @width: a constant
 * @fn: an inline function of (i, arg), as for packed_fillw()
 *
 * A sequential fill then runs at the rate of the memory (memset()); element by
 * element it reaches half of that.
 */
#define PACKED_FILLER(name, width, fn)							\
PACKED_FILLER_AVX2(name, width, fn)							\
__attribute__((unused))									\
static void name(void *base, uint64_t first, uint64_t count, uint64_t arg)		\
{											\
	PACKED_TRY_AVX2(name, base, first, count, arg);					\
	packed_fillw(base, first, count, width, fn, arg);				\
}

/**
 * packed_sumw - sum of elements @first to @first + @count - 1, modulo 2^64
 */
PACKED_INLINE uint64_t packed_sumw(const void *base, uint64_t first, uint64_t count,
				   unsigned int width)
{
	uint64_t sum = 0;

	for (uint64_t i = first; i < first + count; i++)
		sum += packed_getw(base, i, width);
	return sum;
}

#ifdef PACKED_AVX2

/**
 * packed_get4w_avx2 - four elements from @src by two loads of 16 bytes
 * Only where PACKED_BEHIND elements follow that may be read.
 */
PACKED_INLINE PACKED_AVX2 __m256i packed_get4w_avx2(const unsigned char *src,
						    unsigned int width)
{
	unsigned char from[32];
	__m128i lo = _mm_loadu_si128((const __m128i *)src);
	__m128i hi = _mm_loadu_si128((const __m128i *)(src + 2 * width));

#pragma GCC unroll 32
	for (unsigned int k = 0; k < 32; k++) {
		unsigned int at = k % 8;

		from[k] = (unsigned char)(at < width ? k % 16 / 8 * width + at : 0x80);
	}
	return _mm256_shuffle_epi8(_mm256_set_m128i(hi, lo),
				   _mm256_loadu_si256((const __m256i *)from));
}

PACKED_INLINE PACKED_AVX2 uint64_t packed_sumw_avx2(const void *base, uint64_t first,
						    uint64_t count, unsigned int width)
{
	const unsigned char *p = (const unsigned char *)base + first * width;
	const uint64_t end = first + count;
	__m256i a = _mm256_setzero_si256(), b = a;
	uint64_t i = first, sums[4];

	for (; end - i >= 8 + PACKED_BEHIND; i += 8, p += 8 * (size_t)width) {
		a = _mm256_add_epi64(a, packed_get4w_avx2(p, width));
		b = _mm256_add_epi64(b, packed_get4w_avx2(p + 4 * (size_t)width, width));
	}
	_mm256_storeu_si256((__m256i *)sums, _mm256_add_epi64(a, b));
	return sums[0] + sums[1] + sums[2] + sums[3] +
	       packed_sumw(base, i, end - i, width);
}

#define PACKED_SUMMER_AVX2(name, width)							\
PACKED_AVX2 __attribute__((unused))							\
static uint64_t name##_avx2(const void *base, uint64_t first, uint64_t count)		\
{											\
	return packed_sumw_avx2(base, first, count, width);				\
}
#define PACKED_TRY_SUM_AVX2(name, ...) do {						\
	if (__builtin_cpu_supports("avx2"))						\
		return name##_avx2(__VA_ARGS__);					\
} while (0)

#else
#define PACKED_SUMMER_AVX2(...)
#define PACKED_TRY_SUM_AVX2(...)	do { } while (0)
#endif

/**
 * PACKED_SUMMER - define name(base, first, count): packed_sumw() with the widest
 * loads that the CPU it runs on has; nothing behind the last element is read
 * @width: a constant
 */
#define PACKED_SUMMER(name, width)							\
PACKED_SUMMER_AVX2(name, width)								\
__attribute__((unused))									\
static uint64_t name(const void *base, uint64_t first, uint64_t count)			\
{											\
	PACKED_TRY_SUM_AVX2(name, base, first, count);					\
	return packed_sumw(base, first, count, width);					\
}

/* The same for five bytes. */

/** Greatest value of a five-byte element: 2^40 - 1. */
#define PACKED_MAX	((UINT64_C(1) << 40) - 1)

PACKED_INLINE uint64_t packed_fast_limit(uint64_t n)
{
	return packed_fast_limitw(n, PACKED_WIDTH);
}

PACKED_INLINE uint64_t packed_get(const void *base, uint64_t i)
{
	return packed_getw(base, i, PACKED_WIDTH);
}

PACKED_INLINE bool packed_get_safe(const void *base, uint64_t n, uint64_t i, uint64_t *value)
{
	return packed_getw_safe(base, n, i, PACKED_WIDTH, value);
}

PACKED_INLINE uint64_t packed_get_fast(const void *base, uint64_t n, uint64_t i)
{
	return packed_getw_fast(base, n, i, PACKED_WIDTH);
}

PACKED_INLINE void packed_put(void *base, uint64_t i, uint64_t value)
{
	packed_putw(base, i, PACKED_WIDTH, value);
}

PACKED_INLINE bool packed_set(void *base, uint64_t i, uint64_t value)
{
	return packed_setw(base, i, PACKED_WIDTH, value);
}

PACKED_INLINE void packed_set_fast(void *base, uint64_t n, uint64_t i, uint64_t value)
{
	packed_setw_fast(base, n, i, PACKED_WIDTH, value);
}

PACKED_INLINE void packed_fill(void *base, uint64_t first, uint64_t count,
			       uint64_t (*fn)(uint64_t i, uint64_t arg), uint64_t arg)
{
	packed_fillw(base, first, count, PACKED_WIDTH, fn, arg);
}

/* Random indices. */

/** packed_random - splitmix64: the next of 2^64 numbers; any @state will do */
PACKED_INLINE uint64_t packed_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/**
 * packed_index - random number @r as an index 0..n-1 (n > 0)
 * The high half of r * n: no division, and no low bits that repeat.
 */
PACKED_INLINE uint64_t packed_index(uint64_t r, uint64_t n)
{
	return (uint64_t)((__uint128_t)r * n >> 64);
}

#endif /* PACKED_H */
