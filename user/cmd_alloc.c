// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl alloc: persistent buffers, all of them or none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc_child.h"
#include "alloc_progress.h"
#include "buffer.h"
#include "cmd.h"
#include "module.h"
#include "nodes.h"
#include "parse.h"

#define COUNT_MAX	65536

enum { KEY_NAME = HP_KEY, KEY_COUNT, KEY_TIMEOUT, KEY_DRY_RUN };

const struct hp_opt cmd_alloc_opts[] = {
	{ "size", 's', "SIZE", "bytes, or with K M G T; rounded up to whole pages" },
	{ "page", 'p', "PAGE", "2M or 1G" },
	{ "nodes", 'n', "NODES", "from these NUMA nodes only: 0, 0-1, 0,2, all, !1" },
	{ "name", KEY_NAME, "NAME", "a name to find it by" },
	{ "count", KEY_COUNT, "K", "that many buffers, all or none" },
	{ "timeout", KEY_TIMEOUT, "T", "give up after T for each, as 500ms, 30s, 2m (30s)" },
	{ "dry-run", KEY_DRY_RUN, NULL, "only say what would be made" },
	{ NULL, 0, NULL, NULL }
};

struct args {
	struct hpbuf_alloc req;
	uint64_t count;
	bool dry_run;
};

/* With an id for each that was made. */
struct made {
	uint32_t *ids;
	size_t nr;
};

static int take_timeout(struct hpbuf_alloc *req, const char *value, struct hp_error *e)
{
	uint64_t ns, ms;

	if (hp_parse_time(value, &ns, e))
		return e->code;
	ms = ns / 1000000 + (ns % 1000000 != 0);
	if (ms > UINT32_MAX)
		return hp_fail(e, HP_USAGE, 0, "time \"%.40s\": is too long", value);
	req->timeout_ms = (uint32_t)ms;
	return HP_OK;
}

static int take_count(uint64_t *count, const char *value, struct hp_error *e)
{
	if (hp_parse_count(value, count, e))
		return e->code;
	if (*count > COUNT_MAX)
		return hp_fail(e, HP_USAGE, 0, "count \"%.40s\": is above %d", value, COUNT_MAX);
	return HP_OK;
}

static int take_nodes(struct hpbuf_alloc *req, const char *value, struct hp_error *e)
{
	uint64_t mask[HP_NODE_WORDS];

	/* Not in place: __u64 and uint64_t are different types. */
	if (hp_parse_nodes(value, mask, e))
		return e->code;
	for (int i = 0; i < HP_NODE_WORDS; i++)
		req->nodes[i] = mask[i];
	return HP_OK;
}

static int take_name(struct hpbuf_alloc *req, const char *value, struct hp_error *e)
{
	if (module_name_check(value, e))
		return e->code;
	memset(req->name, 0, sizeof(req->name));
	memcpy(req->name, value, strlen(value));
	return HP_OK;
}

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct args *a = arg;
	uint64_t bytes;

	switch (key) {
	case 's':
		if (!hp_parse_size(value, &bytes, e))
			a->req.bytes = bytes;
		return e->code;
	case 'p':
		return hp_parse_page(value, &a->req.page_shift, e);
	case 'n':
		return take_nodes(&a->req, value, e);
	case KEY_NAME:
		return take_name(&a->req, value, e);
	case KEY_COUNT:
		return take_count(&a->count, value, e);
	case KEY_TIMEOUT:
		return take_timeout(&a->req, value, e);
	case KEY_DRY_RUN:
		a->dry_run = true;
		break;
	}
	return HP_OK;
}

/* In whole pages, as the module rounds; the parser's 63 bits leave room. */
static uint64_t rounded(const struct hpbuf_alloc *req)
{
	uint64_t page = UINT64_C(1) << req->page_shift;

	return (req->bytes + page - 1) & ~(page - 1);
}

