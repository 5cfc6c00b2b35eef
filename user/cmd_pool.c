// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl pool: the pages that the module keeps ready, shown and set. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "measure/stop.h"
#include "module.h"
#include "nodes.h"
#include "parse.h"
#include "pool_conf.h"
#include "pool_set.h"
#include "pool_show.h"

enum { KEY_COUNT = HP_KEY, KEY_MIN, KEY_KEEP, KEY_PARTIAL, KEY_TIMEOUT, KEY_DRY_RUN };

const struct hp_opt cmd_pool_opts[] = {
	{ "page", 'p', "PAGE", "set: 2M or 1G" },
	{ "nodes", 'n', "NODES", "set: these NUMA nodes: 0, 0-1, 0,2, all, !1 (all)" },
	{ "count", KEY_COUNT, "N", "set: pages that each of the nodes is to have; 0: none" },
	{ "min", KEY_MIN, "N", "set: of these, how many memory pressure leaves alone (0)" },
	{ "keep", KEY_KEEP, NULL, "set: all of them" },
	{ "partial", KEY_PARTIAL, NULL, "set: keep what can be had when it is less" },
	{ "timeout", KEY_TIMEOUT, "T", "set, restore: give up after T in all (no limit)" },
	{ "dry-run", KEY_DRY_RUN, NULL, "set, restore: only say what would be done" },
	{ NULL, 0, NULL, NULL }
};

enum word { SHOW, SET, RESTORE };
static const char *const words[] = { "show", "set", "restore", NULL };

/**
 * struct args - the command line
 * @for_set, @for_both: name of an option that only set, or set and restore, know
 * @nodes: for set
 * @file: for restore; NULL: the usual one
 */
struct args {
	enum word word;
	const char *for_set, *for_both;
	unsigned int page_shift;
	uint64_t nodes[HP_NODE_WORDS];
	bool has_nodes, has_count, has_min, keep, partial, dry_run;
	uint64_t count, min, timeout_ns;
	const char *file;
};

static int take_set(int key, const char *value, struct args *a, struct hp_error *e)
{
	switch (key) {
	case 'p':
		a->for_set = "page";
		return hp_parse_page(value, &a->page_shift, e);
	case 'n':
		a->for_set = "nodes";
		a->has_nodes = true;
		return hp_parse_nodes(value, a->nodes, e);
	case KEY_COUNT:
		a->for_set = "count";
		a->has_count = true;
		return pool_parse_pages(value, &a->count, e);
	case KEY_MIN:
		a->for_set = "min";
		a->has_min = true;
		return pool_parse_pages(value, &a->min, e);
	case KEY_KEEP:
		a->for_set = "keep";
		a->keep = true;
		break;
	case KEY_PARTIAL:
		a->for_set = "partial";
		a->partial = true;
		break;
	}
	return HP_OK;
}

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct args *a = arg;

	if (key == KEY_TIMEOUT) {
		a->for_both = "timeout";
		return hp_parse_time(value, &a->timeout_ns, e);
	}
	if (key == KEY_DRY_RUN) {
		a->for_both = "dry-run";
		a->dry_run = true;
		return HP_OK;
	}
	return take_set(key, value, a, e);
}

/* ---- what may be meant ---- */

static int take_word(struct args *a, const char *text, struct hp_error *e)
{
	const char *near;

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			a->word = (enum word)i;
			return HP_OK;
		}
	}
	near = hp_nearest(text, words);
	hp_fail(e, HP_USAGE, 0, "pool \"%.40s\": no such thing to do", text);
	if (near)
		return hp_hint(e, "did you mean %s?", near);
	return hp_hint(e, "show, set or restore");
}

