/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock that all durations are taken with. */
#ifndef HPCTL_CLOCK_H
#define HPCTL_CLOCK_H

#include <stdint.h>
#include <time.h>

/** clock_ns - CLOCK_MONOTONIC_RAW: no slewing by NTP; nanoseconds */
static inline uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/**
 * clock_step_ns - smallest step seen between readings, 1 or more
 * What is shorter than some hundred of these cannot be measured by one reading.
 */
uint64_t clock_step_ns(void);

#endif
