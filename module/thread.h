/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_THREAD_H
#define HPBUF_THREAD_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/wait.h>

struct task_struct;

/*
 * struct thread_work - what threads do for a caller that waits for them
 * @fn: the work; each thread calls it once
 * @caller: that caller, current: they use its CPUs
 * @cpu_ns: CPU time of those that have ended, in sum
 */
struct thread_work {
	void (*fn)(struct thread_work *work);
	struct task_struct *caller;
	atomic64_t cpu_ns;
};

/*
 * A thread at the caller's priority, or an ERR_PTR(). The caller ends it by
 * kthread_stop(), which waits for the work; one that never got to run does none.
 */
struct task_struct *thread_start(struct thread_work *work, const char *name);

/*
 * struct timed_work - work that is stopped when its time is over
 * @fn: the work, in a thread of its own: 0 or an error, -EINTR when stopped
 * @tell: called by the caller each second until then, with the nanoseconds since
 *	it began
 * @timeout_ms: time limit
 * @cpu_ns: out: CPU time of the thread
 * @stopped: set before the thread gets SIGKILL, which one that has just begun may miss
 */
struct timed_work {
	int (*fn)(struct timed_work *timed);
	void (*tell)(const struct timed_work *timed, u64 ns);
	unsigned int timeout_ms;
	u64 cpu_ns;
	bool stopped;

	/* thread.c's own */
	struct thread_work work;
	wait_queue_head_t wait;
	bool done;
	int ret;
};

/*
 * What @fn returned, or why it was stopped: -ETIMEDOUT, or -EINTR on a fatal signal to
 * the caller. -EINTR or -ENOMEM if there is no thread to be had.
 */
int timed_run(struct timed_work *timed, const char *name);

#endif