static int check(const struct args *a, struct hp_error *e)
{
	uint64_t total;

	if (!a->req.bytes)
		hp_fail(e, HP_USAGE, 0, "no size is given");
	else if (!a->req.page_shift)
		hp_fail(e, HP_USAGE, 0, "no page size is given");
	if (e->code)
		return hp_hint(e, "hpctl alloc -s SIZE -p 2M|1G");
	if (a->count > 1 && *a->req.name)
		return hp_fail(e, HP_USAGE, 0, "one name for %llu buffers",
			       (unsigned long long)a->count);
	if (__builtin_mul_overflow(rounded(&a->req), a->count, &total) || total > INT64_MAX)
		return hp_fail(e, HP_USAGE, EOVERFLOW, "that is too large for any machine");
	return HP_OK;
}

static const struct out_col cols[] = {
	{ "ID", "id", OUT_COUNT, true },
	{ "NAME", "name", OUT_TEXT, true },
	{ "PAGE", "page_bytes", OUT_BYTES, true },
	{ "ASKED", "asked_bytes", OUT_BYTES, true },
	{ "GIVEN", "bytes", OUT_BYTES, true },
	{ "NODES", "nodes", OUT_NODES, true },
	{ "TOOK", "alloc_ns", OUT_NS, true },
	{ "SCAN", "scan_ns", OUT_NS, false },
	{ "MIGRATE", "migrate_ns", OUT_NS, false },
	{ "ZERO", "zero_ns", OUT_NS, false },
	{ "POOLED", "pooled", OUT_COUNT, false },
	{ NULL, NULL, OUT_TEXT, false }
};

static void note_rounding(json_t *doc, const struct hpbuf_alloc *req)
{
	char asked[32], given[32], waste[32];
	uint64_t size = rounded(req);

	if (size != req->bytes)
		out_warn(doc, "rounded", "", "asked %s, given %s in whole pages (%s more)",
			 out_bytes(asked, req->bytes), out_bytes(given, size),
			 out_bytes(waste, size - req->bytes));
}

static void undo(int dev, struct made *made, json_t *doc)
{
	int err;

	while (made->nr) {
		err = hpbuf_free_id(dev, made->ids[--made->nr], NULL);
		if (err && err != -ENOENT)
			out_warn(doc, "not-freed", "", "buffer %u, made before, stays: %s",
				 made->ids[made->nr], strerror(-err));
	}
}

static void failed(const struct hp_ctx *ctx, const struct args *a, int err, size_t nr,
		   json_t *doc, struct hp_error *e)
{
	size_t len;

	module_alloc_failed(ctx->device, &a->req, err, e);
	if (e->code == HP_RESOURCE && err != -EDQUOT && err != -EMFILE && err != -ENFILE)
		module_alloc_nodes(doc, &a->req);
	if (a->count < 2)
		return;
	len = strlen(e->message);
	snprintf(e->message + len, sizeof(e->message) - len, " (number %zu of %llu%s)", nr + 1,
		 (unsigned long long)a->count, nr ? "; those before it are freed again" : "");
}

static int alloc_all(const struct hp_ctx *ctx, const struct args *a, int dev,
		     struct made *made, json_t *doc, struct hp_error *e)
{
	struct alloc_progress progress = {
		.size = rounded(&a->req), .page_shift = a->req.page_shift, .count = a->count,
	};
	sigset_t wait;
	int err = 0, sig = 0;

	alloc_block(&wait);
	alloc_progress_begin(&progress, &ctx->out);
	while (made->nr < a->count && !err && !sig) {
		struct hpbuf_alloc req = a->req;

		if (a->count > 1)
			out_progress(&ctx->out, "%zu of %llu", made->nr,
				     (unsigned long long)a->count);
		progress.number = made->nr + 1;
		err = alloc_child(dev, &req, &wait, alloc_progress_tick, &progress, &sig);
		if (err)
			break;
		made->ids[made->nr++] = req.id;
		sig = alloc_stopped(&wait);
	}
	alloc_progress_end(&progress);
	if (sig)
		hp_fail(e, 128 + sig, EINTR, "stopped by SIG%s, %s", sigabbrev_np(sig),
			err == -EINPROGRESS ? "the kernel is still giving the memory back" :
			"no buffer is left behind");
	else if (err)
		failed(ctx, a, err, made->nr, doc, e);
	if (e->code)
		undo(dev, made, doc);
	return e->code;
}

