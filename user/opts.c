// SPDX-License-Identifier: GPL-2.0-or-later
#include "opts.h"

#include <getopt.h>
#include <linux/hpbuf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "plan.h"

#define OPTS_MAX	64

/* Keys of common options without a letter; above every command's own. */
enum {
	KEY_COLOR = HP_KEY + 0x1000,
	KEY_COLUMNS,
	KEY_DEVICE,
	/* Added to a letter that the command uses for something else. */
	KEY_LONG_ONLY = HP_KEY + 0x2000,
};

static const struct hp_opt common[] = {
	{ "json", 'j', NULL, "one JSON document on stdout, and nothing else" },
	{ "output", 'o', "FILE", "save the JSON document too" },
	{ "columns", KEY_COLUMNS, "LIST", "columns of the table; +LIST: more columns" },
	{ "no-headings", 'n', NULL, "no line of headings" },
	{ "bytes", 'b', NULL, "sizes in whole bytes" },
	{ "quiet", 'q', NULL, "no warnings, no progress" },
	{ "verbose", 'v', NULL, "more detail" },
	{ "color", KEY_COLOR, "WHEN", "auto, always or never" },
	{ "device", KEY_DEVICE, "PATH", "the module's node (" HPBUF_DEVICE ")" },
	{ "help", 'h', NULL, "this text" },
	{ "version", 'V', NULL, "version of hpctl" },
	{ NULL, 0, NULL, NULL }
};

/* What getopt wants to see, made from two tables. */
struct tables {
	struct option opts[OPTS_MAX];
	char letters[2 + 3 * OPTS_MAX];
	size_t nr, nr_letters;
};

static bool has_letter(const struct hp_opt *opts, int letter)
{
	for (; opts && opts->name; opts++)
		if (opts->key == letter)
			return true;
	return false;
}

static bool has_name(const struct hp_opt *opts, const char *name)
{
	for (; opts && opts->name; opts++)
		if (!strcmp(opts->name, name))
			return true;
	return false;
}

static void add(struct tables *t, const struct hp_opt *opt, int key)
{
	if (t->nr == OPTS_MAX - 1)
		return;
	t->opts[t->nr].name = opt->name;
	t->opts[t->nr].has_arg = opt->arg ? required_argument : no_argument;
	t->opts[t->nr++].val = key;
	if (key >= HP_KEY)
		return;
	t->letters[t->nr_letters++] = (char)key;
	if (opt->arg)
		t->letters[t->nr_letters++] = ':';
}

static void build(struct tables *t, const struct hp_opt *own, bool in_order)
{
	const struct hp_opt *opt;

	memset(t, 0, sizeof(*t));
	if (in_order)
		t->letters[t->nr_letters++] = '+';
	t->letters[t->nr_letters++] = ':';
	for (opt = own; opt && opt->name; opt++)
		add(t, opt, opt->key);
	for (opt = common; opt->name; opt++) {
		if (has_name(own, opt->name))
			continue;
		add(t, opt, has_letter(own, opt->key) ? opt->key + KEY_LONG_ONLY : opt->key);
	}
}

static int take_color(struct out_opts *out, const char *value, struct hp_error *e)
{
	static const char *const words[] = { "never", "always", "auto", NULL };

	for (int i = 0; words[i]; i++) {
		if (!strcmp(value, words[i])) {
			out->color = i;
			return HP_OK;
		}
	}
	hp_fail(e, HP_USAGE, 0, "--color \"%.40s\": no such choice", value);
	return hp_hint(e, "auto, always or never");
}

static int take_common(struct hp_ctx *ctx, int key, const char *value, struct hp_error *e)
{
	struct out_opts *out = &ctx->out;

	switch (key) {
	case 'j':
		out->json = true;
		break;
	case 'o':
		if (!*value)
			return hp_fail(e, HP_USAGE, 0, "--output \"\": needs the name of a file");
		out->save = value;
		break;
	case 'n':
		out->no_headings = true;
		break;
	case 'b':
		out->bytes = true;
		break;
	case 'q':
		out->quiet = true;
		break;
	case 'v':
		out->verbose++;
		break;
	case KEY_COLUMNS:
		out->columns = value;
		break;
	case KEY_DEVICE:
		ctx->device = value;
		break;
	case KEY_COLOR:
		return take_color(out, value, e);
	}
	return HP_OK;
}

static int unknown_long(const struct tables *t, const char *arg, struct hp_error *e)
{
	const char *names[OPTS_MAX], *near;
	char typed[64];
	size_t i;

	for (i = 0; i < t->nr; i++)
		names[i] = t->opts[i].name;
	names[i] = NULL;
	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	hp_fail(e, HP_USAGE, 0, "unknown or ambiguous option \"--%.40s\"", typed);
	near = hp_nearest(typed, names);
	return near ? hp_hint(e, "did you mean --%s?", near) : e->code;
}

/* What getopt stumbled over: @c is what it returned, optopt which option. */
static int bad_option(int c, const struct tables *t, char **argv, const char *command,
		      struct hp_error *e)
{
	const char *name = NULL;

	for (size_t i = 0; i < t->nr; i++)
		if (optopt && t->opts[i].val == optopt)
			name = t->opts[i].name;

	if (c == ':')
		hp_fail(e, HP_USAGE, 0, "option \"--%s\" needs an argument", name);
	else if (name)
		hp_fail(e, HP_USAGE, 0, "option \"--%s\" takes no argument", name);
	else if (optopt)
		hp_fail(e, HP_USAGE, 0, "unknown option \"-%c\"", optopt);
	else
		unknown_long(t, argv[optind - 1], e);
	if (!*e->hint)
		hp_hint(e, "hpctl help%s%s", command ? " " : "", command ? command : "");
	return e->code;
}

