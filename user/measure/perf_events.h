/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events of which CPU count page walks. */
#ifndef HPCTL_PERF_EVENTS_H
#define HPCTL_PERF_EVENTS_H

#include <stdbool.h>

struct perf_event_attr;

/**
 * struct perf_cpu - events by the names that libpfm4 knows
 * @name: of the family of CPUs
 * @walks: page walks of loads that came to their end
 * @walk_cycles: cycles in which such a walk was under way; NULL: it has no such
 */
struct perf_cpu {
	const char *name;
	const char *walks;
	const char *walk_cycles;
};

/**
 * perf_cpu_find - by what CPUID says of vendor, family and model
 * NULL: a CPU whose events we do not know, and do not guess.
 */
const struct perf_cpu *perf_cpu_find(const char *vendor, unsigned int family,
				     unsigned int model);

/** perf_cpu_here - the one of /proc/cpuinfo, or NULL */
const struct perf_cpu *perf_cpu_here(void);

struct pfm;

/**
 * pfm_open - libpfm4, which need not be installed: looked for at run time
 * NULL: it is not, or does not start.
 */
struct pfm *pfm_open(void);
void pfm_close(struct pfm *pfm);

/** pfm_encode - @event into @attr's type and config, user and kernel mode */
bool pfm_encode(struct pfm *pfm, const char *event, struct perf_event_attr *attr);

#endif
