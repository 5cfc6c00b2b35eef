// SPDX-License-Identifier: GPL-2.0-only
/* The module's own settings: pools, limits, tracing, listeners, unloading. */
#include "disturb.h"

#include <string.h>
#include <unistd.h>

#include "module.h"

/* What an opened socket is used for; it is opened for each time anew. */
static void with_nl(enum op op, struct rng *r, int (*fn)(struct hpbuf_nl *nl, struct rng *r))
{
	struct hpbuf_nl *nl;
	int ret = hpbuf_nl_open(&nl);

	/* nobody may have it open just now, and it is being unloaded */
	if (ret) {
		op_counted(op, ret);
		return;
	}
	fn(nl, r);
	hpbuf_nl_close(nl);
}

/* ---- pools ---- */

static int set_pool(struct hpbuf_nl *nl, struct rng *r)
{
	static const int may[] = { ENOSPC, EOPNOTSUPP, ENXIO, 0 };
	struct hpbuf_nl_pool_set set = {
		.node = rng_below(r, 2),
		.page_shift = rng_one_in(r, 5) ? HPBUF_SHIFT_1G : HPBUF_SHIFT_2M,
		.partial = rng_below(r, 2),
		.has_min = true,
	};

	set.want = set.page_shift == HPBUF_SHIFT_1G ? rng_below(r, 2) : rng_below(r, 96);
	if (rng_one_in(r, 20))
		set.want = 4096;	/* more than there is */
	set.min = rng_one_in(r, 3) ? rng_below(r, set.want + 1) : 0;
	return op_ended(OP_POOL, hpbuf_nl_pool_set(nl, &set), may);
}

static void run_pool(struct rng *r)
{
	with_nl(OP_POOL, r, set_pool);
}

const struct disturber disturb_pool = {
	.op = OP_POOL, .pause_ms = 800, .run = run_pool,
};

/* ---- limits ---- */

#define PARAMETERS	"/sys/module/hpbuf/parameters/"

static void run_limits(struct rng *r)
{
	const char *name = rng_below(r, 2) ? PARAMETERS "max_bytes" : PARAMETERS "floor_bytes";
	char text[32];

	snprintf(text, sizeof(text), "%uM", (unsigned int)(16 + rng_below(r, 2048)));
	op_counted(OP_LIMITS, text_write(name, text));
	disturb_pause(rng_below(r, 500));
	text_write(name, "0");
}

static void restore_limits(void)
{
	text_write(PARAMETERS "max_bytes", "0");
	text_write(PARAMETERS "floor_bytes", "0");
}

const struct disturber disturb_limits = {
	.op = OP_LIMITS, .pause_ms = 4000, .run = run_limits, .restore = restore_limits,
};

/* ---- tracing ---- */

static int stat_one(const struct hpbuf_nl_stat *s, void *arg)
{
	return 0;
}

static int trace(struct hpbuf_nl *nl, struct rng *r)
{
	struct hpbuf_nl_trace set = {
		.enabled = rng_below(r, 2), .has_enabled = true,
		.threshold_ns = rng_below(r, 2) * 1000, .has_threshold_ns = true,
		.pid = rng_one_in(r, 4) ? disturb_worker(r) : 0, .has_pid = true,
	};
	static const int may[] = { EINTR, EAGAIN, 0 };

	op_ended(OP_TRACE, hpbuf_nl_trace_set(nl, &set), NULL);
	op_ended(OP_TRACE, hpbuf_nl_stats(nl, stat_one, NULL), may);
	if (rng_one_in(r, 8))
		op_ended(OP_TRACE, hpbuf_nl_stat_reset(nl), NULL);
	return 0;
}

static void run_trace(struct rng *r)
{
	with_nl(OP_TRACE, r, trace);
}

static void restore_trace(void)
{
	struct hpbuf_nl_trace off = { .has_enabled = true, .has_threshold_ns = true,
				      .has_pid = true };
	struct hpbuf_nl *nl;

	if (hpbuf_nl_open(&nl))
		return;
	if (hpbuf_nl_trace_set(nl, &off))
		wrong("tracing cannot be switched off: %s", hpbuf_nl_strerror(nl));
	hpbuf_nl_close(nl);
}

const struct disturber disturb_trace = {
	.op = OP_TRACE, .pause_ms = 500, .run = run_trace, .restore = restore_trace,
};

/* ---- a listener that is sometimes slow ---- */

static int listen(struct hpbuf_nl *nl, struct rng *r)
{
	static const int may[] = { EAGAIN, ENOBUFS, EINTR, ENODEV, 0 };
	uint64_t end = now_ms() + 2000;
	struct hpbuf_nl_notice n;

	hpbuf_nl_subscribe(nl);
	hpbuf_nl_subscribe_stalls(nl);
	while (now_ms() < end && !shared->stop) {
		op_ended(OP_LISTEN, hpbuf_nl_wait(nl, 200, &n), may);
		if (rng_one_in(r, 50))
			pause_ms(300);
	}
	return 0;
}

static void run_listen(struct rng *r)
{
	with_nl(OP_LISTEN, r, listen);
}

const struct disturber disturb_listen = {
	.op = OP_LISTEN, .pause_ms = 500, .run = run_listen,
};

/* ---- unloading while it is in use ---- */

static bool lacks_unload(char *why, size_t size)
{
	if (module_can_load())
		return false;
	snprintf(why, size, "needs HPBUF_KO, found none");
	return true;
}

static void run_unload(struct rng *r)
{
	static const int may[] = { EAGAIN, EBUSY, 0 };

	/* When it succeeds it is loaded again at once; who looks for it waits. */
	if (!op_ended(OP_UNLOAD, module_try_unload(), may) && module_load(""))
		wrong("the module cannot be loaded again");
}

static void restore_unload(void)
{
	if (access(HPBUF_DEVICE, F_OK) && module_load(""))
		wrong("the module is gone, and cannot be loaded");
}

const struct disturber disturb_unload = {
	.op = OP_UNLOAD, .pause_ms = 1500, .lacks = lacks_unload, .run = run_unload,
	.restore = restore_unload,
};
