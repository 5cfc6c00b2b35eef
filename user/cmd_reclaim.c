// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl reclaim: what allocation, reclaim, compaction and migration cost. */
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "baseline.h"
#include "cmd.h"
#include "module.h"
#include "parse.h"
#include "reclaim.h"

#define DEFAULT_THRESHOLD	UINT64_C(10000000)
#define DEFAULT_INTERVAL	UINT64_C(1000000000)
#define CGROUP_ROOT		"/sys/fs/cgroup"

enum { KEY_THRESHOLD = HP_KEY, KEY_PID, KEY_CGROUP, KEY_INTERVAL };

const struct hp_opt cmd_reclaim_opts[] = {
	{ "threshold", KEY_THRESHOLD, "TIME",
	  "on: hpctl monitor tells what takes longer (10ms; off: nothing)" },
	{ "pid", KEY_PID, "PID", "on: this process only" },
	{ "cgroup", KEY_CGROUP, "PATH", "on: tasks of this cgroup (v2) and below only" },
	{ "interval", KEY_INTERVAL, "TIME", "watch: between two reports (1s)" },
	{ NULL, 0, NULL, NULL }
};

/**
 * struct args - the command line
 * @for_on, @for_watch: name of an option that only "on", or "watch", knows
 */
struct args {
	struct hpbuf_nl_trace trace;
	uint64_t interval_ns;
	const char *for_on, *for_watch;
};

static int take_pid(struct args *a, const char *value, struct hp_error *e)
{
	uint64_t pid;

	if (hp_parse_count(value, &pid, e))
		return e->code;
	if (pid > INT32_MAX)
		return hp_fail(e, HP_USAGE, 0, "--pid \"%.40s\" is no process", value);
	a->trace.pid = (uint32_t)pid;
	return HP_OK;
}

static bool is_cgroup(const char *path, uint64_t *inode)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || statfs(path, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC ||
	    !S_ISDIR(st.st_mode))
		return false;
	*inode = st.st_ino;
	return true;
}

/*
 * The kernel knows it by the inode of its directory. A path from the root of the
 * hierarchy, as /proc/PID/cgroup has it, does as well.
 */
static int take_cgroup(struct args *a, const char *value, struct hp_error *e)
{
	char path[4096];

	if (is_cgroup(value, &a->trace.cgroup))
		return HP_OK;
	if (snprintf(path, sizeof(path), CGROUP_ROOT "/%s", value) < (int)sizeof(path) &&
	    is_cgroup(path, &a->trace.cgroup))
		return HP_OK;
	hp_fail(e, HP_USAGE, 0, "--cgroup %.200s: no directory of the unified hierarchy", value);
	return hp_hint(e, "a directory of a mounted cgroup2, or a path below " CGROUP_ROOT);
}

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct args *a = arg;

	switch (key) {
	case KEY_THRESHOLD:
		a->for_on = "threshold";
		if (!strcmp(value, "off"))
			a->trace.threshold_ns = 0;
		else
			return hp_parse_time(value, &a->trace.threshold_ns, e);
		break;
	case KEY_PID:
		a->for_on = "pid";
		return take_pid(a, value, e);
	case KEY_CGROUP:
		a->for_on = "cgroup";
		return take_cgroup(a, value, e);
	case KEY_INTERVAL:
		a->for_watch = "interval";
		return hp_parse_time(value, &a->interval_ns, e);
	}
	return HP_OK;
}

/* ---- on, off, reset ---- */

static void store(json_t *doc, const json_t *on, const json_t *off)
{
	int err = on ? baseline_store(on, off) : 0;

	if (err)
		out_warn(doc, "no-baseline", "root can write below /run/hpctl",
			 "where counting began is not kept (%s): show tells the kernel's counters since boot",
			 strerror(err));
}

static int changed(struct hpbuf_nl *nl, int err, const char *what, struct hp_error *e)
{
	if (!err)
		return HP_OK;
	module_nl_failed(nl, err, what, e);
	if (e->code == HP_PERMISSION)
		hp_hint(e, "be root, or have CAP_PERFMON or CAP_SYS_ADMIN");
	return e->code;
}

/* All settings are set: what an earlier "on" asked for does not stay unseen. */
static void do_on(struct hpbuf_nl *nl, const struct args *a, json_t *doc, struct hp_error *e)
{
	json_t *mark;

	if (changed(nl, hpbuf_nl_trace_set(nl, &a->trace), "switch tracing on", e))
		return;
	mark = mark_take(nl, e);
	store(doc, mark, NULL);
	json_decref(mark);
}

/* The mark is taken while it is on, so that both have counted the same till then. */
static void do_off(struct hpbuf_nl *nl, json_t *doc, struct hp_error *e)
{
	const struct hpbuf_nl_trace off = { .has_enabled = true };
	json_t *mark, *base = baseline_load();
	struct hpbuf_nl_trace was;
	int err = hpbuf_nl_trace_get(nl, &was);

	mark = mark_take(nl, e);
	if (mark && !changed(nl, err ? err : hpbuf_nl_trace_set(nl, &off), "switch tracing off", e) &&
	    was.enabled && base)
		store(doc, json_object_get(base, "on"), mark);
	json_decref(mark);
	json_decref(base);
}

