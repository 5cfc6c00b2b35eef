/* SPDX-License-Identifier: GPL-2.0-only */
/* Disturbers: a process each, which does one thing to the machine again and again. */
#ifndef HPBUF_STRESS_DISTURB_H
#define HPBUF_STRESS_DISTURB_H

#include "stress.h"

/*
 * struct disturber
 * @op: what it is called and counted as
 * @pause_ms: at most so long between two times
 * @lacks: why it cannot be done here, into @why; NULL: it can
 * @run: once
 * @restore: leave the machine as it was; called while no disturber runs
 */
struct disturber {
	enum op op;
	unsigned int pause_ms;
	bool (*lacks)(char *why, size_t size);
	void (*run)(struct rng *r);
	void (*restore)(void);
};

extern const struct disturber disturb_hog, disturb_hog_group, disturb_compact, disturb_drop,
			      disturb_thp, disturb_migrate, disturb_readers, disturb_memory,
			      disturb_cpu, disturb_pool, disturb_limits, disturb_trace,
			      disturb_listen, disturb_unload, disturb_freeze, disturb_poison;

#define DISTURBERS_MAX	20

struct disturbers {
	const struct disturber *of[DISTURBERS_MAX];
	pid_t pid[DISTURBERS_MAX];
	unsigned int nr;
};

/* Those that can be had here and are not in @without, a list of names. */
void disturb_choose(struct disturbers *d, const char *without);

void disturb_start(struct disturbers *d, uint64_t round);
void disturb_end(struct disturbers *d);

/* The machine as it was. */
void disturb_restore(const struct disturbers *d);

/* ---- for them ---- */

/* Pause, but not beyond the end of the round. */
void disturb_pause(unsigned int ms);

/* Is @path there to be written to? Else says so in @why. */
bool disturb_needs(const char *path, char *why, size_t size);

/* A worker's process id, or 0. */
pid_t disturb_worker(struct rng *r);

#endif
