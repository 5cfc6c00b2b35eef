// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl report: saved results as a table, bars, CSV, Markdown and a page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cmd.h"
#include "out/save.h"
#include "report/collect.h"
#include "report/load.h"
#include "report/render.h"

enum report_key { KEY_HTML = HP_KEY, KEY_CSV, KEY_MARKDOWN, KEY_BARS };

const struct hp_opt cmd_report_opts[] = {
	{ "html", KEY_HTML, "FILE", "one page with plots that needs nothing but itself" },
	{ "csv", KEY_CSV, "FILE", "a line a row; -: on stdout in place of the table" },
	{ "markdown", KEY_MARKDOWN, "FILE", "the table; -: on stdout in place of the table" },
	{ "bars", KEY_BARS, NULL, "bars below the table also where stdout is no terminal" },
	{ NULL, 0, NULL, NULL }
};

/**
 * struct form - a file to be written
 * @render: puts the report into a FILE
 * @text, @len: what it made: nothing is written before all forms are made
 */
struct form {
	const char *option, *path;
	int (*render)(const json_t *doc, FILE *f, struct hp_error *e);
	char *text;
	size_t len;
};

struct report {
	struct form forms[3];
	bool bars;
};

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct report *r = arg;

	if (key == KEY_BARS) {
		r->bars = true;
		return HP_OK;
	}
	if (!*value)
		return hp_fail(e, HP_USAGE, 0, "--%s: which file?",
			       r->forms[key - KEY_HTML].option);
	r->forms[key - KEY_HTML].path = value;
	return HP_OK;
}

static bool on_stdout(const struct form *f)
{
	return f->path && !strcmp(f->path, "-");
}

static int check(const struct report *r, const struct out_opts *o, struct hp_error *e)
{
	unsigned int own = o->json;

	for (size_t i = 0; i < ARRAY_SIZE(r->forms); i++) {
		const struct form *f = &r->forms[i];

		own += on_stdout(f);
		for (size_t k = 0; k < i && f->path && !on_stdout(f); k++)
			if (r->forms[k].path && !strcmp(r->forms[k].path, f->path))
				return hp_fail(e, HP_USAGE, 0, "--%s and --%s are one file",
					       r->forms[k].option, f->option);
		if (f->path && o->save && !strcmp(o->save, f->path))
			return hp_fail(e, HP_USAGE, 0, "--%s and --output are one file", f->option);
	}
	if (own > 1)
		return hp_fail(e, HP_USAGE, 0, "stdout takes one of --json, --csv - and the like");
	return HP_OK;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return a && b && !stat(a, &sa) && !stat(b, &sb) && S_ISREG(sa.st_mode) &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* What was measured is not to be lost to a report of it. */
static int check_inputs(const struct report *r, const struct out_opts *o, char **paths,
			size_t nr, struct hp_error *e)
{
	for (size_t i = 0; i < nr; i++) {
		if (same_file(o->save, paths[i]))
			return hp_fail(e, HP_USAGE, 0, "--output would overwrite %.200s", paths[i]);
		for (size_t k = 0; k < ARRAY_SIZE(r->forms); k++)
			if (same_file(r->forms[k].path, paths[i]))
				return hp_fail(e, HP_USAGE, 0, "--%s would overwrite %.200s",
					       r->forms[k].option, paths[i]);
	}
	return HP_OK;
}

static int no_results(const json_t *first, const char *path, struct hp_error *e)
{
	const char *why = report_text(first, "error.message");

	return hp_fail(e, HP_FAILED, 0, "%.100s: there are no results in it%s%.150s", path,
		       *why ? ": " : "", why);
}

static int load_all(char **paths, size_t nr, json_t *doc, struct hp_error *e)
{
	json_t **docs = calloc(nr + 1, sizeof(*docs));
	int ret = HP_OK;

	if (!docs)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory");
	for (size_t i = 0; i < nr && !ret; i++) {
		docs[i] = report_load(paths[i], e);
		ret = e->code;
	}
	if (!ret)
		ret = report_collect(doc, paths, docs, nr, e);
	if (!ret && !json_array_size(json_object_get(doc, "results")))
		ret = no_results(docs[0], paths[0], e);
	for (size_t i = 0; i < nr; i++)
		json_decref(docs[i]);
	free(docs);
	return ret;
}

/* What went wrong where it was measured is told here too. */
static void tell(json_t *doc)
{
	const json_t *files = json_object_get(json_object_get(doc, "env"), "files"), *file;
	size_t i;

	json_array_foreach(files, i, file) {
		const char *name = report_text(file, "file");

		if (*report_text(file, "error.message"))
			out_warn(doc, "run-failed", NULL, "%.100s: it ended with: %.200s", name,
				 report_text(file, "error.message"));
	}
}

static int make(const json_t *doc, struct form *form, struct hp_error *e)
{
	FILE *f = open_memstream(&form->text, &form->len);
	int ret;

	if (!f)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for --%s", form->option);
	ret = form->render(doc, f, e);
	if (fclose(f) && !ret)
		ret = hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for --%s", form->option);
	return ret;
}

static int write_form(FILE *f, const void *arg)
{
	const struct form *form = arg;

	errno = 0;
	if (fwrite(form->text, 1, form->len, f) != form->len)
		return errno ? -errno : -EIO;
	return 0;
}

static int put_forms(struct report *r, const json_t *doc, struct hp_error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->forms); i++)
		if (r->forms[i].path && make(doc, &r->forms[i], e))
			return e->code;
	for (size_t i = 0; i < ARRAY_SIZE(r->forms); i++) {
		struct form *f = &r->forms[i];
		int ret = 0;

		if (on_stdout(f))
			/* A write that fails is found by out_finish(). */
			fwrite(f->text, 1, f->len, stdout);
		else if (f->path)
			ret = out_save(f->path, write_form, f);
		if (ret)
			return hp_fail(e, ret == -EACCES ? HP_PERMISSION : HP_FAILED, -ret,
				       "cannot save %.200s: %s", f->path, strerror(-ret));
	}
	return HP_OK;
}