static void do_reset(struct hpbuf_nl *nl, json_t *doc, struct hp_error *e)
{
	struct hpbuf_nl_trace now = { 0 };
	json_t *mark = NULL;
	int err;

	err = hpbuf_nl_stat_reset(nl);
	if (!err)
		err = hpbuf_nl_trace_get(nl, &now);
	if (changed(nl, err, "reset the statistics", e))
		return;
	baseline_drop();
	if (now.enabled)
		mark = mark_take(nl, e);
	store(doc, mark, NULL);
	json_decref(mark);
}

static void say_trace(const struct out_opts *o, struct hpbuf_nl *nl, json_t *doc,
		      struct hp_error *e)
{
	struct hpbuf_nl_trace t;
	char text[32];
	int err = hpbuf_nl_trace_get(nl, &t);

	if (err) {
		module_nl_failed(nl, err, "ask for the tracing", e);
		return;
	}
	json_array_append_new(json_object_get(doc, "results"), reclaim_trace(&t));
	if (o->json || o->quiet)
		return;
	printf("tracing is %s", t.enabled ? "on" : "off");
	if (t.enabled && (!t.has_pid || !t.has_cgroup))
		printf(", of one process or cgroup only");
	if (t.enabled && t.pid)
		printf(", process %u only", t.pid);
	if (t.enabled && t.cgroup)
		printf(", one cgroup only");
	if (t.enabled && t.threshold_ns)
		printf(", stalls above %s are told", out_ns(text, (double)t.threshold_ns));
	putchar('\n');
}

/* ---- show, watch ---- */

static void do_show(struct hp_ctx *ctx, struct hpbuf_nl *nl, json_t *doc, struct hp_error *e)
{
	json_t *report = reclaim_report(nl, e);

	if (!report)
		return;
	json_array_append_new(json_object_get(doc, "results"), report);
	reclaim_print(&ctx->out, report, e);
}

static const char *const words[] = { "show", "watch", "reset", "on", "off", NULL };
enum { SHOW, WATCH, RESET, ON, OFF };

static int word_of(const char *text, struct hp_error *e)
{
	const char *near;

	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], text))
			return i;
	near = hp_nearest(text, words);
	hp_fail(e, HP_USAGE, 0, "reclaim \"%.40s\": no such thing to do", text);
	if (near)
		hp_hint(e, "did you mean %s?", near);
	else
		hp_hint(e, "show, watch, reset, on or off");
	return -1;
}

static int parse(struct args *a, struct hp_ctx *ctx, int argc, char **argv, struct hp_error *e)
{
	int first = hp_opts(ctx, cmd_reclaim_opts, argc, argv, take, a, e), word = SHOW;
	const char *wrong;

	if (!first)
		return -1;
	if (first < argc)
		word = word_of(argv[first], e);
	if (word < 0 || hp_opts_none(argc, argv, first + (first < argc), e))
		return -1;
	wrong = word != ON && a->for_on ? a->for_on : word != WATCH ? a->for_watch : NULL;
	if (wrong) {
		hp_fail(e, HP_USAGE, 0, "\"%s\" takes no --%s", words[word], wrong);
		hp_hint(e, "hpctl help reclaim");
		return -1;
	}
	if (word == WATCH && ctx->out.save) {
		hp_fail(e, HP_USAGE, 0, "watch has no one document to save");
		hp_hint(e, "hpctl reclaim show -o FILE, or watch -j >FILE");
		return -1;
	}
	return reclaim_check_columns(&ctx->out, e) ? -1 : word;
}

static void act(int word, const struct args *a, struct hp_ctx *ctx, struct hpbuf_nl *nl,
		json_t *doc, struct hp_error *e)
{
	if (word == SHOW)
		do_show(ctx, nl, doc, e);
	else if (word == ON)
		do_on(nl, a, doc, e);
	else if (word == OFF)
		do_off(nl, doc, e);
	else
		do_reset(nl, doc, e);
	if (word != SHOW && !e->code)
		say_trace(&ctx->out, nl, doc, e);
}

int cmd_reclaim(struct hp_ctx *ctx, int argc, char **argv)
{
	struct args a = {
		.trace = { .enabled = true, .threshold_ns = DEFAULT_THRESHOLD,
			   .has_enabled = true, .has_threshold_ns = true, .has_pid = true,
			   .has_cgroup = true },
		.interval_ns = DEFAULT_INTERVAL,
	};
	struct hp_error e = { 0 };
	struct hpbuf_nl *nl;
	json_t *doc;
	int word = parse(&a, ctx, argc, argv, &e);

	if (word < 0)
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	if (module_nl_open(&nl, &e))
		return out_finish(&ctx->out, doc, &e);
	if (word == WATCH) {
		reclaim_watch(ctx, nl, a.interval_ns, &e);
		/* With -j there were lines, and the error is one on stderr. */
		ctx->out.json = false;
	} else {
		act(word, &a, ctx, nl, doc, &e);
	}
	hpbuf_nl_close(nl);
	return out_finish(&ctx->out, doc, &e);
}
