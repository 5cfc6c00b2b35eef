// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of durations. Each CPU has its own, so that counting costs no
 * shared cache line; they are summed when they are read.
 */
#include <linux/bitops.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/hpbuf.h>

#include "hist.h"

#define OWN_FIRST	HPBUF_STAT_SOURCE_ALLOC
#define OWN_NR		(HPBUF_STAT_SOURCE_SHRINK - OWN_FIRST + 1)
#define KERNEL_FIRST	HPBUF_STAT_SOURCE_DIRECT_RECLAIM
#define KERNEL_NR	(HPBUF_STAT_SOURCE_KSWAPD - KERNEL_FIRST + 1)
#define CAUSE_NR	(HPBUF_CAUSE_OTHER + 1)

struct hist_own {
	struct hist hist[OWN_NR][2];
};

struct hist_kernel {
	struct hist hist[KERNEL_NR];
};

static struct hist_own __percpu **own;	/* by node; NULL where there is no memory */
static struct hist_kernel __percpu *kernel;
static atomic64_t failures[CAUSE_NR];

int hist_init(void)
{
	int nid;

	kernel = alloc_percpu(struct hist_kernel);
	own = kcalloc(nr_node_ids, sizeof(*own), GFP_KERNEL);
	if (!kernel || !own)
		goto err;
	for_each_node(nid) {
		own[nid] = alloc_percpu(struct hist_own);
		if (!own[nid])
			goto err;
	}
	return 0;
err:
	hist_exit();
	return -ENOMEM;
}

void hist_exit(void)
{
	int nid;

	if (own)
		for_each_node(nid)
			free_percpu(own[nid]);
	kfree(own);
	own = NULL;
	free_percpu(kernel);
	kernel = NULL;
}

unsigned int hist_bucket(u64 value, unsigned int nr)
{
	unsigned int octave;

	if (value < 4)
		return value;
	octave = fls64(value) - 3;
	return min_t(unsigned int, 4 * (octave + 1) + ((value >> octave) & 3), nr - 1);
}

unsigned int hist_used(const u32 *bucket, unsigned int nr)
{
	while (nr && !bucket[nr - 1])
		nr--;
	return nr;
}

static void hist_add(struct hist *h, u64 ns, u64 pages, u64 failed)
{
	h->count++;
	h->sum += ns;
	h->max = max(h->max, ns);
	h->pages += pages;
	h->failed += failed;
	h->bucket[hist_bucket(ns, HIST_BUCKETS)]++;
}

void hist_own(enum hpbuf_stat_source source, unsigned int shift, int nid, u64 ns)
{
	struct hist_own *o = get_cpu_ptr(own[nid]);

	hist_add(&o->hist[source - OWN_FIRST][shift == HPBUF_SHIFT_1G], ns, 0, 0);
	put_cpu_ptr(own[nid]);
}

void hist_failure(enum hpbuf_cause cause)
{
	atomic64_inc(&failures[cause]);
}

void hist_kernel_begin(enum hpbuf_stat_source source)
{
	this_cpu_inc(kernel->hist[source - KERNEL_FIRST].begun);
}

void hist_kernel_end(enum hpbuf_stat_source source, u64 ns, u64 pages, u64 failed)
{
	/* Probes are preemptible on newer kernels. */
	struct hist_kernel *k = get_cpu_ptr(kernel);

	hist_add(&k->hist[source - KERNEL_FIRST], ns, pages, failed);
	put_cpu_ptr(kernel);
}

static void hist_sum(struct hist *sum, const struct hist *h)
{
	int i;

	sum->count += h->count;
	sum->begun += h->begun;
	sum->sum += h->sum;
	sum->max = max(sum->max, h->max);
	sum->pages += h->pages;
	sum->failed += h->failed;
	for (i = 0; i < HIST_BUCKETS; i++)
		sum->bucket[i] += h->bucket[i];
}

void hist_read_own(enum hpbuf_stat_source source, unsigned int shift, int nid, struct hist *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		hist_sum(sum, &per_cpu_ptr(own[nid], cpu)->hist[source - OWN_FIRST]
			 [shift == HPBUF_SHIFT_1G]);
}

void hist_read_kernel(enum hpbuf_stat_source source, struct hist *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		hist_sum(sum, &per_cpu_ptr(kernel, cpu)->hist[source - KERNEL_FIRST]);
}

u64 hist_read_failures(enum hpbuf_cause cause)
{
	return atomic64_read(&failures[cause]);
}

void hist_reset(void)
{
	int cpu, nid, i;

	for_each_possible_cpu(cpu) {
		for_each_node(nid)
			memset(per_cpu_ptr(own[nid], cpu), 0, sizeof(struct hist_own));
		memset(per_cpu_ptr(kernel, cpu), 0, sizeof(struct hist_kernel));
	}
	for (i = 0; i < CAUSE_NR; i++)
		atomic64_set(&failures[i], 0);
}
