// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/bus.h"
#include "measure/stop.h"

#define STACK	(256 << 10)

struct member {
	struct crew *crew;
	unsigned int me;
	/* Where it is pinned, and whether its last job ended elsewhere. */
	unsigned int cpu;
	bool moved;
	pthread_t thread;
};

struct crew {
	unsigned int size, started;
	cpu_set_t allowed;
	pthread_barrier_t start, end;
	/* The job; written before the start barrier, read behind it. */
	unsigned int active;
	void (*fn)(unsigned int me, void *arg);
	void *arg;
	bool over;
	struct member member[];
};

static void pin(struct crew *crew, unsigned int me)
{
	unsigned int skip = me % (unsigned int)CPU_COUNT(&crew->allowed);
	cpu_set_t one;
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &crew->allowed) && !skip--)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	crew->member[me].cpu = (unsigned int)cpu;
}

/* Pinning may have failed, or be undone from outside (cpusets, taskset). */
static void work(struct crew *crew, unsigned int me)
{
	if (!bus_try(crew->fn, me, crew->arg))
		stop_because(STOP_BUS);
	crew->member[me].moved = sched_getcpu() != (int)crew->member[me].cpu;
}

static void *serve(void *arg)
{
	struct member *m = arg;
	struct crew *crew = m->crew;

	pin(crew, m->me);
	for (;;) {
		pthread_barrier_wait(&crew->start);
		if (crew->over)
			return NULL;
		if (m->me < crew->active)
			work(crew, m->me);
		pthread_barrier_wait(&crew->end);
	}
}

static int start_threads(struct crew *crew)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	err = pthread_attr_init(&attr);
	if (err)
		return err;
	pthread_attr_setstacksize(&attr, STACK);
	/* Signals go to the first thread, which is the one that waits. */
	sigfillset(&all);
	/* But for what a thread does to itself. */
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned int i = 1; i < crew->size && !err; i++) {
		crew->member[i].crew = crew;
		crew->member[i].me = i;
		err = pthread_create(&crew->member[i].thread, &attr, serve, &crew->member[i]);
		if (!err)
			crew->started++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return err;
}

int crew_new(struct crew **out, unsigned int threads, struct hp_error *e)
{
	struct crew *crew = calloc(1, sizeof(*crew) + threads * sizeof(crew->member[0]));
	int err;

	if (!crew)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "out of memory");
	crew->size = threads;
	bus_install();
	if (sched_getaffinity(0, sizeof(crew->allowed), &crew->allowed)) {
		CPU_ZERO(&crew->allowed);
		CPU_SET(0, &crew->allowed);
	}
	pthread_barrier_init(&crew->start, NULL, threads);
	pthread_barrier_init(&crew->end, NULL, threads);
	err = start_threads(crew);
	if (err) {
		/* Those that wait at the barrier do so until the process ends. */
		for (unsigned int i = 1; i <= crew->started; i++)
			pthread_detach(crew->member[i].thread);
		return hp_fail(e, HP_RESOURCE, err, "%u threads: %s", threads, strerror(err));
	}
	pin(crew, 0);
	*out = crew;
	return HP_OK;
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	crew->over = true;
	if (crew->size > 1)
		pthread_barrier_wait(&crew->start);
	for (unsigned int i = 1; i < crew->size; i++)
		pthread_join(crew->member[i].thread, NULL);
	pthread_setaffinity_np(pthread_self(), sizeof(crew->allowed), &crew->allowed);
	pthread_barrier_destroy(&crew->start);
	pthread_barrier_destroy(&crew->end);
	free(crew);
}

unsigned int crew_size(const struct crew *crew)
{
	return crew->size;
}

unsigned int crew_cpu(const struct crew *crew, unsigned int me)
{
	return crew->member[me].cpu;
}

unsigned int crew_moved(const struct crew *crew)
{
	unsigned int moved = 0;

	for (unsigned int i = 0; i < crew->active; i++)
		moved += crew->member[i].moved;
	return moved;
}

struct stage *crew_run(struct crew *crew, unsigned int threads,
		       void (*fn)(unsigned int me, void *arg), void *arg,
		       struct stages *to, const char *name)
{
	struct stage_clock clock;
	bool alone;

	crew->active = threads ? threads : crew->size;
	crew->fn = fn;
	crew->arg = arg;
	/* One member needs no barrier, and the others sleep on. */
	alone = crew->active == 1;
	stage_begin(&clock);
	if (!alone)
		pthread_barrier_wait(&crew->start);
	work(crew, 0);
	if (!alone)
		pthread_barrier_wait(&crew->end);
	return stage_end(&clock, to, name);
}