/* Netlink tells more than the device, but not in every namespace. */
static int look_at(struct hpbuf_nl *nl, int dev, uint32_t id, struct hpbuf_nl_buf *buf)
{
	return nl && !hpbuf_nl_buf_get(nl, id, NULL, buf) ? 0 : buffer_info(dev, id, buf);
}

static void add_results(int dev, const struct made *made, json_t *doc)
{
	struct buffer_owner owner = { 0 };
	struct hpbuf_nl *nl = NULL;
	struct hpbuf_nl_buf buf;
	int err;

	if (hpbuf_nl_open(&nl))
		nl = NULL;
	for (size_t i = 0; i < made->nr; i++) {
		err = look_at(nl, dev, made->ids[i], &buf);
		if (!err)
			json_array_append_new(json_object_get(doc, "results"),
					      buffer_json(&buf, &owner));
		else
			out_warn(doc, "gone", "", "buffer %u was made, but is no longer there: %s",
				 made->ids[i], strerror(-err));
	}
	hpbuf_nl_close(nl);
}

/* The ids alone, for scripts; more only when it is asked for. */
static int print(const struct out_opts *o, const struct made *made, const json_t *doc,
		 struct hp_error *e)
{
	if (o->columns || o->verbose)
		return out_table(o, json_object_get(doc, "results"), cols, e);
	if (!o->json)
		for (size_t i = 0; i < made->nr; i++)
			printf("%u\n", made->ids[i]);
	return HP_OK;
}

static void dry_run(const struct hp_ctx *ctx, const struct args *a,
		    const struct hpbuf_caps *caps, struct hp_error *e)
{
	char bytes[32];

	if (!(caps->page_shifts >> a->req.page_shift & 1))
		module_alloc_failed(ctx->device, &a->req, -EOPNOTSUPP, e);
	else if (!ctx->out.json)
		printf("would make %llu x %s in %s pages\n", (unsigned long long)a->count,
		       out_bytes(bytes, rounded(&a->req)),
		       a->req.page_shift == HPBUF_SHIFT_1G ? "1 GiB" : "2 MiB");
}

static int alloc(const struct hp_ctx *ctx, const struct args *a, json_t *doc,
		 struct hp_error *e)
{
	struct made made = { 0 };
	struct hpbuf_caps caps;
	int dev;

	if (out_check_columns(&ctx->out, cols, e) || module_open(ctx->device, &caps, &dev, e))
		return e->code;
	if (a->dry_run) {
		dry_run(ctx, a, &caps, e);
		note_rounding(doc, &a->req);
		goto out;
	}
	made.ids = calloc(a->count, sizeof(*made.ids));
	if (!made.ids) {
		hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for the list of ids");
		goto out;
	}
	if (!alloc_all(ctx, a, dev, &made, doc, e)) {
		note_rounding(doc, &a->req);
		add_results(dev, &made, doc);
		print(&ctx->out, &made, doc, e);
	}
	free(made.ids);
out:
	close(dev);
	return e->code;
}

int cmd_alloc(struct hp_ctx *ctx, int argc, char **argv)
{
	struct args args = { .req.flags = HPBUF_ALLOC_PERSIST, .count = 1 };
	struct hp_error e = { 0 };
	json_t *doc;
	int first;

	first = hp_opts(ctx, cmd_alloc_opts, argc, argv, take, &args, &e);
	if (!first || hp_opts_none(argc, argv, first, &e) || check(&args, &e))
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	alloc(ctx, &args, doc, &e);
	return out_finish(&ctx->out, doc, &e);
}
