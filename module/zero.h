/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_ZERO_H
#define HPBUF_ZERO_H

#include <linux/types.h>

#define ZERO_THREADS_MAX	8

/*
 * Make @nr pages of 2^@shift bytes zero, by up to @threads threads with the caller's
 * CPUs and priority where that is worth it. Counts each page in the histogram of
 * zeroing. -EINTR when *@stop becomes true. Sleeps. The CPU time of threads other than
 * the caller is added to *@cpu_ns, unless that is NULL.
 */
int zero_pages(unsigned int shift, const unsigned long *pfn, unsigned int nr,
	       unsigned int threads, const bool *stop, u64 *cpu_ns);

#endif
