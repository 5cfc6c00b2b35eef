// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every netlink command, and joining the groups, with each allocation and copy failing in
 * turn. What is answered is whole; an answer that is lost is told (ENOBUFS, EFAULT).
 */
#include "failnth.h"
#include "pool.h"

#include <linux/hpbuf_netlink.h>

#define BUFS	3

struct asked {
	int dev;
	struct hpbuf_nl *nl;
	struct hpbuf_alloc a[BUFS];
	unsigned int seen, want;
	uint64_t seq;
	void *p;
	union {
		struct hpbuf_nl_buf buf;
		struct hpbuf_nl_walk walk;
		struct hpbuf_nl_walk_time time;
		struct hpbuf_nl_trace trace;
	};
};

static int begin_socket(void *arg)
{
	struct asked *q = arg;

	q->seen = 0;
	return hpbuf_nl_open(&q->nl);
}

static bool end_socket(struct asked *q, bool good)
{
	hpbuf_nl_close(q->nl);
	return good;
}

/* ---- a socket, and the groups ---- */

static long run_socket(void *arg)
{
	struct asked *q = arg;

	q->nl = NULL;
	return hpbuf_nl_open(&q->nl);
}

static bool end_open(void *arg, long ret)
{
	struct asked *q = arg;

	return ret || end_socket(q, !hpbuf_nl_buf_get(q->nl, q->a[0].id, NULL, &q->buf));
}

static long run_join_events(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_subscribe(q->nl);
}

static long run_join_stalls(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_subscribe_stalls(q->nl);
}

static bool end_join(void *arg, long ret)
{
	(void)ret;
	return end_socket(arg, true);
}

/* ---- buf-get ---- */

static long run_buf_by_id(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_buf_get(q->nl, q->a[1].id, NULL, &q->buf);
}

static long run_buf_by_name(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_buf_get(q->nl, 0, q->a[1].name, &q->buf);
}

static bool end_buf(void *arg, long ret)
{
	struct asked *q = arg;

	return end_socket(q, ret || (q->buf.id == q->a[1].id && q->buf.size == q->a[1].size &&
				     q->buf.nr_nodes && !strcmp(q->buf.name, q->a[1].name)));
}

static int count_buf(const struct hpbuf_nl_buf *b, void *arg)
{
	struct asked *q = arg;

	if (b->size == q->a[0].size)
		q->seen++;
	return 0;
}

static long run_bufs(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_bufs(q->nl, count_buf, q);
}

static bool end_all(void *arg, long ret)
{
	struct asked *q = arg;

	return end_socket(q, ret || q->seen == q->want);
}

/* ---- pool-get, pool-set ---- */

static int count_pool(const struct hpbuf_nl_pool *p, void *arg)
{
	struct asked *q = arg;

	if (p->max_bytes && p->has_shrunk)
		q->seen++;
	return 0;
}

static long run_pools(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_pools(q->nl, count_pool, q);
}

static long run_pool_set(void *arg)
{
	struct asked *q = arg;

	return pool_set(q->nl, 0, HPBUF_SHIFT_2M, 2, 1, false);
}

/* All of it or nothing. */
static bool end_pool_set(void *arg, long ret)
{
	struct asked *q = arg;
	struct hpbuf_nl_pool p;
	struct hpbuf_nl *nl;
	bool good;

	end_socket(q, true);
	if (hpbuf_nl_open(&nl))
		return false;
	good = !pool_settle(nl, 0, HPBUF_SHIFT_2M, &p);
	if (p.want || !ret)
		good = good && p.want == 2 && p.min == 1 && p.ready == 2;
	else
		good = good && !p.ready && !p.min;
	good = !pool_fill(nl, 0, HPBUF_SHIFT_2M, 0, &p) && good;
	hpbuf_nl_close(nl);
	return good;
}

/* ---- walk ---- */

static long run_walk(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_walk(q->nl, q->p, q->a[0].size, &q->walk);
}

static bool end_walk(void *arg, long ret)
{
	struct asked *q = arg;

	return end_socket(q, ret || (q->walk.pmd_bytes == q->a[0].size && !q->walk.pte_bytes &&
				     !q->walk.none_bytes));
}

static long run_walk_time(void *arg)
{
	static const struct hpbuf_nl_walk_req req = { .samples = 64, .cold = true, .hist = true };
	struct asked *q = arg;

	return hpbuf_nl_walk_time(q->nl, q->p, q->a[0].size, &req, &q->time);
}

