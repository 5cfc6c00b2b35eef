/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of "hpctl reclaim": the module's histograms, and beside them what the
 * kernel itself counted in the same time.
 */
#ifndef HPCTL_RECLAIM_H
#define HPCTL_RECLAIM_H

#include <jansson.h>

#include "cmd.h"
#include "lib/libhpbuf.h"

/** reclaim_trace - the settings of tracing as JSON */
json_t *reclaim_trace(const struct hpbuf_nl_trace *t);

/**
 * reclaim_report - all of it as one object; NULL: @e says why
 *
 * Percentiles are upper bounds of a histogram's buckets: see hist_percentile().
 * "pairs" holds the module's counts against the kernel's since "reclaim on":
 *	direct-reclaim begun	== allocstall_*; that one is higher when a round of
 *				reclaim was repeated, as before an OOM kill
 *	kswapd begun		== pageoutrun
 *	direct-reclaim pages	== pgsteal_direct and pgsteal_khugepaged; higher by
 *				what was freed of slabs, which those do not count
 *	migration pages		== pgmigrate_success
 * An operation under way at "on" or now is in one and not yet in the other.
 */
json_t *reclaim_report(struct hpbuf_nl *nl, struct hp_error *e);

/** reclaim_check_columns - of --columns, before anything is done */
int reclaim_check_columns(const struct out_opts *o, struct hp_error *e);

/** reclaim_print - the report for people on stdout; with -v more of it */
int reclaim_print(const struct out_opts *o, const json_t *report, struct hp_error *e);

/**
 * reclaim_watch - the report every @interval_ns until q or a signal
 * With -j one line of JSON each time. Returns the exit code.
 */
int reclaim_watch(struct hp_ctx *ctx, struct hpbuf_nl *nl, uint64_t interval_ns,
		  struct hp_error *e);

#endif
