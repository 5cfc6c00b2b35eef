// SPDX-License-Identifier: GPL-2.0-only
/* The disturbers, started and ended. */
#include "disturb.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest.h>

#include "crew.h"

static const struct disturber * const all[] = {
	&disturb_hog, &disturb_hog_group, &disturb_compact, &disturb_drop, &disturb_thp,
	&disturb_migrate, &disturb_readers, &disturb_memory, &disturb_cpu, &disturb_pool,
	&disturb_limits, &disturb_trace, &disturb_listen, &disturb_unload, &disturb_freeze,
	&disturb_poison,
};

/* A list of names is separated by commas, as names have spaces. */
static bool listed(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *at = list;

	while (at && (at = strstr(at, name))) {
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
		at += len;
	}
	return false;
}

void disturb_choose(struct disturbers *d, const char *without)
{
	char why[160];
	unsigned int i;

	for (i = 0; i < NR(all); i++) {
		if (listed(without, op_name(all[i]->op))) {
			ksft_print_msg("%s: left out as asked\n", op_name(all[i]->op));
		} else if (all[i]->lacks && all[i]->lacks(why, sizeof(why))) {
			ksft_print_msg("%s: SKIP %s\n", op_name(all[i]->op), why);
		} else {
			d->of[d->nr++] = all[i];
		}
	}
}

void disturb_pause(unsigned int ms)
{
	uint64_t end = now_ms() + ms;

	while (!shared->stop && now_ms() < end)
		pause_ms(10);
}

static void disturber_main(const struct disturber *of, struct rng r)
{
	text_write("/proc/self/oom_score_adj", "-900");
	while (!shared->stop) {
		disturb_pause(rng_below(&r, of->pause_ms));
		if (!shared->stop)
			of->run(&r);
	}
}

void disturb_start(struct disturbers *d, uint64_t round)
{
	unsigned int i;

	shared->stop = false;
	for (i = 0; i < d->nr; i++) {
		d->pid[i] = child_fork();
		if (d->pid[i])
			continue;
		disturber_main(d->of[i], rng_make(shared->seed, round, 1000 + i));
		_exit(0);
	}
}

/* Most end by themselves; one that waits in the kernel gets a signal. */
static void end_one(const struct disturber *of, pid_t pid)
{
	int i;

	for (i = 0; i < 300; i++) {
		if (waitpid(pid, NULL, WNOHANG))
			return;
		pause_ms(10);
	}
	kill(pid, SIGKILL);
	child_wait(pid, op_name(of->op));
}

void disturb_end(struct disturbers *d)
{
	unsigned int i;

	shared->stop = true;
	for (i = 0; i < d->nr; i++)
		if (d->pid[i] > 0)
			end_one(d->of[i], d->pid[i]);
}

void disturb_restore(const struct disturbers *d)
{
	unsigned int i;

	for (i = 0; i < d->nr; i++)
		if (d->of[i]->restore)
			d->of[i]->restore();
}

bool disturb_needs(const char *path, char *why, size_t size)
{
	if (!access(path, W_OK))
		return false;
	snprintf(why, size, "needs %s, found: %s", path, strerror(errno));
	return true;
}

pid_t disturb_worker(struct rng *r)
{
	pid_t pid = shared->worker[rng_below(r, WORKERS_MAX)];

	return pid > 0 ? pid : 0;
}
