/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Getting memory of a backing, and giving it back, each step a stage. */
#ifndef HPCTL_HOLD_H
#define HPCTL_HOLD_H

#include "measure/stage.h"
#include "plan.h"
#include "workload/crew.h"

/**
 * hold_acquire - stages "create" (where the backing has it) and "map"
 * Checks first that the machine still has room. On failure nothing is held.
 */
int hold_acquire(const struct plan *p, const struct backing *b, struct mapping *m,
		 struct stages *st, struct hp_error *e);

/** hold_populate - stage "populate": all leaves in place, by all threads */
int hold_populate(struct crew *crew, const struct mapping *m, struct stages *st,
		  struct hp_error *e);

/** hold_release - stages "unmap" and "free"; everything is tried */
int hold_release(struct mapping *m, struct stages *st, struct hp_error *e);

#endif
