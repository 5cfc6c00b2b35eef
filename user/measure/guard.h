/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard: a thread that looks at the system's memory five times a second while
 * others measure, and ends the run (stop_because()) when it runs short or is swapped
 * out. A look takes some 20 us and touches no memory anew.
 */
#ifndef HPCTL_GUARD_H
#define HPCTL_GUARD_H

#include <stdint.h>

#include "error.h"

/** Growth of used swap, bytes, from which the run is ended. */
#define GUARD_SWAP	(UINT64_C(64) << 20)

struct guard;

/**
 * guard_start
 * @least: of MemAvailable, bytes; less ends the run
 * Started before counters are opened, it is in none of them. HP_RESOURCE when no
 * thread can be had.
 */
int guard_start(struct guard **guard, uint64_t least, struct hp_error *e);

/**
 * guard_least - as guard_start(), once it is known; 0: memory is not looked at
 * Half of what is available now, if that is less.
 */
void guard_least(struct guard *guard, uint64_t least);

/** guard_end - NULL is allowed */
void guard_end(struct guard *guard);

#endif