static bool end_walk_time(void *arg, long ret)
{
	struct asked *q = arg;

	return end_socket(q, ret || (q->time.level[HPBUF_NL_PMD].samples == 64 &&
				     !q->time.skipped));
}

/* ---- stat-get, stat-reset ---- */

static int count_stat(const struct hpbuf_nl_stat *s, void *arg)
{
	struct asked *q = arg;

	if (s->source == HPBUF_STAT_SOURCE_ALLOC && s->page_shift == HPBUF_SHIFT_2M)
		q->seen += s->count;
	return 0;
}

static long run_stats(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_stats(q->nl, count_stat, q);
}

static long run_stat_reset(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_stat_reset(q->nl);
}

/* Makes one allocation to be counted. */
static int begin_counted(void *arg)
{
	struct asked *q = arg;
	struct hpbuf_alloc a;
	int fd = hpt_alloc(q->dev, SZ_2M, HPBUF_SHIFT_2M, &a);

	if (fd < 0)
		return fd;
	close(fd);
	return begin_socket(q);
}

static bool end_stat_reset(void *arg, long ret)
{
	struct asked *q = arg;
	struct hpbuf_nl *nl;
	bool good;

	end_socket(q, true);
	if (hpbuf_nl_open(&nl))
		return false;
	good = !hpbuf_nl_stats(nl, count_stat, q) && (ret || !q->seen);
	hpbuf_nl_close(nl);
	return good;
}

/* ---- trace-get, trace-set ---- */

static int set_trace(struct hpbuf_nl *nl, bool on)
{
	struct hpbuf_nl_trace t = { .enabled = on, .has_enabled = true };

	return hpbuf_nl_trace_set(nl, &t);
}

static long run_trace_get(void *arg)
{
	struct asked *q = arg;

	return hpbuf_nl_trace_get(q->nl, &q->trace);
}

static bool end_trace_get(void *arg, long ret)
{
	struct asked *q = arg;

	return end_socket(q, ret || (q->trace.has_enabled && !q->trace.enabled &&
				     q->trace.has_lost));
}

static long run_trace_on(void *arg)
{
	struct asked *q = arg;

	return set_trace(q->nl, true);
}

static long run_trace_off(void *arg)
{
	struct asked *q = arg;

	return set_trace(q->nl, false);
}

static int begin_traced(void *arg)
{
	struct asked *q = arg;
	int ret = begin_socket(q);

	return ret ? ret : set_trace(q->nl, true);
}

/* Done what was told, or perhaps not; and it can still be switched. */
static bool end_trace(struct asked *q, long ret, bool on)
{
	struct hpbuf_nl_trace t;
	struct hpbuf_nl *nl;
	bool good;

	end_socket(q, true);
	if (hpbuf_nl_open(&nl))
		return false;
	good = !hpbuf_nl_trace_get(nl, &t) && (ret || t.enabled == on);
	good = !set_trace(nl, true) && good;
	good = !set_trace(nl, false) && good;
	hpbuf_nl_close(nl);
	return good;
}

static bool end_trace_on(void *arg, long ret)
{
	return end_trace(arg, ret, true);
}

static bool end_trace_off(void *arg, long ret)
{
	return end_trace(arg, ret, false);
}

/* ---- events ---- */

#define MARK	0x3a5cUL	/* bytes of the request that is refused */

/* The number of the event of a request that is refused, or 0. */
static uint64_t mark(struct asked *q)
{
	struct hpbuf_alloc a = { .bytes = MARK, .page_shift = 12 };
	struct hpbuf_nl_event e;
	int i, ret;

	if (hpt_alloc_req(q->dev, &a) != -EINVAL)
		return 0;
	for (i = 0; i < 100; i++) {
		ret = hpbuf_nl_event(q->nl, 10000, &e);
		if (!ret && e.kind == HPBUF_EVENT_KIND_FAIL && e.size == MARK)
			return e.seq;
		if (ret && ret != -ENOBUFS)
			return 0;
	}
	return 0;
}

static int begin_event(void *arg)
{
	struct asked *q = arg;

	q->seq = mark(q);
	return q->seq ? 0 : -EPROTO;
}

static long run_event(void *arg)
{
	struct asked *q = arg;
	struct hpbuf_alloc a = { .bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M };
	int fd = hpt_alloc_req(q->dev, &a);

	if (fd < 0)
		return fd;
	return hpt_errno(close(fd));
}

