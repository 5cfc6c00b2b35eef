// SPDX-License-Identifier: GPL-2.0-only
/* The life of a worker. */
#include "worker.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static const struct {
	void (*run)(struct actor *a);
	unsigned int weight;
} things[] = {
	{ do_alloc, 30 }, { do_persist, 2 }, { do_close, 12 }, { do_open, 6 }, { do_free, 2 },
	{ do_info, 4 }, { do_list, 2 },
	{ do_map, 30 }, { do_touch, 60 }, { do_unmap, 14 }, { do_protect, 8 }, { do_remap, 6 },
	{ do_populate, 6 }, { do_advise, 8 }, { do_fork, 4 },
	{ do_walk, 2 }, { do_proc, 2 }, { do_readv, 6 }, { do_pin, 4 }, { do_unpin, 4 },
	{ do_kill, 1 },
};

/* ---- faults ---- */

static __thread sigjmp_buf fault_jump;
static __thread volatile sig_atomic_t fault_armed;
static __thread void *volatile fault_address;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	if (!fault_armed) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	fault_address = info->si_addr;
	siglongjmp(fault_jump, sig);
}

static void catch_faults(void)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_NODEFER | SA_SIGINFO };

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
}

/* ---- slots ---- */

struct slot *slot_any(struct actor *a)
{
	unsigned int i, at = rng_below(&a->rng, SLOTS);

	for (i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS)
		if (a->slot[at].fd >= 0)
			return &a->slot[at];
	return NULL;
}

struct slot *slot_mapped(struct actor *a)
{
	unsigned int i, at = rng_below(&a->rng, SLOTS);

	for (i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS)
		if (a->slot[at].fd >= 0 && a->slot[at].map)
			return &a->slot[at];
	return NULL;
}

void slot_unmap(struct slot *s)
{
	if (s->map)
		op_ended(OP_UNMAP, munmap(s->map, s->map_len) ? -errno : 0, NULL);
	s->map = NULL;
}

void slot_close(struct actor *a, struct slot *s)
{
	/* either may be the first to go */
	if (rng_one_in(&a->rng, 2))
		slot_unmap(s);
	op_ended(OP_CLOSE, close(s->fd) ? -errno : 0, NULL);
	slot_unmap(s);
	s->fd = -1;
}

/* ---- threads ---- */

static void one_thing(struct actor *a)
{
	unsigned int sum = 0, i, at;

	for (i = 0; i < NR(things); i++)
		sum += things[i].weight;
	at = rng_below(&a->rng, sum);
	for (i = 0; at >= things[i].weight; i++)
		at -= things[i].weight;
	things[i].run(a);
}

/* A signal came: nothing is known of what was under way. */
static void after_fault(struct actor *a, int sig)
{
	int i;

	if (sig == SIGBUS && shared->poison)
		op_counted(OP_TOUCH, -EHWPOISON);
	else
		wrong("%s at %p", strsignal(sig), fault_address);
	for (i = 0; i < SLOTS; i++)
		if (a->slot[i].fd >= 0)
			slot_close(a, &a->slot[i]);
}

static void *actor_main(void *arg)
{
	struct actor *a = arg;
	int sig;

	for (;;) {
		sig = sigsetjmp(fault_jump, 1);
		if (sig) {
			fault_armed = 0;
			after_fault(a, sig);
		}
		fault_armed = 1;
		one_thing(a);
	}
	return NULL;
}

/* The module may just be away: somebody tries to unload it. */
static int open_all(struct actor *a)
{
	int try, ret = 0;

	for (try = 0; try < 100; try++) {
		a->dev = hpbuf_open_device(NULL, &a->caps);
		if (a->dev >= 0) {
			ret = hpbuf_nl_open(&a->nl);
			if (!ret)
				return 0;
			close(a->dev);
		} else {
			ret = a->dev;
		}
		pause_ms(50);
	}
	return ret;
}

static int actor_init(struct actor *a, uint64_t number, int thread)
{
	int i;

	a->rng = rng_make(shared->seed, number, thread);
	for (i = 0; i < SLOTS; i++)
		a->slot[i].fd = -1;
	a->pipe[0] = -1;
	return open_all(a);
}

int worker_main(uint64_t number)
{
	struct actor *actors = calloc(WORKER_THREADS, sizeof(*actors));
	pthread_t thread;
	int i, ret;

	/* nobody waits for what it forks */
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	text_write("/proc/self/oom_score_adj", "500");
	catch_faults();
	if (!actors)
		return 0;	/* no memory */
	for (i = 0; i < WORKER_THREADS; i++) {
		ret = actor_init(&actors[i], number, i);
		if (ret) {
			wrong("a worker cannot open the device: %s", strerror(-ret));
			return 1;
		}
	}
	op_counted(OP_WORKER, 0);
	for (i = 1; i < WORKER_THREADS; i++)
		if (pthread_create(&thread, NULL, actor_main, &actors[i]))
			return 0;	/* no memory */
	actor_main(&actors[0]);
	return 0;
}
