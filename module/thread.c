// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of our own for the work of a caller, who waits for them.
 *
 * One call into the page allocator may migrate for many seconds, and nothing
 * but SIGKILL to the thread that makes it ends it. So timed work has a thread:
 * when the limit passes, or its caller is being killed, it gets the signal and
 * the caller does not.
 */
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "thread.h"

static int thread_main(void *arg)
{
	struct thread_work *work = arg;

	/* Newer kernels would undo it if it were done from outside. */
	set_cpus_allowed_ptr(current, work->caller->cpus_ptr);
	work->fn(work);

	/* Stay until kthread_stop(): the module must not go before this returns. */
	for (;;) {
		/* The caller may be frozen before it can stop us. */
		set_current_state(TASK_IDLE | TASK_FREEZABLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	/* Brought up to date by the scheduler, where it may not have been since a tick. */
	schedule();
	atomic64_add(current->se.sum_exec_runtime, &work->cpu_ns);
	return 0;
}

struct task_struct *thread_start(struct thread_work *work, const char *name)
{
	struct task_struct *thread = kthread_create(thread_main, work, "%s", name);

	if (IS_ERR(thread))
		return thread;
	set_user_nice(thread, task_nice(current));
	wake_up_process(thread);
	return thread;
}

static void timed_fn(struct thread_work *work)
{
	struct timed_work *timed = container_of(work, struct timed_work, work);

	allow_kernel_signal(SIGKILL);
	set_freezable();
	timed->ret = timed->fn(timed);
	/* The caller waits for the thread's end too, so @wait is not gone meanwhile. */
	smp_store_release(&timed->done, true);	/* after what @fn did */
	wake_up(&timed->wait);
}

#define TELL_MS	1000

static bool is_done(const struct timed_work *timed)
{
	return smp_load_acquire(&timed->done);	/* before what @fn did is read */
}

/*
 * Wait until it is done: the jiffies that are left or 1, 0 when the time is over,
 * -ERESTARTSYS on a fatal signal. The machine may be put to sleep meanwhile.
 */
static long wait_done(struct timed_work *timed, long timeout)
{
	return ___wait_event(timed->wait, ___wait_cond_timeout(is_done(timed)),
			     (TASK_KILLABLE | TASK_FREEZABLE), 0, timeout,
			     __ret = schedule_timeout(__ret));
}

/* The same, and tell each second. */
static long wait_telling(struct timed_work *timed)
{
	unsigned long end = jiffies + msecs_to_jiffies(timed->timeout_ms);
	u64 start = ktime_get_ns();
	long left, slice;

	for (;;) {
		left = (long)(end - jiffies);
		if (left <= 0)
			return 0;
		slice = min_t(long, left, msecs_to_jiffies(TELL_MS));
		left = wait_done(timed, slice);
		if (left)
			return left;
		timed->tell(timed, ktime_get_ns() - start);
	}
}

/* 0 when the work ended by itself, else why it was stopped. */
static int wait_or_stop(struct timed_work *timed, struct task_struct *thread)
{
	long left = wait_telling(timed);

	if (left > 0)
		return 0;
	WRITE_ONCE(timed->stopped, true);
	send_sig(SIGKILL, thread, 1);
	wait_event(timed->wait, is_done(timed));
	return left ? -EINTR : -ETIMEDOUT;
}

int timed_run(struct timed_work *timed, const char *name)
{
	struct task_struct *thread;
	int stopped, ret;

	timed->work = (struct thread_work){ .fn = timed_fn, .caller = current };
	timed->done = false;
	init_waitqueue_head(&timed->wait);
	thread = thread_start(&timed->work, name);
	if (IS_ERR(thread))
		return PTR_ERR(thread) == -EINTR ? -EINTR : -ENOMEM;
	stopped = wait_or_stop(timed, thread);
	kthread_stop(thread);
	timed->cpu_ns = atomic64_read(&timed->work.cpu_ns);

	ret = timed->ret;
	/* Work that was done just as the time ran out is done. */
	if (ret == -EINTR && stopped)
		ret = stopped;
	if (fatal_signal_pending(current))
		ret = -EINTR;
	return ret;
}
