// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl list, and hpctl alone. */
#include <stdio.h>
#include <unistd.h>

#include "buffer.h"
#include "cmd.h"
#include "module.h"

struct adding {
	json_t *rows;
	struct buffer_owner owner;
};

static int add(const struct hpbuf_nl_buf *buf, void *arg)
{
	struct adding *a = arg;

	json_array_append_new(a->rows, buffer_json(buf, &a->owner));
	return 0;
}

static int collect(json_t *rows, struct hp_error *e)
{
	struct adding a = { .rows = rows };
	struct hpbuf_nl *nl;
	int err;

	if (module_nl_open(&nl, e))
		return e->code;
	err = hpbuf_nl_bufs(nl, add, &a);
	if (err)
		module_nl_failed(nl, err, "list the buffers", e);
	hpbuf_nl_close(nl);
	return e->code;
}

/* On a terminal an empty answer could be taken for none. */
static void say_empty(const struct out_opts *o, const json_t *rows)
{
	if (!json_array_size(rows) && !o->json && !o->quiet && isatty(STDOUT_FILENO))
		fprintf(stderr, "no buffers\n");
}

static void status_line(const struct out_opts *o)
{
	char version[32];

	if (o->json)
		return;
	if (module_version(version, sizeof(version)))
		printf("module %s loaded\n", version);
	else
		puts("module not loaded");
}

static int list(struct hp_ctx *ctx, const char *command, bool status)
{
	json_t *doc = out_doc(command);
	json_t *rows = json_object_get(doc, "results");
	struct hp_error e = { 0 };

	if (!out_check_columns(&ctx->out, buffer_cols, &e) && !collect(rows, &e) &&
	    !out_table(&ctx->out, rows, buffer_cols, &e))
		say_empty(&ctx->out, rows);
	if (status)
		status_line(&ctx->out);
	return out_finish(&ctx->out, doc, &e);
}

int cmd_bare(struct hp_ctx *ctx)
{
	return list(ctx, "list", true);
}

int cmd_list(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 };
	int first;

	first = hp_opts(ctx, NULL, argc, argv, NULL, NULL, &e);
	if (!first || hp_opts_none(argc, argv, first, &e))
		return hp_opts_end(ctx, argv[0], &e);
	return list(ctx, argv[0], false);
}
