/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the CPU's performance counters can be had, and if not, why not. */
#ifndef HPCTL_PERF_H
#define HPCTL_PERF_H

#include <stddef.h>

/**
 * perf_why - one line that says why there are no counter figures
 * Opens a hardware event for this process, and closes it.
 */
void perf_why(char *buf, size_t size);

#endif
