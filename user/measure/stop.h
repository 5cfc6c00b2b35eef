/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ending early: SIGINT, SIGTERM, SIGHUP and SIGQUIT, and a time limit that works like a
 * signal. Nothing is torn down in the handler. Loops ask stop_pending() every
 * few thousand steps and unwind, so that pools and settings are put back by the
 * same code as at a normal end.
 */
#ifndef HPCTL_STOP_H
#define HPCTL_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

/**
 * stop_install - catch the signals; @limit_ns > 0 also sets a time limit
 * A signal that is ignored already (nohup) stays ignored.
 */
void stop_install(uint64_t limit_ns);

/** Other reasons than signals: see guard.h. */
#define STOP_MEMORY	1000
#define STOP_SWAP	1001
#define STOP_BUS	1002	/* see bus.h */
#define STOP_SHORT	1003	/* a later run could not have its memory */

/** stop_because - end as by a signal; from any thread, the first reason counts */
void stop_because(int reason);

/** stop_pending - whether to unwind now; cheap */
bool stop_pending(void);

/** stop_signal - the signal that came first, SIGALRM for the limit, STOP_..., or 0 */
int stop_signal(void);

/**
 * stop_error - describe the reason in @e
 * Returns 128 + N for a signal, HP_RESOURCE for the other reasons, HP_OK if neither.
 */
int stop_error(struct hp_error *e);

#endif
