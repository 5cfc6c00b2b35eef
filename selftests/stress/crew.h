/* SPDX-License-Identifier: GPL-2.0-only */
/* The workers: started, killed, started anew, and ended for a quiet point. */
#ifndef HPBUF_STRESS_CREW_H
#define HPBUF_STRESS_CREW_H

#include "stress.h"

/*
 * struct crew - the workers there are
 * @group: process group of each place: what is forked outlives the worker
 * @next: number of the next worker, which seeds it
 */
struct crew {
	unsigned int nr;
	pid_t group[WORKERS_MAX];
	uint64_t next;
};

void crew_start(struct crew *c);

/* Put new workers where some died; kill one now and then. */
void crew_tend(struct crew *c, struct rng *r);

/* Kill all, with what they forked, and wait until nothing is left of them. */
void crew_end(struct crew *c);

/*
 * A child that ends with this process. 0 in the child, else as fork(), and nothing of
 * what was printed is printed twice.
 */
pid_t child_fork(void);

/* Wait for one child (-1: for all); false, and it is told, when it does not end. */
bool child_wait(pid_t pid, const char *who);

#endif
