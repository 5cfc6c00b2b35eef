// SPDX-License-Identifier: GPL-2.0-or-later
#include "hold.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

struct populate_job {
	const struct mapping *m;
	unsigned int threads;
	struct hp_error *errors;
};

/* Each member takes whole pages, none of them another's. */
static void populate_part(unsigned int me, void *arg)
{
	struct populate_job *job = arg;
	const struct mapping *m = job->m;
	uint64_t page = backing_page(m->b), pages = (m->bytes + page - 1) / page;
	uint64_t a = pages / job->threads * me + pages % job->threads * me / job->threads;
	uint64_t b = pages / job->threads * (me + 1) +
		     pages % job->threads * (me + 1) / job->threads;
	uint64_t end = b * page < m->bytes ? b * page : m->bytes;

	if (b > a)
		m->b->ops->populate(m, m->addr + a * page, end - a * page, &job->errors[me]);
}

int hold_populate(struct crew *crew, const struct mapping *m, struct stages *st,
		  struct hp_error *e)
{
	unsigned int threads = crew_size(crew);
	struct hp_error errors[threads];
	struct populate_job job = { m, threads, errors };

	memset(errors, 0, sizeof(errors));
	crew_run(crew, 0, populate_part, &job, st, "populate");
	for (unsigned int i = 0; i < threads; i++) {
		if (errors[i].code) {
			*e = errors[i];
			return e->code;
		}
	}
	return HP_OK;
}

static int destroy(struct mapping *m, struct stages *st, struct hp_error *e)
{
	struct stage_clock c;
	int ret = HP_OK;

	if (!m->b->ops->destroy)
		return HP_OK;
	stage_begin(&c);
	ret = m->b->ops->destroy(m, e);
	stage_end(&c, st, "free");
	return ret;
}

static int64_t ns_between(struct timeval a, struct timeval b)
{
	struct timeval d;

	timersub(&b, &a, &d);
	return d.tv_sec * INT64_C(1000000000) + d.tv_usec * 1000;
}

/*
 * The module makes buffers for a child of ours, and in threads of its own: their time
 * is this stage's as well.
 */
static void add_others(struct stage *s, const struct rusage *before, uint64_t threads_ns)
{
	struct rusage now;

	if (getrusage(RUSAGE_CHILDREN, &now))
		return;
	s->v[STAGE_USER] += ns_between(before->ru_utime, now.ru_utime);
	s->v[STAGE_SYSTEM] += ns_between(before->ru_stime, now.ru_stime) + (int64_t)threads_ns;
}

static int create(struct mapping *m, struct stages *st, struct hp_error *e)
{
	struct rusage children;
	struct stage_clock c;
	struct stage *s;
	int ret;

	getrusage(RUSAGE_CHILDREN, &children);
	stage_begin(&c);
	ret = m->b->ops->create(m, e);
	s = stage_end(&c, st, "create");
	if (s)
		add_others(s, &children, m->create_threads_ns);
	if (s && m->create_ns)
		s->v[STAGE_NS] = (int64_t)m->create_ns;
	return ret;
}

int hold_acquire(const struct plan *p, const struct backing *b, struct mapping *m,
		 struct stages *st, struct hp_error *e)
{
	struct hp_error ignored = { 0 };
	struct stages dropped = { 0 };
	struct stage_clock c;
	int ret;

	memset(m, 0, sizeof(*m));
	m->b = b;
	m->fd = -1;
	m->asked = p->bytes;
	if (!backing_round(b, m->asked, &m->bytes))
		return hp_fail(e, HP_USAGE, 0, "%s: size too large", b->label);
	ret = plan_room(p, plan_need(p, b), b->label, e);
	if (!ret && b->ops->note)
		b->ops->note(m);
	if (!ret && b->ops->create)
		ret = create(m, st, e);
	if (ret)
		return ret;
	stage_begin(&c);
	ret = b->ops->map(m, e);
	/* A buffer of the module has its pages already. */
	if (!ret && b->nodes && !b->ops->module &&
	    placement_bind(m->addr, m->bytes, b->nodes, e)) {
		ret = e->code;
		b->ops->unmap(m, &ignored);
	}
	stage_end(&c, st, "map");
	if (ret)
		destroy(m, &dropped, &ignored);
	return ret;
}

int hold_release(struct mapping *m, struct stages *st, struct hp_error *e)
{
	struct stage_clock c;
	int ret, gone;

	stage_begin(&c);
	ret = m->b->ops->unmap(m, e);
	stage_end(&c, st, "unmap");
	gone = destroy(m, st, e);
	return ret ? ret : gone;
}
