/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page walks timed by the module, as JSON. */
#ifndef HPCTL_WALK_H
#define HPCTL_WALK_H

#include <jansson.h>

#include "error.h"
#include "lib/libhpbuf.h"

/** Samples where walks are not what was asked for: beside other figures. */
#define WALK_FEW	4096

/**
 * walk_run - time walks in populated memory
 * @nl: of the module
 * @walk: set to the object "walk" of a row
 * Errors: HP_UNSUPPORTED: not on this machine, HP_RESOURCE, HP_FAILED.
 */
int walk_run(struct hpbuf_nl *nl, const void *addr, size_t len,
	     const struct hpbuf_nl_walk_req *req, json_t **walk, struct hp_error *e);

/**
 * walk_json - the object "walk": ticks are whole numbers as they were read, ns
 * are made of them. The figures beside "by_level" are those of the level that has
 * most samples. What a walk costs is the difference of the quantiles of miss and
 * hit, which is not the quantile of the differences.
 */
json_t *walk_json(const struct hpbuf_nl_walk_time *w);

#endif
