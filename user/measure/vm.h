/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel itself counts of reclaim, compaction and migration: /proc/vmstat
 * and /proc/pressure/memory, as JSON objects that can be kept and subtracted.
 */
#ifndef HPCTL_VM_H
#define HPCTL_VM_H

#include <jansson.h>
#include <stdint.h>

/** vm_counters - those of /proc/vmstat that are about it, by name; NULL: unreadable */
json_t *vm_counters(void);

/**
 * vm_since - @now less @then, counter by counter
 * @then: of this boot; NULL: since boot, that is @now itself
 * One that is not in @then, or fell, is null.
 */
json_t *vm_since(const json_t *now, const json_t *then);

/**
 * vm_sum - of all counters of @vm whose names begin with @prefix
 * Returns -1 when there is none, or one of them is null.
 */
int64_t vm_sum(const json_t *vm, const char *prefix);

/**
 * vm_pressure - /proc/pressure/memory: {"some": {"avg10", "avg60", "avg300" (percent),
 * "total_ns"}, "full": likewise}; null when the kernel has no PSI or it is off
 */
json_t *vm_pressure(void);

#endif
