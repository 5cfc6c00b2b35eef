// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hpctl monitor: events and stalls, a line or a JSON object each, written at once.
 *
 * What the socket had no room for is lost, and told: how many is known from the
 * number of the next one. After a loss the buffers that there are follow, so that
 * who reads along knows the state again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "measure/stop.h"
#include "module.h"
#include "notice.h"

enum { KEY_STALLS = HP_KEY, KEY_EVENTS };

const struct hp_opt cmd_monitor_opts[] = {
	{ "events", KEY_EVENTS, NULL, "buffers made and freed, allocations under way or failed" },
	{ "stalls", KEY_STALLS, NULL,
	  "reclaim that took longer than the threshold of hpctl reclaim on" },
	{ NULL, 0, NULL, NULL }
};

/**
 * struct monitor
 * @events, @stalls: asked for; without either, both
 * @had: notices so far
 */
struct monitor {
	const struct out_opts *out;
	struct hpbuf_nl *nl;
	bool events, stalls;
	uint64_t had;
};

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct monitor *m = arg;

	(void)value;
	(void)e;
	if (key == KEY_STALLS)
		m->stalls = true;
	else
		m->events = true;
	return HP_OK;
}

static void put(const struct monitor *m, json_t *n)
{
	if (m->out->json)
		json_dumpf(n, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII);
	else
		notice_text(stdout, n);
	putchar('\n');
	json_decref(n);
}

/* ---- beginning ---- */

static void warn(const struct monitor *m, const char *text)
{
	if (!m->out->quiet)
		fprintf(stderr, "hpctl monitor: %s\n", text);
}

/* Whether any stalls will come; they need the tracing that "reclaim on" begins. */
static void check_trace(const struct monitor *m)
{
	struct hpbuf_nl_trace t;

	if (hpbuf_nl_trace_get(m->nl, &t))
		return;
	if (!t.enabled)
		warn(m, "no stalls will come while tracing is off (hpctl reclaim on)");
	else if (!t.threshold_ns)
		warn(m, "no stalls will come without a threshold (hpctl reclaim on --threshold TIME)");
}

static int subscribe(struct monitor *m, struct hp_error *e)
{
	bool both = m->events == m->stalls;
	int err = 0;

	if (m->events || both)
		err = hpbuf_nl_subscribe(m->nl);
	if (err)
		return module_nl_failed(m->nl, err, "join the group of events", e);
	if (!m->stalls && !both)
		return HP_OK;
	err = hpbuf_nl_subscribe_stalls(m->nl);
	if (!err) {
		check_trace(m);
		return HP_OK;
	}
	if (err == -EPERM && both) {
		warn(m, "stalls need CAP_SYS_ADMIN; these are the events only");
		return HP_OK;
	}
	module_nl_failed(m->nl, err, "join the group of stalls", e);
	return e->code == HP_PERMISSION ? hp_hint(e, "be root, or have CAP_SYS_ADMIN") : e->code;
}

/* ---- losses ---- */

struct dump {
	const struct monitor *m;
	uint64_t nr;
};

static int put_buffer(const struct hpbuf_nl_buf *buf, void *arg)
{
	struct dump *d = arg;

	put(d->m, notice_buffer(buf));
	d->nr++;
	return 0;
}

/* Returns -ENODEV when the news that was lost is that the module has gone. */
static int resync(struct monitor *m)
{
	struct dump d = { .m = m };
	int err = hpbuf_nl_bufs(m->nl, put_buffer, &d);
	char version[32];

	if (!err)
		put(m, notice_sync(d.nr));
	else if (!module_version(version, sizeof(version)))
		return -ENODEV;
	return err;
}

static int lost(struct monitor *m, enum hpbuf_nl_what what, uint64_t count)
{
	put(m, notice_lost(what, count));
	return what == HPBUF_NL_EVENT ? resync(m) : 0;
}

/* ---- the stream ---- */

static int one(struct monitor *m)
{
	struct hpbuf_nl_notice n;
	int err = hpbuf_nl_wait(m->nl, -1, &n);

	if (err == -EINTR || err == -EAGAIN)
		return 0;
	if (err == -ENOBUFS)
		return lost(m, n.what, 0);
	if (err)
		return err;
	m->had++;
	if (n.lost)
		put(m, notice_lost(n.what, n.lost));
	put(m, n.what == HPBUF_NL_EVENT ? notice_event(&n.event) : notice_stall(&n.stall));
	return 0;
}

static void run(struct monitor *m, struct hp_error *e)
{
	int err = 0;

	while (!err && !stop_pending()) {
		err = one(m);
		/* Nobody reads it any more: not a failure of ours. */
		if (fflush(stdout) || ferror(stdout))
			return;
	}
	if (err == -ENODEV)
		warn(m, "the module was unloaded");
	else if (err)
		module_nl_failed(m->nl, err, "wait for events", e);
	else if (stop_signal())
		hp_fail(e, 128 + stop_signal(), 0, "stopped by SIG%s after %llu",
			sigabbrev_np(stop_signal()), (unsigned long long)m->had);
}

int cmd_monitor(struct hp_ctx *ctx, int argc, char **argv)
{
	struct monitor m = { .out = &ctx->out };
	struct hp_error e = { 0 };
	json_t *doc;
	int first = hp_opts(ctx, cmd_monitor_opts, argc, argv, take, &m, &e);

	if (first && ctx->out.save) {
		hp_fail(&e, HP_USAGE, 0, "monitor has no one document to save");
		hp_hint(&e, "hpctl monitor -j >FILE");
		first = 0;
	}
	if (!first || hp_opts_none(argc, argv, first, &e))
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	if (module_nl_open(&m.nl, &e))
		return out_finish(&ctx->out, doc, &e);
	stop_install(0);
	if (!subscribe(&m, &e)) {
		run(&m, &e);
		/* With -j there were objects, and no document behind them. */
		ctx->out.json = false;
	}
	hpbuf_nl_close(m.nl);
	return out_finish(&ctx->out, doc, &e);
}
