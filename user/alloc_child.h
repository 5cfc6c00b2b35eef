/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HPBUF_IOC_ALLOC that a signal can end. */
#ifndef HPCTL_ALLOC_CHILD_H
#define HPCTL_ALLOC_CHILD_H

#include <signal.h>

#include "lib/libhpbuf.h"

/**
 * alloc_block - block the signals that stop a command, and SIGCHLD
 * @wait: set to them, for the calls below. One that is ignored (nohup) stays so.
 *
 * They stay blocked to the end of the process, so that none comes between
 * making a buffer and printing its id.
 */
void alloc_block(sigset_t *wait);

/**
 * alloc_child - hpbuf_alloc() for a persistent buffer, in a child process
 * @dev: the device
 * @req: as for hpbuf_alloc(); fd is -1 afterwards
 * @wait: of alloc_block()
 * @tick: called twice a second meanwhile
 * @arg: handed to @tick
 * @sig: set to the signal that stopped it, else 0
 *
 * Returns 0 or a negative errno. With @sig it is -EINTR: nothing is left behind,
 * or -EINPROGRESS: the kernel has not noticed yet; a process that stays behind
 * frees what it may still make.
 */
int alloc_child(int dev, struct hpbuf_alloc *req, const sigset_t *wait,
		void (*tick)(void *arg), void *arg, int *sig);

/** alloc_stopped - the signal of @wait that has come since, or 0 */
int alloc_stopped(const sigset_t *wait);

#endif
