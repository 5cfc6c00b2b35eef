// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl doctor: what is missing here, and what to do about it. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "doctor/doctor.h"

enum { KEY_ROOT = HP_KEY };

const struct hp_opt cmd_doctor_opts[] = {
	{ "root", KEY_ROOT, "DIR", "look at /proc, /sys, /dev, /etc, /lib and /var below DIR" },
	{ NULL, 0, NULL, NULL }
};

static const struct out_col cols[] = {
	{ "STATE", "state", OUT_TEXT, true },
	{ "CHECK", "check", OUT_TEXT, true },
	{ "FOUND", "found", OUT_TEXT, true },
	{ "SINCE", "since", OUT_TEXT, false },
	{ "FIX", "fix", OUT_TEXT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static int take(int key, const char *value, void *arg, struct hp_error *e)
{
	const char **root = arg;
	struct stat st;

	if (key != KEY_ROOT)
		return HP_OK;
	if (stat(value, &st))
		return hp_fail(e, HP_USAGE, errno, "root \"%.60s\": %s", value, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return hp_fail(e, HP_USAGE, ENOTDIR, "root \"%.60s\": is no directory", value);
	*root = value;
	return HP_OK;
}

/* One line that names them, so that a log without the table says it too. */
static int judge(const json_t *rows, struct hp_error *e)
{
	char names[160] = "";
	unsigned int failed = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		if (strcmp(json_string_value(json_object_get(row, "state")), "fail"))
			continue;
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 failed++ ? ", " : "", json_string_value(json_object_get(row, "check")));
	}
	if (!failed)
		return HP_OK;
	hp_fail(e, HP_FAILED, 0, "%u of %zu checks failed: %s", failed, json_array_size(rows),
		names);
	return hp_hint(e, "FIX says what to do");
}

int cmd_doctor(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 };
	const char *root = "";
	struct doctor d;
	json_t *doc, *rows;
	int first;

	first = hp_opts(ctx, cmd_doctor_opts, argc, argv, take, &root, &e);
	if (!first || hp_opts_none(argc, argv, first, &e))
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	if (out_check_columns(&ctx->out, cols, &e))
		return out_finish(&ctx->out, doc, &e);
	doctor_init(&d, root, ctx->device);
	rows = doctor_run(&d);
	json_object_set_new(doc, "results", rows);
	if (!out_table(&ctx->out, rows, cols, &e))
		judge(rows, &e);
	return out_finish(&ctx->out, doc, &e);
}
