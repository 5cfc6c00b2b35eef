// SPDX-License-Identifier: GPL-2.0-or-later
/* Completion for fish. */
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"

static void put_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (strchr("'\\", *text))
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void put_when(const struct hp_cmd *cmd)
{
	printf("complete -c hpctl -n ");
	if (cmd)
		printf("'__fish_seen_subcommand_from %s'", cmd->name);
	else
		printf("__fish_use_subcommand");
}

/* -x: nothing but what -a offers; -r alone: files. */
static void put_place(const struct gen_place *p)
{
	switch (p->kind) {
	case GEN_WORDS:
		if (p->list)
			printf(" -x -a '(__fish_append , %s)'", p->words);
		else
			printf(" -x -a '%s'", p->words);
		break;
	case GEN_FILES:
		printf(" -r -F");
		break;
	case GEN_DIRS:
		printf(" -x -a '(__fish_complete_directories)'");
		break;
	case GEN_BUFFERS:
		printf(" -x -a '(__hpctl_buffers)'");
		break;
	default:
		printf(" -x");
	}
}

static void put_option(const struct hp_opt *opt, int letter, bool common, void *arg)
{
	struct gen_place p;

	(void)common;
	put_when(arg);
	if (letter)
		printf(" -s %c", letter);
	printf(" -l %s", opt->name);
	if (opt->arg) {
		gen_option(opt, &p);
		put_place(&p);
	}
	printf(" -d ");
	put_quoted(opt->text);
	putchar('\n');
}

void gen_fish(void)
{
	struct gen_place p;

	puts("# fish completion for hpctl, made from hpctl's tables\n\n"
	     "function __hpctl_buffers\n"
	     "\thpctl list --no-headings --columns ID,NAME 2>/dev/null |\n"
	     "\t\tstring match -ra '\\S+' | string match -v n/a\nend\n\n"
	     "complete -c hpctl -f");
	hp_opts_each(NULL, put_option, NULL);
	for (const struct hp_cmd *c = hp_cmds; c->name; c++) {
		put_when(NULL);
		printf(" -a %s -d ", c->name);
		put_quoted(c->brief);
		putchar('\n');
		hp_opts_each(c->opts, put_option, (void *)c);
		gen_operands(c, &p);
		if (p.kind == GEN_TEXT)
			continue;
		put_when(c);
		if (p.kind == GEN_FILES)
			puts(" -F");
		else if (p.kind == GEN_BUFFERS)
			puts(" -a '(__hpctl_buffers)'");
		else
			printf(" -a '%s'\n", p.words);
	}
}
