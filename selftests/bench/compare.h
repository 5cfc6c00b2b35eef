/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two pieces of code in turns, and the ratio of their times. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct side - one of the two
 * @run: a whole turn, with what has to be prepared; returns the nanoseconds of
 *	CPU time that its timed part took, 0: the data was wrong
 */
struct side {
	const char *name;
	uint64_t (*run)(void *arg, uint64_t seed);
};

/**
 * struct target - what the ratio is hoped to be
 * @least: at least; or, with @within, nearer to 1 than this
 */
struct target {
	double least;
	double within;
};

/**
 * compare_sides - @pairs turns each in an order drawn by @seed, one line on stdout
 * @where: memory they ran on, for the line
 * @ref, @x: the ratio is the time of @ref by that of @x: more than 1, @x is faster
 * @unit: bytes or operations of a turn, as "ns" or "GB/s" are worked out from
 * Returns false when data was wrong or a signal came; then there is no ratio.
 */
bool compare_sides(const char *where, const struct side *ref, const struct side *x,
		   void *arg, unsigned int pairs, uint64_t seed, struct target target);

/** compare_head - the line above */
void compare_head(void);

/** cpu_ns - CPU time of this thread: what others take of the CPU is not in it */
uint64_t cpu_ns(void);

#endif