static void print(const struct report *r, const struct out_opts *o, const json_t *doc,
		  struct hp_error *e)
{
	struct out_col cols[REPORT_COLS];

	for (size_t i = 0; i < ARRAY_SIZE(r->forms); i++)
		if (on_stdout(&r->forms[i]))
			return;
	report_columns(doc, cols);
	if (out_table(o, json_object_get(doc, "results"), cols, e))
		return;
	if (!o->json && (r->bars || isatty(STDOUT_FILENO)))
		report_bars(doc, o);
}

int cmd_report(struct hp_ctx *ctx, int argc, char **argv)
{
	struct report r = {
		.forms = {
			{ .option = "html", .render = report_html },
			{ .option = "csv", .render = report_csv },
			{ .option = "markdown", .render = report_markdown },
		},
	};
	struct hp_error e = { 0 };
	json_t *doc;
	int first;

	first = hp_opts(ctx, cmd_report_opts, argc, argv, take, &r, &e);
	if (!first)
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	if (first == argc) {
		hp_fail(&e, HP_USAGE, 0, "which file?");
		hp_hint(&e, "what hpctl compare -o FILE saved");
	}
	if (!e.code && !check(&r, &ctx->out, &e) &&
	    !out_check_columns(&ctx->out, report_cols, &e) &&
	    !check_inputs(&r, &ctx->out, argv + first, (size_t)(argc - first), &e) &&
	    !load_all(argv + first, (size_t)(argc - first), doc, &e)) {
		tell(doc);
		if (!put_forms(&r, doc, &e))
			print(&r, &ctx->out, doc, &e);
	}
	for (size_t i = 0; i < ARRAY_SIZE(r.forms); i++)
		free(r.forms[i].text);
	return out_finish(&ctx->out, doc, &e);
}
