// SPDX-License-Identifier: GPL-2.0-only
/* The workers, seen from the one that starts them. */
#include "crew.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest.h>

#include "worker.h"

/* Whoever is killed in the middle of a call into the page allocator takes a while. */
#define END_MS		(60000u * time_scale())

pid_t child_fork(void)
{
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void start_one(struct crew *c, unsigned int i)
{
	uint64_t number = c->next++;
	pid_t pid = child_fork();

	if (pid < 0) {
		op_counted(OP_WORKER, -errno);
		return;
	}
	if (!pid) {
		setpgid(0, 0);
		_exit(worker_main(number));
	}
	setpgid(pid, pid);
	c->group[i] = pid;
	shared->worker[i] = pid;
}

void crew_start(struct crew *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		start_one(c, i);
}

/* Out of memory is how the machine may end one; anything else is its own doing. */
static void judge(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		wrong("a worker was ended by: %s", strsignal(WTERMSIG(status)));
}

static void collect(struct crew *c)
{
	int status;
	unsigned int i;
	pid_t pid;

	for (i = 0; i < c->nr; i++) {
		pid = shared->worker[i];
		if (pid <= 0 || waitpid(pid, &status, WNOHANG) != pid)
			continue;
		shared->worker[i] = 0;
		judge(status);
	}
}

void crew_tend(struct crew *c, struct rng *r)
{
	unsigned int i = rng_below(r, c->nr);

	if (rng_one_in(r, 4) && shared->worker[i] > 0)
		op_counted(OP_KILL, kill(shared->worker[i], SIGKILL) ? -errno : 0);
	collect(c);
	for (i = 0; i < c->nr; i++) {
		if (shared->worker[i] > 0)
			continue;
		if (c->group[i] > 0)
			kill(-c->group[i], SIGKILL);
		start_one(c, i);
	}
}

/* Where it hangs, for whoever looks into it. */
static void tell_stuck(pid_t pid, const char *who)
{
	char path[64], stack[2048];

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	text_read(path, stack, sizeof(stack));
	wrong("%s (%d) does not end", who, pid);
	ksft_print_msg("%s (%d) is at:\n%s", who, pid, stack);
}

bool child_wait(pid_t pid, const char *who)
{
	uint64_t end = now_ms() + END_MS;
	pid_t got;

	while (now_ms() < end) {
		got = waitpid(pid, NULL, WNOHANG);
		if (got < 0 || (got > 0 && pid > 0))
			return true;
		if (!got)
			pause_ms(20);
	}
	tell_stuck(pid, who);
	return false;
}

void crew_end(struct crew *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (c->group[i] > 0)
			kill(-c->group[i], SIGKILL);
	for (i = 0; i < c->nr; i++) {
		if (shared->worker[i] > 0)
			child_wait(shared->worker[i], "a worker");
		shared->worker[i] = 0;
		c->group[i] = 0;
	}
	/* what they forked is ours now */
	child_wait(-1, "what a worker forked");
}
