// SPDX-License-Identifier: GPL-2.0-or-later
#include "pool_set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "measure/stop.h"
#include "module.h"
#include "pool_show.h"

#define POLL_NS		(100 * 1000 * 1000)

/* How long the module may take over what we want undone before we go. */
#define UNDO_POLLS	300

/* ---- looking ---- */

struct wanted {
	uint32_t node, page_shift;
	bool found;
	struct hpbuf_nl_pool *pool;
};

static int match(const struct hpbuf_nl_pool *p, void *arg)
{
	struct wanted *w = arg;

	if (p->node == w->node && p->page_shift == w->page_shift) {
		w->found = true;
		*w->pool = *p;
	}
	return 0;
}

/* The pool of @s as it is now, into its @now. */
static int look(const struct pool_job *job, struct pool_step *s, struct hp_error *e)
{
	struct wanted w = { .node = s->ask.node, .page_shift = s->ask.page_shift,
			    .pool = &s->now };
	int err = hpbuf_nl_pools(job->nl, match, &w);

	if (err)
		return module_nl_failed(job->nl, err, "read the pools", e);
	if (!w.found) {
		hp_fail(e, HP_UNSUPPORTED, ENODEV, "%sthe module has no pages of %s on node %u",
			s->label, pool_page(s->ask.page_shift), s->ask.node);
		return hp_hint(e, "hpctl pool shows what there is");
	}
	if (!s->now.has_want) {
		hp_fail(e, HP_UNSUPPORTED, EOPNOTSUPP, "the loaded module has no pool of pages");
		return hp_hint(e, "it is older than this hpctl: rmmod hpbuf && modprobe hpbuf");
	}
	return HP_OK;
}

int pool_look(struct pool_job *job, struct hp_error *e)
{
	for (size_t i = 0; i < job->nr; i++) {
		struct pool_step *s = &job->steps[i];

		look(job, s, &s->why);
		s->former = s->now;
		if (s->why.code && !e->code)
			*e = s->why;
	}
	return e->code;
}

static uint64_t pages(const struct hpbuf_nl_pool *p)
{
	return p->ready + p->dirty + p->lent;
}

/* ---- one step ---- */

/* Why the module found fewer pages than were asked for. */
static int came_short(const struct pool_step *s, struct hp_error *e)
{
	static const struct {
		uint32_t err;
		const char *text, *hint;
	} why[] = {
		{ ENOMEM, "there is not enough free memory above floor_bytes",
		  "ask for less, or keep what can be had: --partial" },
		{ EBUSY, "no more contiguous pieces can be made free",
		  "2 MiB pages are easier to find; --partial keeps what can be had" },
		{ ENOSPC, "the module's limit max_bytes is reached",
		  "raise /sys/module/hpbuf/parameters/max_bytes, or ask for less" },
	};
	char got[48] = "";

	if (s->has_got)
		snprintf(got, sizeof(got), ", got %llu", (unsigned long long)s->got);
	for (size_t i = 0; i < ARRAY_SIZE(why); i++) {
		if (why[i].err != s->now.error)
			continue;
		hp_fail(e, HP_RESOURCE, (int)s->now.error,
			"%snode %u: asked %llu pages of %s%s: %s", s->label, s->ask.node,
			(unsigned long long)s->ask.want, pool_page(s->ask.page_shift), got,
			why[i].text);
		return hp_hint(e, "%s", why[i].hint);
	}
	return hp_fail(e, HP_RESOURCE, (int)s->now.error, "%snode %u: asked %llu pages of %s%s: %s",
		       s->label, s->ask.node, (unsigned long long)s->ask.want,
		       pool_page(s->ask.page_shift), got, s->now.has_error ?
		       strerror((int)s->now.error) : "memory pressure took some of them again");
}

static int refused(const struct pool_job *job, struct pool_step *s, int err, struct hp_error *e)
{
	char what[128];

	/* It can be known before anything is tried. */
	if (err == -ENOSPC || err == -ENOMEM) {
		s->now.error = (uint32_t)-err;
		s->now.has_error = true;
		return came_short(s, e);
	}
	snprintf(what, sizeof(what), "%.63sset the pool of node %u", s->label, s->ask.node);
	module_nl_failed(job->nl, err, what, e);
	if (e->code == HP_PERMISSION)
		return hp_hint(e, "be root, or have CAP_SYS_ADMIN");
	if (err == -EOPNOTSUPP && !*hpbuf_nl_strerror(job->nl))
		return hp_hint(e, "the module is older than this hpctl: rmmod hpbuf && modprobe hpbuf");
	/* What was typed is what the module refuses. */
	if (err == -EINVAL || err == -ERANGE || err == -ENXIO)
		e->code = HP_USAGE;
	return e->code;
}

static void pause_a_moment(void)
{
	const struct timespec t = { .tv_nsec = POLL_NS };

	/* A signal ends it early, and the loops look for one. */
	nanosleep(&t, NULL);
}

static void progress(const struct pool_job *job, const struct pool_step *s)
{
	out_progress(job->o, "node %u: %llu of %llu pages of %s, %llu ready", s->ask.node,
		     (unsigned long long)pages(&s->now), (unsigned long long)s->ask.want,
		     pool_page(s->ask.page_shift), (unsigned long long)s->now.ready);
}

