/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks: what the module and the kernel had counted at one moment. "reclaim on"
 * keeps one below /run/hpctl, "off" adds a second, and "show" subtracts them.
 */
#ifndef HPCTL_BASELINE_H
#define HPCTL_BASELINE_H

#include <jansson.h>

#include "error.h"
#include "lib/libhpbuf.h"

/**
 * mark_take - {"time", "boottime_ns", "settled", "vmstat", "pressure", "stats"}
 * "stats" has begun, count, pages and failed of each of the kernel's sources. Read
 * again, some times, until nothing moved meanwhile; "settled" says whether that
 * came about. NULL: @e says why.
 */
json_t *mark_take(struct hpbuf_nl *nl, struct hp_error *e);

/**
 * baseline_store - @on and @off (NULL: tracing goes on), for this boot
 * Takes neither reference. Returns 0 or a positive errno.
 */
int baseline_store(const json_t *on, const json_t *off);

/** baseline_load - {"on": mark, "off": mark or null}; NULL: none of this boot */
json_t *baseline_load(void);

/** baseline_drop - there is none any more */
void baseline_drop(void);

#endif