static int check_set(struct args *a, struct hp_error *e)
{
	uint64_t bytes;

	if (!a->page_shift)
		hp_fail(e, HP_USAGE, 0, "no page size is given");
	else if (!a->has_count)
		hp_fail(e, HP_USAGE, 0, "no count of pages is given");
	if (e->code)
		return hp_hint(e, "hpctl pool set -p 2M|1G [-n NODES] --count N");
	if (a->keep && a->has_min)
		return hp_fail(e, HP_USAGE, 0, "--keep and --min exclude each other");
	if (a->keep)
		a->min = a->count;
	if (a->min > a->count)
		return hp_fail(e, HP_USAGE, 0, "--min %llu is above --count %llu",
			       (unsigned long long)a->min, (unsigned long long)a->count);
	if (__builtin_mul_overflow(a->count, UINT64_C(1) << a->page_shift, &bytes) ||
	    bytes > INT64_MAX)
		return hp_fail(e, HP_USAGE, EOVERFLOW, "that is too large for any machine");
	if (!a->has_nodes)
		nodes_with_memory(a->nodes);
	return HP_OK;
}

static int check(struct args *a, const struct hp_ctx *ctx, struct hp_error *e)
{
	const char *wrong = a->word == SHOW && a->for_both ? a->for_both :
			    a->word != SET ? a->for_set : NULL;

	if (wrong) {
		hp_fail(e, HP_USAGE, 0, "\"%s\" takes no --%s", words[a->word], wrong);
		return hp_hint(e, "hpctl help pool");
	}
	if (a->word == SHOW)
		return pool_show_check(&ctx->out, e);
	if (a->word == SET && check_set(a, e))
		return e->code;
	return pool_results_check(&ctx->out, e);
}

static int parse(struct args *a, struct hp_ctx *ctx, int argc, char **argv, struct hp_error *e)
{
	int first = hp_opts(ctx, cmd_pool_opts, argc, argv, take, a, e);

	if (!first)
		return -1;
	if (first < argc && take_word(a, argv[first++], e))
		return -1;
	if (a->word == RESTORE && first < argc)
		a->file = argv[first++];
	if (hp_opts_none(argc, argv, first, e) || check(a, ctx, e))
		return -1;
	return 0;
}

/* ---- set, restore ---- */

static int set_steps(const struct args *a, struct pool_job *job, struct hp_error *e)
{
	job->steps = calloc(HP_NODES_MAX, sizeof(*job->steps));
	if (!job->steps)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for the list of nodes");
	for (unsigned int n = 0; n < HP_NODES_MAX; n++)
		if (nodes_has(a->nodes, n))
			job->steps[job->nr++].ask = (struct hpbuf_nl_pool_set) {
				.node = n, .page_shift = a->page_shift, .want = a->count,
				.min = a->min, .has_min = true, .partial = a->partial,
			};
	return HP_OK;
}

/* Without a file of that name there is nothing to restore, unless it was named. */
static int restore_steps(const struct args *a, struct pool_job *job, struct hp_error *e)
{
	const char *path = a->file ? a->file : POOL_CONF;

	pool_conf_read(path, &job->steps, &job->nr, e);
	if (e->err == ENOENT && !a->file)
		memset(e, 0, sizeof(*e));
	if (!e->code && !job->nr && !job->o->json && !job->o->quiet)
		printf("%s asks for no pool\n", path);
	return e->code;
}

static void change(const struct args *a, struct pool_job *job, struct hp_error *e)
{
	if (a->word == SET ? set_steps(a, job, e) : restore_steps(a, job, e))
		return;
	if (!job->nr || module_nl_open(&job->nl, e))
		return;
	pool_look(job, e);
	/* One node that is not there does not keep the others from being restored. */
	if (a->word == RESTORE && !a->dry_run)
		memset(e, 0, sizeof(*e));
	if (!e->code && !a->dry_run) {
		stop_install(a->timeout_ns);
		if (a->word == SET)
			pool_set_all(job, e);
		else
			pool_set_each(job, e);
	}
	pool_results(job, e);
	hpbuf_nl_close(job->nl);
}

int cmd_pool(struct hp_ctx *ctx, int argc, char **argv)
{
	struct pool_job job = { .o = &ctx->out };
	struct hp_error e = { 0 };
	struct args a = { 0 };

	if (parse(&a, ctx, argc, argv, &e))
		return hp_opts_end(ctx, argv[0], &e);
	job.doc = out_doc(argv[0]);
	if (a.word == SHOW)
		pool_show(&ctx->out, job.doc, &e);
	else
		change(&a, &job, &e);
	free(job.steps);
	return out_finish(&ctx->out, job.doc, &e);
}