/* One that could not be sent has its number. */
static bool end_event(void *arg, long ret)
{
	struct asked *q = arg;
	uint64_t seq = mark(q);

	return seq && (ret || seq == q->seq + 3);
}

FIXTURE(command) {
	struct fail_env env;
	struct asked q;
};

FIXTURE_SETUP(command)
{
	unsigned int i;

	ASSERT_EQ(0, fail_open(&self->env));
	self->q.dev = self->env.dev;
	for (i = 0; i < BUFS; i++) {
		self->q.a[i] = (struct hpbuf_alloc){
			.bytes = 3 * SZ_2M, .page_shift = HPBUF_SHIFT_2M, .name = "asked-0",
		};
		self->q.a[i].name[6] += i;
		ASSERT_LE(0, hpt_alloc_req(self->q.dev, &self->q.a[i]));
	}
	self->q.p = hpt_map(self->q.a[0].fd, self->q.a[0].size);
	ASSERT_NE(MAP_FAILED, self->q.p);
	hpt_stamp(self->q.p, self->q.a[0].size, 1);
}

FIXTURE_TEARDOWN(command)
{
	unsigned int i;

	munmap(self->q.p, self->q.a[0].size);
	for (i = 0; i < BUFS; i++)
		close(self->q.a[i].fd);
	fail_close(&self->env);
}

#define COMMAND_SERIES(...) do {					\
	static const struct fail_op _op = { __VA_ARGS__, { ENOBUFS, EFAULT, ENFILE } }; \
									\
	fail_series(_metadata, &self->env, &_op, &self->q);		\
} while (0)

TEST_F(command, socket)
{
	COMMAND_SERIES("a socket", NULL, run_socket, end_open);
}

TEST_F(command, join)
{
	COMMAND_SERIES("group events", begin_socket, run_join_events, end_join);
	COMMAND_SERIES("group reclaim", begin_socket, run_join_stalls, end_join);
}

TEST_F(command, buf_get)
{
	COMMAND_SERIES("buf-get by id", begin_socket, run_buf_by_id, end_buf);
	COMMAND_SERIES("buf-get by name", begin_socket, run_buf_by_name, end_buf);
	self->q.want = BUFS;
	COMMAND_SERIES("buf-get of all", begin_socket, run_bufs, end_all);
}

TEST_F(command, pool_get)
{
	ASSERT_EQ(0, hpbuf_nl_pools(self->env.nl, count_pool, &self->q));
	self->q.want = self->q.seen;
	ASSERT_LT(0, self->q.want);
	COMMAND_SERIES("pool-get", begin_socket, run_pools, end_all);
}

TEST_F(command, pool_set)
{
	COMMAND_SERIES("pool-set", begin_socket, run_pool_set, end_pool_set);
}

TEST_F(command, walk)
{
	COMMAND_SERIES("walk", begin_socket, run_walk, end_walk);
}

TEST_F(command, walk_time)
{
	struct hpbuf_caps caps;

	ASSERT_EQ(0, hpt_caps(self->q.dev, &caps));
	if (!(caps.flags & HPBUF_CAP_WALK_TIMING))
		SKIP(return, "needs a machine whose walks can be timed, found flags %#llx",
		     (unsigned long long)caps.flags);
	COMMAND_SERIES("walk with samples", begin_socket, run_walk_time, end_walk_time);
}

TEST_F(command, stat_get)
{
	ASSERT_EQ(0, hpbuf_nl_stats(self->env.nl, count_stat, &self->q));
	self->q.want = self->q.seen;
	ASSERT_LT(0, self->q.want);
	COMMAND_SERIES("stat-get", begin_socket, run_stats, end_all);
}

TEST_F(command, stat_reset)
{
	COMMAND_SERIES("stat-reset", begin_counted, run_stat_reset, end_stat_reset);
}

TEST_F(command, trace_get)
{
	COMMAND_SERIES("trace-get", begin_socket, run_trace_get, end_trace_get);
}

TEST_F(command, trace_set)
{
	COMMAND_SERIES("trace-set on", begin_socket, run_trace_on, end_trace_on);
	COMMAND_SERIES("trace-set off", begin_traced, run_trace_off, end_trace_off);
}

TEST_F(command, events)
{
	ASSERT_EQ(0, hpbuf_nl_open(&self->q.nl));
	ASSERT_EQ(0, hpbuf_nl_subscribe(self->q.nl));
	COMMAND_SERIES("events", begin_event, run_event, end_event);
	hpbuf_nl_close(self->q.nl);
}

FAIL_TEST_MAIN
