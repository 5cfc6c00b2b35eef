// SPDX-License-Identifier: GPL-2.0-or-later
/* Manual pages, as scdoc(5). */
#include <ctype.h>
#include <errno.h>
#include <linux/hpbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

/* Text as it is: what scdoc would take for markup gets a backslash. */
static void put_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("*_\\`", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void put_arg(const char *arg)
{
	putchar('_');
	put_text(arg);
	putchar('_');
}

static void put_option(const struct hp_opt *opt, int letter, bool common, void *arg)
{
	const bool *wanted = arg;

	if (common != *wanted)
		return;
	if (letter)
		printf("*-%c*, ", letter);
	printf("*--%s*", opt->name);
	if (opt->arg) {
		putchar(' ');
		put_arg(opt->arg);
	}
	printf("\n\t");
	put_text(opt->text);
	puts("\n");
}

static void put_options(const struct hp_cmd *cmd)
{
	const struct hp_opt *own = cmd ? cmd->opts : NULL;

	puts("# OPTIONS\n");
	hp_opts_each(own, put_option, &(bool){ false });
	if (own)
		puts("In every command:\n");
	hp_opts_each(own, put_option, &(bool){ true });
}

/* Upper case words are what to fill in, the others are typed as they are. */
static void put_usage(const char *usage)
{
	while (*usage) {
		size_t n = strspn(usage, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		if (n > 1) {
			printf("_%.*s_", (int)n, usage);
			usage += n;
		} else {
			put_text((const char[]){ *usage++, '\0' });
		}
	}
}

static void put_commands(void)
{
	for (const struct hp_cmd *c = hp_cmds; c->name; c++) {
		printf("*%s* ", c->name);
		put_usage(c->usage);
		printf("\n\t");
		put_text(c->brief);
		printf("; *hpctl-%s*(1)\n\n", c->name);
	}
}

static void put_head(const struct hp_cmd *cmd)
{
	printf("hpctl%s%s(1) \"hpctl " HPBUF_MODULE_VERSION "\" \"hpctl\"\n\n# NAME\n\n",
	       cmd ? "-" : "", cmd ? cmd->name : "");
	if (cmd) {
		printf("hpctl-%s - ", cmd->name);
		put_text(cmd->brief);
		printf("\n\n# SYNOPSIS\n\n*hpctl %s* ", cmd->name);
		put_usage(cmd->usage);
		puts("\n");
	} else {
		puts("hpctl - guaranteed huge pages, and what they bring\n\n# SYNOPSIS\n\n"
		     "*hpctl* [_OPTION_...] [_COMMAND_ [_ARG_...]]\n");
	}
}

/* What a page has of its own, and need not get from here. */
struct parts {
	bool options, status, see;
};

static int put_body(const struct hp_cmd *cmd, const char *body, struct parts *has)
{
	FILE *f = fopen(body, "re");
	char *line = NULL;
	size_t size = 0;
	int ret;

	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0) {
		if (!strcmp(line, "@COMMANDS@\n")) {
			put_commands();
		} else if (!strcmp(line, "@OPTIONS@\n")) {
			put_options(cmd);
			has->options = true;
		} else {
			has->status |= !strcmp(line, "# EXIT STATUS\n");
			has->see |= !strcmp(line, "# SEE ALSO\n");
			fputs(line, stdout);
		}
	}
	ret = ferror(f) ? -EIO : 0;
	free(line);
	fclose(f);
	return ret;
}

int gen_man(const struct hp_cmd *cmd, const char *body)
{
	struct parts has = { 0 };
	int ret = -ENOENT;

	put_head(cmd);
	if (body)
		ret = put_body(cmd, body, &has);
	if (ret == -ENOENT && cmd) {
		puts("# DESCRIPTION\n");
		put_text(cmd->brief);
		puts(".\n");
		ret = 0;
	}
	if (!has.options)
		put_options(cmd);
	if (cmd && !has.status)
		puts("\n# EXIT STATUS\n\nSee *hpctl*(1).");
	if (cmd && !has.see)
		puts("\n# SEE ALSO\n\n*hpctl*(1), *hpbuf*(4)");
	return ret;
}
