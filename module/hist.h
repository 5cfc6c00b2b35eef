/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_HIST_H
#define HPBUF_HIST_H

#include <linux/types.h>
#include <linux/hpbuf_netlink.h>

/* Log-linear, 4 steps an octave: see "hist" of the attribute set "stat". */
#define HIST_BUCKETS	156

/* Durations of one kind of operation, in nanoseconds. */
struct hist {
	u64 count;
	u64 begun;
	u64 sum;
	u64 max;
	u64 pages;
	u64 failed;
	u32 bucket[HIST_BUCKETS];
};

int hist_init(void);
void hist_exit(void);

/*
 * An operation of the module on pages of 2^@shift bytes on node @nid took @ns.
 * From process context.
 */
void hist_own(enum hpbuf_stat_source source, unsigned int shift, int nid, u64 ns);

/* An allocation failed. */
void hist_failure(enum hpbuf_cause cause);

/* An operation of the kernel began, or ended after @ns. From any task context. */
void hist_kernel_begin(enum hpbuf_stat_source source);
void hist_kernel_end(enum hpbuf_stat_source source, u64 ns, u64 pages, u64 failed);

/* The CPUs' histograms summed into @sum. What is added meanwhile may be missed. */
void hist_read_own(enum hpbuf_stat_source source, unsigned int shift, int nid, struct hist *sum);
void hist_read_kernel(enum hpbuf_stat_source source, struct hist *sum);
u64 hist_read_failures(enum hpbuf_cause cause);

void hist_reset(void);

/* The bucket of a value, and the last that is not empty plus one. */
unsigned int hist_bucket(u64 value, unsigned int nr);
unsigned int hist_used(const u32 *bucket, unsigned int nr);

#endif