static void judge(struct pool_step *s)
{
	s->has_got = s->now.has_got;
	s->got = s->now.got;
	if (!s->now.has_error && s->now.want != s->ask.want) {
		hp_fail(&s->why, HP_FAILED, 0, "%snode %u: somebody else has set the pool meanwhile",
			s->label, s->ask.node);
		s->outcome = POOL_FAILED;
		return;
	}
	if (!s->now.has_error && (!s->has_got || s->got >= s->ask.want)) {
		s->outcome = POOL_SET;
		return;
	}
	came_short(s, &s->why);
	s->outcome = s->ask.partial ? POOL_SHORT : POOL_FAILED;
}

/* Ask, and wait for the end or until we are stopped. */
static void run(struct pool_job *job, struct pool_step *s)
{
	int err = hpbuf_nl_pool_set(job->nl, &s->ask);

	if (err) {
		refused(job, s, err, &s->why);
		s->outcome = POOL_FAILED;
		return;
	}
	s->outcome = POOL_WORKING;
	while (!look(job, s, &s->why)) {
		if (!s->now.filling) {
			judge(s);
			return;
		}
		progress(job, s);
		if (stop_pending())
			return;
		pause_a_moment();
	}
	s->outcome = POOL_FAILED;
}

/* ---- undoing ---- */

/*
 * The request that leads back; it replaces the one that may be worked at. What was
 * there may not be had again: as much of it as can be.
 */
static int ask_back(const struct pool_job *job, const struct pool_step *s)
{
	struct hpbuf_nl_pool_set back = s->ask;

	back.want = s->former.want;
	back.min = s->former.min;
	back.has_min = true;
	back.partial = true;
	return hpbuf_nl_pool_set(job->nl, &back);
}

static void put_back(struct pool_job *job, struct pool_step *s)
{
	struct hp_error e = { 0 };
	int err = ask_back(job, s);

	for (int i = 0; !err && i < UNDO_POLLS && !look(job, s, &e); i++) {
		if (!s->now.filling) {
			s->outcome = POOL_RESTORED;
			return;
		}
		out_progress(job->o, "node %u: putting back", s->ask.node);
		pause_a_moment();
	}
	if (err)
		refused(job, s, err, &e);
	out_warn(job->doc, "not-put-back", "hpctl pool; hpctl pool set",
		 "%snode %u: the pool had %llu pages of %s before and %s%s%s", s->label, s->ask.node,
		 (unsigned long long)s->former.want, pool_page(s->ask.page_shift),
		 err ? "could not be put back" : "is on its way back to them",
		 e.code ? ": " : "", e.message);
}

/* Whether the module may have changed something that is to be undone. */
static bool is_changed(const struct pool_step *s)
{
	return s->outcome != POOL_UNTRIED && s->outcome != POOL_FAILED &&
	       s->outcome != POOL_RESTORED;
}

static void undo(struct pool_job *job)
{
	for (size_t i = job->nr; i-- > 0;)
		if (is_changed(&job->steps[i]))
			put_back(job, &job->steps[i]);
}

/* ---- several ---- */

static int stopped(struct hp_error *e, const char *so)
{
	if (stop_error(e) == HP_RESOURCE) {
		hp_fail(e, HP_RESOURCE, ETIMEDOUT, "the time limit passed; %s", so);
		return hp_hint(e, "a longer --timeout, or fewer pages");
	}
	return hp_fail(e, e->code, EINTR, "stopped by SIG%s; %s", sigabbrev_np(stop_signal()), so);
}

int pool_set_all(struct pool_job *job, struct hp_error *e)
{
	for (size_t i = 0; i < job->nr && !e->code; i++) {
		run(job, &job->steps[i]);
		if (job->steps[i].outcome == POOL_FAILED)
			*e = job->steps[i].why;
		else if (stop_pending())
			stopped(e, "the pool is put back to what it was");
		else if (job->steps[i].outcome == POOL_SHORT)
			out_warn(job->doc, "short", "", "%s", job->steps[i].why.message);
	}
	if (e->code)
		undo(job);
	return e->code;
}

int pool_set_each(struct pool_job *job, struct hp_error *e)
{
	struct hp_error stop = { 0 };
	size_t bad = 0;

	for (size_t i = 0; i < job->nr && !stop.code; i++) {
		struct pool_step *s = &job->steps[i];

		/* What pool_look() has refused stays refused. */
		if (s->why.code)
			s->outcome = POOL_FAILED;
		else
			run(job, s);
		if (s->why.code)
			out_warn(job->doc, s->outcome == POOL_SHORT ? "short" : "not-set",
				 s->why.hint, "%s", s->why.message);
		bad += s->why.code != 0;
		if (s->why.code > e->code)
			*e = s->why;
		if (stop_pending())
			stopped(&stop, "the module goes on with what was begun");
	}
	if (bad)
		hp_fail(e, e->code, e->err, "%zu of %zu pools are not as asked", bad, job->nr);
	if (stop.code)
		*e = stop;
	return e->code;
}
