// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl free: each one as far as it goes; the worst outcome is the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "cmd.h"
#include "module.h"

enum { KEY_ALL = HP_KEY, KEY_DRY_RUN };

const struct hp_opt cmd_free_opts[] = {
	{ "all", KEY_ALL, NULL, "all persistent buffers that list shows" },
	{ "dry-run", KEY_DRY_RUN, NULL, "only say what would be freed" },
	{ NULL, 0, NULL, NULL }
};

struct args {
	bool all, dry_run;
};

/* Everything that the single steps need. */
struct job {
	const struct hp_ctx *ctx;
	const struct args *args;
	json_t *doc;
	struct hpbuf_nl *nl;
	int dev;
	unsigned int tried, failed;
	int worst;
};

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct args *a = arg;

	(void)value;
	(void)e;
	if (key == KEY_ALL)
		a->all = true;
	else if (key == KEY_DRY_RUN)
		a->dry_run = true;
	return HP_OK;
}

static void note_failure(struct job *j, const struct hp_error *e)
{
	j->failed++;
	if (e->code > j->worst)
		j->worst = e->code;
	out_warn(j->doc, "not-freed", e->hint, "%s", e->message);
}

static int free_failed(const struct hpbuf_nl_buf *buf, int err, struct hp_error *e)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return hp_fail(e, HP_PERMISSION, -err, "buffer %u belongs to somebody else",
			       buf->id);
	case ENOENT:
		return hp_fail(e, HP_FAILED, -err, "there is no buffer %u any more", buf->id);
	case EINVAL:
		hp_fail(e, HP_FAILED, -err, "buffer %u is not persistent", buf->id);
		return hp_hint(e, "it goes when the program that has it closes it");
	default:
		return hp_fail(e, HP_FAILED, -err, "cannot free buffer %u: %s", buf->id,
			       strerror(-err));
	}
}

static void add_result(struct job *j, const struct hpbuf_nl_buf *buf,
		       const struct hpbuf_free *res, bool freed)
{
	json_t *row = json_object();

	json_object_set_new(row, "id", json_integer(buf->id));
	json_object_set_new(row, "name", out_string(*buf->name ? buf->name : NULL));
	json_object_set_new(row, "bytes", json_integer((json_int_t)buf->size));
	json_object_set_new(row, "freed", json_boolean(freed));
	json_object_set_new(row, "busy", freed ? json_boolean(res->busy) : json_null());
	json_object_set_new(row, "free_ns", freed && !res->busy ?
			    json_integer((json_int_t)res->free_ns) : json_null());
	json_array_append_new(json_object_get(j->doc, "results"), row);
}

static void say(const struct job *j, const struct hpbuf_nl_buf *buf,
		const struct hpbuf_free *res)
{
	const char *named = *buf->name ? " " : "";
	char bytes[32], ns[32];

	if (j->ctx->out.json || j->ctx->out.quiet)
		return;
	out_bytes(bytes, buf->size);
	if (j->args->dry_run)
		printf("would free %u%s%s, %s\n", buf->id, named, buf->name, bytes);
	else if (res->busy)
		printf("dropped %u%s%s, %s: the memory comes back when its last user ends\n",
		       buf->id, named, buf->name, bytes);
	else
		printf("freed %u%s%s, %s in %s\n", buf->id, named, buf->name, bytes,
		       out_ns(ns, (double)res->free_ns));
}

static void free_one(struct job *j, const struct hpbuf_nl_buf *buf)
{
	struct hpbuf_free res = { 0 };
	struct hp_error e = { 0 };
	int err = 0;

	j->tried++;
	if (!j->args->dry_run)
		err = hpbuf_free_id(j->dev, buf->id, &res);
	/* With --all somebody else may have been faster. */
	if (err == -ENOENT && j->args->all)
		return;
	add_result(j, buf, &res, !err && !j->args->dry_run);
	if (err) {
		free_failed(buf, err, &e);
		note_failure(j, &e);
		return;
	}
	say(j, buf, &res);
}

static int free_listed(const struct hpbuf_nl_buf *buf, void *arg)
{
	if (buf->persist)
		free_one(arg, buf);
	return 0;
}

static void free_named(struct job *j, const char *text)
{
	struct hp_error e = { 0 };
	struct hpbuf_nl_buf buf;

	if (module_buffer(j->nl, text, &buf, &e)) {
		j->tried++;
		note_failure(j, &e);
		return;
	}
	free_one(j, &buf);
}

static void free_each(struct job *j, char **names, struct hp_error *e)
{
	struct hpbuf_caps caps;
	int err;

	if (module_open(j->ctx->device, &caps, &j->dev, e))
		return;
	if (module_nl_open(&j->nl, e))
		goto out_dev;
	if (j->args->all) {
		err = hpbuf_nl_bufs(j->nl, free_listed, j);
		if (err)
			module_nl_failed(j->nl, err, "list the buffers", e);
	}
	for (; *names; names++)
		free_named(j, *names);
	if (j->failed && !e->code)
		hp_fail(e, j->worst, 0, "%u of %u not freed", j->failed, j->tried);
	hpbuf_nl_close(j->nl);
out_dev:
	close(j->dev);
}

int cmd_free(struct hp_ctx *ctx, int argc, char **argv)
{
	struct args args = { 0 };
	struct hp_error e = { 0 };
	struct job job = { .ctx = ctx, .args = &args };
	int first;

	first = hp_opts(ctx, cmd_free_opts, argc, argv, take, &args, &e);
	if (first && first == argc && !args.all)
		hp_fail(&e, HP_USAGE, 0, "which buffers?");
	else if (first && first < argc && args.all)
		hp_fail(&e, HP_USAGE, 0, "--all and \"%.40s\" exclude each other", argv[first]);
	if (first && e.code)
		hp_hint(&e, "hpctl free ID...|NAME... or hpctl free --all; hpctl list shows them");
	for (int i = first; first && i < argc && !e.code; i++)
		module_buffer_check(argv[i], &e);
	if (!first || e.code)
		return hp_opts_end(ctx, argv[0], &e);
	job.doc = out_doc(argv[0]);
	free_each(&job, argv + first, &e);
	return out_finish(&ctx->out, job.doc, &e);
}
