// SPDX-License-Identifier: GPL-2.0
/*
 * Zeroing, past the caches: the owner writes a page before it reads it, and a
 * gigabyte of zeroes would push everybody's data out.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/hpbuf.h>

#include "hist.h"
#include "thread.h"
#include "zero.h"

/* What is zeroed between two looks at the stop flag. */
#define STEP_SHIFT	HPBUF_SHIFT_2M
#define STEP_BYTES	BIT(STEP_SHIFT)

/* A thread more for each 64 MiB, as starting one takes some 50 us. */
#define STEPS_A_THREAD	32

static void zero_step(unsigned long pfn)
{
	char *p = page_address(pfn_to_page(pfn));
	char *end = p + STEP_BYTES;

	for (; p < end; p += 64)
		asm volatile("movnti %1, 0(%0)\n\t"
			     "movnti %1, 8(%0)\n\t"
			     "movnti %1, 16(%0)\n\t"
			     "movnti %1, 24(%0)\n\t"
			     "movnti %1, 32(%0)\n\t"
			     "movnti %1, 40(%0)\n\t"
			     "movnti %1, 48(%0)\n\t"
			     "movnti %1, 56(%0)"
			     : : "r" (p), "r" (0UL) : "memory");
	/* Whoever is told next that the page is zero must find it so. */
	asm volatile("sfence" : : : "memory");
}

/*
 * @threads: at most
 * @next: the first step that nobody has begun
 * @cut: somebody left a step undone
 * @cpu_ns: what the helpers' time is added to, or NULL
 */
struct zero_job {
	struct thread_work work;
	unsigned int shift;
	unsigned int threads;
	const unsigned long *pfn;
	u64 steps;
	atomic64_t next;
	const bool *stop;
	bool cut;
	u64 *cpu_ns;
};

static void job_run(struct zero_job *job)
{
	unsigned int per_page = job->shift - STEP_SHIFT;
	u64 at, in_page, start;
	unsigned long pfn;

	while ((at = atomic64_fetch_inc(&job->next)) < job->steps) {
		if (READ_ONCE(*job->stop)) {
			WRITE_ONCE(job->cut, true);
			return;
		}
		/* Of a thread that can be: it may be at this for long. */
		try_to_freeze();
		pfn = job->pfn[at >> per_page];
		in_page = at & ((1U << per_page) - 1);
		start = ktime_get_ns();
		zero_step(pfn + (in_page << (STEP_SHIFT - PAGE_SHIFT)));
		if (!per_page)
			hist_own(HPBUF_STAT_SOURCE_ZERO, job->shift,
				 page_to_nid(pfn_to_page(pfn)), ktime_get_ns() - start);
		cond_resched();
	}
}

static void job_thread(struct thread_work *work)
{
	job_run(container_of(work, struct zero_job, work));
}

/* All steps of @job, with as many threads as are of use and can be had. */
static int job_share(struct zero_job *job)
{
	struct task_struct *thread[ZERO_THREADS_MAX - 1];
	unsigned int nr = 0, want;

	job->work = (struct thread_work){ .fn = job_thread, .caller = current };
	want = min_t(u64, job->steps / STEPS_A_THREAD, job->threads);
	want = min3(want, cpumask_weight(current->cpus_ptr), (unsigned int)ZERO_THREADS_MAX);
	while (nr + 1 < want) {
		thread[nr] = thread_start(&job->work, "hpbuf-zero");
		if (IS_ERR(thread[nr]))
			break;
		nr++;
	}
	job_run(job);
	/* One that never got to run has left nothing undone. */
	while (nr)
		kthread_stop(thread[--nr]);
	if (job->cpu_ns)
		*job->cpu_ns += atomic64_read(&job->work.cpu_ns);
	return READ_ONCE(job->cut) ? -EINTR : 0;
}

/* One after another, so that each has a time of its own. */
static int zero_pages_1g(const unsigned long *pfn, unsigned int nr, unsigned int threads,
			 const bool *stop, u64 *cpu_ns)
{
	unsigned int i;
	u64 start;
	int ret;

	for (i = 0; i < nr; i++) {
		struct zero_job job = {
			.shift = HPBUF_SHIFT_1G,
			.threads = threads,
			.pfn = &pfn[i],
			.steps = 1ULL << (HPBUF_SHIFT_1G - STEP_SHIFT),
			.stop = stop,
			.cpu_ns = cpu_ns,
		};

		start = ktime_get_ns();
		ret = job_share(&job);
		if (ret)
			return ret;
		hist_own(HPBUF_STAT_SOURCE_ZERO, HPBUF_SHIFT_1G,
			 page_to_nid(pfn_to_page(pfn[i])), ktime_get_ns() - start);
	}
	return 0;
}

int zero_pages(unsigned int shift, const unsigned long *pfn, unsigned int nr,
	       unsigned int threads, const bool *stop, u64 *cpu_ns)
{
	struct zero_job job = {
		.shift = shift,
		.threads = threads,
		.pfn = pfn,
		.steps = nr,
		.stop = stop,
		.cpu_ns = cpu_ns,
	};

	if (shift == HPBUF_SHIFT_1G)
		return zero_pages_1g(pfn, nr, threads, stop, cpu_ns);
	return job_share(&job);
}
