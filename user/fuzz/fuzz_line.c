// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command line of run, compare and of what has the common options alone: words that end
 * with a zero byte. The first byte chooses the command.
 */
#include "fuzz.h"

#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "plan.h"

#define WORDS	16

static const struct out_col cols[] = {
	{ "ID", "id", OUT_COUNT, true }, { "SIZE", "size", OUT_BYTES, true },
	{ "NODES", "nodes", OUT_NODES, false }, { NULL, NULL, 0, false }
};

static int take_none(int key, const char *value, void *arg, struct hp_error *e)
{
	(void)key;
	(void)value;
	(void)arg;
	return e->code;
}

static void refused(const struct hp_error *e)
{
	MUST(e->code && *e->message && strlen(e->message) < sizeof(e->message));
	for (const char *p = e->message; *p; p++)
		MUST((unsigned char)*p >= ' ' && *p != 0x7f);
	for (const char *p = e->hint; *p; p++)
		MUST((unsigned char)*p >= ' ' && *p != 0x7f);
}

static void read_line(const struct hp_opt *opts, hp_take_fn *take, int argc, char **argv)
{
	struct hp_ctx ctx = { .device = "" };
	struct hp_error e = { 0 };
	struct plan plan = { .threads = 1 };
	int first;

	optind = 0;
	first = hp_opts(&ctx, opts, argc, argv, take, &plan, &e);
	if (e.code)
		refused(&e);
	MUST(e.code ? !first : first <= argc);
	MUST(plan.nr_b <= PLAN_BACKINGS);
	if (!e.code && out_check_columns(&ctx.out, cols, &e))
		refused(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS + 2], *text, *at;
	int argc = 1;

	static FILE *out;

	if (!size)
		return 0;
	/* --help is long. */
	if (!out)
		out = freopen("/dev/null", "w", stdout);
	text = malloc(size);
	MUST(out && text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	argv[0] = (char *)"command";
	for (at = text; at < text + size && argc <= WORDS; at += strlen(at) + 1)
		argv[argc++] = at;
	argv[argc] = NULL;
	if (*data == 'r')
		read_line(cmd_run_opts, plan_take, argc, argv);
	else if (*data == 'c')
		read_line(cmd_compare_opts, plan_take, argc, argv);
	else
		read_line(NULL, take_none, argc, argv);
	free(text);
	return 0;
}
