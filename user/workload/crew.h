/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A crew: the calling thread and N - 1 others, each pinned to a CPU for its
 * life, round robin over those the process may use. Threads stay between jobs, so
 * that a timed job creates nothing and faults no stack in.
 */
#ifndef HPCTL_CREW_H
#define HPCTL_CREW_H

#include "error.h"
#include "measure/stage.h"

struct crew;

/** crew_new - start @threads - 1 threads and pin them all; 1..4096 */
int crew_new(struct crew **crew, unsigned int threads, struct hp_error *e);

/** crew_free - end the threads; the caller's affinity is put back */
void crew_free(struct crew *crew);

unsigned int crew_size(const struct crew *crew);

/** crew_cpu - the CPU that member @me is pinned to */
unsigned int crew_cpu(const struct crew *crew, unsigned int me);

/** crew_moved - members that ended their last job on another CPU than theirs */
unsigned int crew_moved(const struct crew *crew);

/**
 * crew_run - @fn in the first @threads members (0: all) at once
 * @fn: gets its number 0..threads-1 and @arg
 * @to: gets a stage @name of the time from the common start to the last end
 *
 * A SIGBUS in @fn ends it there, and the run by stop_because().
 *
 * Returns the stage, NULL when @to was full.
 */
struct stage *crew_run(struct crew *crew, unsigned int threads,
		       void (*fn)(unsigned int me, void *arg), void *arg,
		       struct stages *to, const char *name);

#endif
