/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changing the module's pool. The module answers a request at once and works at it
 * in the background; these functions wait for the outcome, and undo.
 */
#ifndef HPCTL_POOL_SET_H
#define HPCTL_POOL_SET_H

#include "lib/libhpbuf.h"
#include "out/out.h"

enum pool_outcome {
	POOL_UNTRIED,		/* nothing was asked of the module */
	POOL_WORKING,		/* asked, and not ended when we went */
	POOL_SET,		/* as asked */
	POOL_SHORT,		/* less, and kept */
	POOL_FAILED,		/* refused, or less and not kept */
	POOL_RESTORED,		/* put back to what it was */
};

/**
 * struct pool_step - the pool of one node and page size
 * @ask: filled by the caller
 * @label: in front of messages, such as "FILE:LINE: ", or empty
 * @former: before anything was changed
 * @now: as it was seen last
 * @got: the most pages it had on the way; @has_got: known
 * @outcome: what came of it
 * @why: when it is POOL_SHORT or POOL_FAILED
 */
struct pool_step {
	struct hpbuf_nl_pool_set ask;
	char label[64];
	struct hpbuf_nl_pool former, now;
	uint64_t got;
	bool has_got;
	enum pool_outcome outcome;
	struct hp_error why;
};

/** struct pool_job - @steps, and where messages go */
struct pool_job {
	const struct out_opts *o;
	struct hpbuf_nl *nl;
	json_t *doc;
	struct pool_step *steps;
	size_t nr;
};

/**
 * pool_look - fill former and now of each step
 * HP_UNSUPPORTED when the module has no pool, or this machine no such pages; the
 * first such step is described in @e, each in its own why.
 */
int pool_look(struct pool_job *job, struct hp_error *e);

/**
 * pool_set_all - all steps, or none
 * The first one that fails ends it, as does a signal or the time limit of
 * stop_install(): what was changed is put back. With partial in a step, less than
 * asked is no failure of it.
 */
int pool_set_all(struct pool_job *job, struct hp_error *e);

/**
 * pool_set_each - every step as far as it goes
 * A step that fails, or comes short, is a warning; @e is the worst of them. At a
 * signal or the time limit the module is left to work at what it has begun.
 */
int pool_set_each(struct pool_job *job, struct hp_error *e);

/** pool_results - a row for each step into the document, and the table of them */
int pool_results(const struct pool_job *job, struct hp_error *e);

/** pool_results_check - of --columns */
int pool_results_check(const struct out_opts *o, struct hp_error *e);

#endif
