/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGBUS as an error: a page that cannot be had when it is touched. All memory is
 * looked after beforehand by calls that fail instead; what is left are limits that
 * become lower during a run, files that become shorter, and broken memory.
 */
#ifndef HPCTL_BUS_H
#define HPCTL_BUS_H

#include <stdbool.h>

/**
 * bus_try - fn(me, arg), given up where it stands on a SIGBUS in this thread
 * @fn: holds no lock and owns nothing, as what it had begun stays so
 * Returns false then. Nothing is added to what @fn does but a setjmp.
 */
bool bus_try(void (*fn)(unsigned int me, void *arg), unsigned int me, void *arg);

/** bus_install - once; other SIGBUS than those in bus_try() end the program as ever */
void bus_install(void);

#endif
