// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

/* The only state that a signal handler may touch; nothing else is global. */
static volatile sig_atomic_t stop_by;

static void on_signal(int sig)
{
	if (!stop_by)
		stop_by = sig;
}

static void catch_one(int sig)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction old;

	if (!sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN)
		return;
	sigfillset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

void stop_install(uint64_t limit_ns)
{
	struct itimerval it = { 0 };

	catch_one(SIGINT);
	catch_one(SIGTERM);
	catch_one(SIGHUP);
	catch_one(SIGQUIT);
	if (!limit_ns)
		return;
	catch_one(SIGALRM);
	it.it_value.tv_sec = (time_t)(limit_ns / 1000000000);
	it.it_value.tv_usec = (suseconds_t)(limit_ns % 1000000000 / 1000);
	if (!it.it_value.tv_sec && !it.it_value.tv_usec)
		it.it_value.tv_usec = 1;
	setitimer(ITIMER_REAL, &it, NULL);
}

void stop_because(int reason)
{
	if (!stop_by)
		stop_by = reason;
}

bool stop_pending(void)
{
	return stop_by != 0;
}

int stop_signal(void)
{
	return stop_by;
}

int stop_error(struct hp_error *e)
{
	int sig = stop_by;

	if (!sig)
		return HP_OK;
	if (sig == SIGALRM) {
		hp_fail(e, HP_RESOURCE, ETIMEDOUT, "the time limit passed; what is shown is partial");
		return hp_hint(e, "raise --timeout, or take a smaller -s, --ops or -r");
	}
	if (sig == STOP_MEMORY) {
		hp_fail(e, HP_RESOURCE, ENOMEM,
			"less than half of --spare was left of the memory; what is shown is partial");
		return hp_hint(e, "end what uses the memory, or take a smaller --size or --spare");
	}
	if (sig == STOP_SWAP) {
		hp_fail(e, HP_RESOURCE, ENOMEM,
			"the system swapped more and more during the run; what is shown is partial");
		return hp_hint(e, "end what uses the memory, or take a smaller --size");
	}
	if (sig == STOP_BUS) {
		hp_fail(e, HP_RESOURCE, EFAULT,
			"a page could not be had when it was touched (SIGBUS); what is shown is partial");
		return hp_hint(e, "a hugetlb cgroup's limit that was lowered, a file cut short, or broken memory: see the kernel log");
	}
	if (sig == STOP_SHORT) {
		hp_fail(e, HP_RESOURCE, ENOMEM,
			"memory for another run could not be had any more; what is shown is partial");
		return hp_hint(e, "end what uses the memory, or take a smaller --size or --spare");
	}
	return hp_fail(e, 128 + sig, EINTR, "stopped by SIG%s; what is shown is partial",
		       sigabbrev_np(sig));
}
