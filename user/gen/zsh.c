// SPDX-License-Identifier: GPL-2.0-or-later
/* Completion for zsh. */
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"

/* Within '...[text]:...': quotes, brackets and colons would end something. */
static void put_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'') {
			printf("'\\''");
			continue;
		}
		if (strchr("[]:\\", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void put_place(const struct gen_place *p)
{
	switch (p->kind) {
	case GEN_WORDS:
		if (p->list)
			printf("_values -s , value %s", p->words);
		else
			printf("(%s)", p->words);
		break;
	case GEN_FILES:
		printf("_files");
		break;
	case GEN_DIRS:
		printf("_files -/");
		break;
	case GEN_BUFFERS:
		printf("_hpctl_buffers");
		break;
	default:
		putchar(' ');
	}
}

static void put_option(const struct hp_opt *opt, int letter, bool common, void *arg)
{
	const char *plus = opt->arg ? "+" : "", *equals = opt->arg ? "=" : "";
	struct gen_place p;

	(void)common;
	(void)arg;
	gen_option(opt, &p);
	if (letter)
		printf("\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", letter, opt->name, letter, plus,
		       opt->name, equals);
	else
		printf("\t\t'--%s%s[", opt->name, equals);
	put_text(opt->text);
	putchar(']');
	if (opt->arg) {
		printf(":%s:", opt->arg);
		put_place(&p);
	}
	puts("' \\");
}

static void put_command(const struct hp_cmd *cmd)
{
	struct gen_place p;

	printf("_hpctl_%s()\n{\n\t_arguments -s -S \\\n", cmd->name);
	hp_opts_each(cmd->opts, put_option, NULL);
	gen_operands(cmd, &p);
	if (p.kind == GEN_TEXT) {
		puts("\t\t&& return\n}\n");
		return;
	}
	printf("\t\t'*:operand:");
	put_place(&p);
	puts("'\n}\n");
}

void gen_zsh(void)
{
	puts("#compdef hpctl\n# made from hpctl's tables\n\n"
	     "_hpctl_buffers()\n{\n\tlocal -a buffers\n\n"
	     "\tbuffers=(${=\"$(hpctl list --no-headings --columns ID,NAME 2>/dev/null)\"})\n"
	     "\tcompadd -- ${buffers:#n/a}\n}\n");
	for (const struct hp_cmd *c = hp_cmds; c->name; c++)
		put_command(c);
	puts("_hpctl()\n{\n\tlocal curcontext=$curcontext state line\n\tlocal -a commands\n\n"
	     "\tcommands=(");
	for (const struct hp_cmd *c = hp_cmds; c->name; c++) {
		printf("\t\t'%s:", c->name);
		put_text(c->brief);
		puts("'");
	}
	puts("\t)\n\t_arguments -C -s -S -A '-*' \\");
	hp_opts_each(NULL, put_option, NULL);
	puts("\t\t'1: :->command' '*:: :->argument'\n"
	     "\tcase $state in\n\tcommand) _describe command commands ;;\n"
	     "\targument) (( $+functions[_hpctl_$line[1]] )) && _hpctl_$line[1] ;;\n"
	     "\tesac\n}\n\n_hpctl \"$@\"");
}