static int read_options(struct hp_ctx *ctx, const struct hp_opt *own, bool in_order,
			int argc, char **argv, hp_take_fn *take, void *arg,
			struct hp_error *e)
{
	const char *command = in_order ? NULL : argv[0];
	struct hp_error later = { 0 };
	struct tables t;
	int c, help = 0;

	build(&t, own, in_order);
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, t.letters, t.opts, NULL)) != -1) {
		/* Only the first mistake is told. */
		struct hp_error *into = e->code ? &later : e;

		if (c >= KEY_LONG_ONLY) {
			c -= KEY_LONG_ONLY;
		} else if (has_letter(own, c)) {
			take(c, optarg, arg, into);
			continue;
		}
		if (c == '?' || c == ':')
			bad_option(c, &t, argv, command, into);
		else if (c == 'h' || c == 'V')
			help = help ? help : c;
		else
			take_common(ctx, c, optarg, into);
	}
	if (e->code)
		return 0;
	if (help == 'h')
		hp_opts_help(command);
	else if (help == 'V')
		puts("hpctl " HPBUF_MODULE_VERSION);
	return help ? 0 : optind;
}

int hp_opts(struct hp_ctx *ctx, const struct hp_opt *own, int argc, char **argv,
	    hp_take_fn *take, void *arg, struct hp_error *e)
{
	return read_options(ctx, own, false, argc, argv, take, arg, e);
}

int hp_opts_global(struct hp_ctx *ctx, int argc, char **argv, struct hp_error *e)
{
	return read_options(ctx, NULL, true, argc, argv, NULL, NULL, e);
}

int hp_opts_end(struct hp_ctx *ctx, const char *command, struct hp_error *e)
{
	struct out_opts plain = { .quiet = true, .color = ctx->out.color };

	/* Help is no document; only the write is to be checked. */
	return out_finish(e->code ? &ctx->out : &plain, out_doc(command), e);
}

int hp_opts_none(int argc, char **argv, int first, struct hp_error *e)
{
	if (first == argc)
		return HP_OK;
	hp_fail(e, HP_USAGE, 0, "\"%.60s\" is one argument too many", argv[first]);
	return hp_hint(e, "hpctl help %s", argv[0]);
}

void hp_opts_each(const struct hp_opt *own,
		  void (*fn)(const struct hp_opt *opt, int letter, bool common, void *arg),
		  void *arg)
{
	const struct hp_opt *opt;

	for (opt = own; opt && opt->name; opt++)
		fn(opt, opt->key < HP_KEY ? opt->key : 0, false, arg);
	for (opt = common; opt->name; opt++)
		if (!has_name(own, opt->name))
			fn(opt, opt->key < HP_KEY && !has_letter(own, opt->key) ? opt->key : 0,
			   true, arg);
}

/* Of the two parts of the help text that one that @arg points to: common or not. */
static void print_opt(const struct hp_opt *opt, int letter, bool is_common, void *arg)
{
	const bool *wanted = arg;
	char left[64];

	if (is_common != *wanted)
		return;
	snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", letter ? '-' : ' ',
		 letter ? letter : ' ', letter ? ", " : "  ", opt->name,
		 opt->arg ? " " : "", opt->arg ? opt->arg : "");
	printf("%-26s  %s\n", left, opt->text);
}

static void print_opts(const struct hp_opt *own, bool is_common)
{
	hp_opts_each(own, print_opt, &is_common);
}

void hp_opts_help(const char *command)
{
	const struct hp_cmd *cmd = command ? hp_cmd_find(command) : NULL;

	if (cmd) {
		printf("usage: hpctl %s%s%s\n\n%s\n", cmd->name, *cmd->usage ? " " : "",
		       cmd->usage, cmd->brief);
		if (cmd->opts) {
			puts("\noptions:");
			print_opts(cmd->opts, false);
		}
		if (cmd->run == cmd_run || cmd->run == cmd_compare)
			plan_help();
	} else {
		puts("usage: hpctl [OPTION...] [COMMAND [ARG...]]\n\ncommands:");
		for (cmd = hp_cmds; cmd->name; cmd++)
			printf("  %-10s %s\n", cmd->name, cmd->brief);
		puts("\nWithout a command: list, and whether the module is loaded.");
		cmd = NULL;
	}
	puts("\nin every command (-b and -n where they mean nothing else):");
	print_opts(cmd ? cmd->opts : NULL, true);
}

/* Edits (insert, delete, replace, swap neighbours) that make @a of @b. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[3][32];
	size_t la = strlen(a), lb = strlen(b);

	if (la > 30 || lb > 30)
		return 99;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *now = row[i % 3], *up = row[(i + 2) % 3];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int best = up[j - 1] + (a[i - 1] != b[j - 1]);

			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    row[(i + 1) % 3][j - 2] + 1 < best)
				best = row[(i + 1) % 3][j - 2] + 1;
			now[j] = best;
		}
	}
	return row[la % 3][lb];
}

const char *hp_nearest(const char *text, const char *const *names)
{
	unsigned int best = strlen(text) > 4 ? 3 : 2;
	const char *found = NULL;

	for (; *names; names++) {
		unsigned int d = distance(text, *names);

		/* The beginning of a name is near it however long the rest is. */
		if (strlen(text) > 1 && !strncmp(text, *names, strlen(text)))
			d = 1;
		if (d < best) {
			best = d;
			found = *names;
		}
	}
	return found;
}
