// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure/stop.h"

#define STACK		(64 << 10)
#define PERIOD_NS	200000000

struct guard {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool over;
	int meminfo;
	/* Under the lock, as over. */
	uint64_t least, swap_before;
};

/* The kilobytes behind @key, as bytes; false when it is not there. */
static bool field(const char *text, const char *key, uint64_t *bytes)
{
	const char *at = strstr(text, key);

	if (!at)
		return false;
	*bytes = strtoull(at + strlen(key), NULL, 10) * 1024;
	return true;
}

/* No stdio: what it allocates could be a page fault in somebody's timed part. */
static bool look(const struct guard *g, uint64_t *avail, uint64_t *swap)
{
	uint64_t total, left;
	char text[4096];
	ssize_t n = pread(g->meminfo, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (!field(text, "\nMemAvailable:", avail))
		return false;
	*swap = 0;
	if (field(text, "\nSwapTotal:", &total) && field(text, "\nSwapFree:", &left) &&
	    total > left)
		*swap = total - left;
	return true;
}

static void judge(struct guard *g)
{
	uint64_t avail, swap;

	if (!look(g, &avail, &swap))
		return;
	if (avail < g->least)
		stop_because(STOP_MEMORY);
	else if (swap > g->swap_before && swap - g->swap_before > GUARD_SWAP)
		stop_because(STOP_SWAP);
}

static void *watch(void *arg)
{
	struct guard *g = arg;
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	pthread_mutex_lock(&g->lock);
	while (!g->over) {
		judge(g);
		at.tv_nsec += PERIOD_NS;
		if (at.tv_nsec >= 1000000000) {
			at.tv_sec++;
			at.tv_nsec -= 1000000000;
		}
		while (!g->over && !pthread_cond_timedwait(&g->wake, &g->lock, &at))
			;
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

static int start_thread(struct guard *g)
{
	pthread_condattr_t clock;
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&g->wake, &clock);
	pthread_condattr_destroy(&clock);
	pthread_mutex_init(&g->lock, NULL);
	err = pthread_attr_init(&attr);
	if (err)
		return err;
	pthread_attr_setstacksize(&attr, STACK);
	/* Signals go to the first thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&g->thread, &attr, watch, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return err;
}

int guard_start(struct guard **guard, uint64_t least, struct hp_error *e)
{
	struct guard *g = calloc(1, sizeof(*g));
	uint64_t avail;
	int err;

	if (!g)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "out of memory");
	g->least = least;
	g->meminfo = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	look(g, &avail, &g->swap_before);
	err = start_thread(g);
	if (err) {
		close(g->meminfo);
		free(g);
		return hp_fail(e, HP_RESOURCE, err, "no thread for the guard: %s", strerror(err));
	}
	*guard = g;
	return HP_OK;
}

void guard_least(struct guard *guard, uint64_t least)
{
	uint64_t avail, swap;

	/* Where pools hold nearly all memory there is little else, and that is no change. */
	if (look(guard, &avail, &swap) && avail / 2 < least)
		least = avail / 2;
	pthread_mutex_lock(&guard->lock);
	guard->least = least;
	pthread_mutex_unlock(&guard->lock);
}

void guard_end(struct guard *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->over = true;
	pthread_cond_signal(&g->wake);
	pthread_mutex_unlock(&g->lock);
	pthread_join(g->thread, NULL);
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->wake);
	close(g->meminfo);
	free(g);
}
