// SPDX-License-Identifier: GPL-2.0-or-later
/* Completion for bash. */
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"

static void put_name(const struct hp_opt *opt, int letter, bool common, void *arg)
{
	(void)common;
	(void)arg;
	if (letter)
		printf("-%c ", letter);
	printf("--%s ", opt->name);
}

/* A pattern of the options that take an argument. */
static void put_taking(const struct hp_opt *opt, int letter, bool common, void *arg)
{
	(void)common;
	(void)arg;
	if (opt->arg && letter)
		printf(" | -%c", letter);
	if (opt->arg)
		printf(" | --%s", opt->name);
}

static void put_place(const struct gen_place *p)
{
	switch (p->kind) {
	case GEN_WORDS:
		printf("_hpctl_%s '%s'", p->list ? "list" : "words", p->words);
		break;
	case GEN_FILES:
		printf("_hpctl_files -f");
		break;
	case GEN_DIRS:
		printf("_hpctl_files -d");
		break;
	case GEN_BUFFERS:
		printf("_hpctl_words \"$(_hpctl_buffers)\"");
		break;
	default:
		printf(":");
	}
}

/* Of each option with an argument: what to offer for that. */
static void put_argument(const struct hp_opt *opt, int letter, bool common, void *arg)
{
	const struct hp_cmd *cmd = arg;
	const char *name = cmd ? cmd->name : "";
	struct gen_place p;

	(void)common;
	if (!opt->arg)
		return;
	gen_option(opt, &p);
	printf("\t'%s --%s'", name, opt->name);
	if (letter)
		printf(" | '%s -%c'", name, letter);
	printf(") ");
	put_place(&p);
	puts(" ; return ;;");
}

static void put_command(const struct hp_cmd *cmd)
{
	struct gen_place p;

	printf("\t%s)\n\t\tcase $cur in\n\t\t-*) _hpctl_words '", cmd->name);
	hp_opts_each(cmd->opts, put_name, NULL);
	printf("' ;;\n\t\t*) ");
	gen_operands(cmd, &p);
	put_place(&p);
	puts(" ;;\n\t\tesac ;;");
}

void gen_bash(void)
{
	puts("# bash completion for hpctl, made from hpctl's tables\n\n"
	     "_hpctl_words()\n{\n\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n}\n\n"
	     "_hpctl_list()\n{\n\tlocal before=\"\"\n\n"
	     "\t[[ $cur != *,* ]] || before=${cur%,*},\n"
	     "\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n}\n\n"
	     "_hpctl_files()\n{\n\tcompopt -o filenames 2>/dev/null\n"
	     "\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n}\n\n"
	     "_hpctl_buffers()\n{\n\thpctl list --no-headings --columns ID,NAME 2>/dev/null |\n"
	     "\t\tsed 's, n/a$,,'\n}\n\n"
	     "_hpctl()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	     "\tlocal command=\"\" i\n\n"
	     "\tCOMPREPLY=()\n"
	     "\t# --option=value comes as three words\n"
	     "\tif [ \"$cur\" = = ]; then\n\t\tcur=\"\"\n"
	     "\telif [ \"$prev\" = = ]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
	     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tcase ${COMP_WORDS[i]} in");
	printf("\t\t'='");
	hp_opts_each(NULL, put_taking, NULL);
	puts(") i=$((i + 1)) ;;\n\t\t-*) ;;\n\t\t*) command=${COMP_WORDS[i]}; break ;;\n"
	     "\t\tesac\n\tdone\n\n\tcase \"$command $prev\" in");
	hp_opts_each(NULL, put_argument, NULL);
	for (const struct hp_cmd *c = hp_cmds; c->name; c++)
		hp_opts_each(c->opts, put_argument, (void *)c);
	printf("\tesac\n\n\tcase $command in\n\t'')\n\t\tcase $cur in\n\t\t-*) _hpctl_words '");
	hp_opts_each(NULL, put_name, NULL);
	printf("' ;;\n\t\t*) _hpctl_words '");
	for (const struct hp_cmd *c = hp_cmds; c->name; c++)
		printf("%s ", c->name);
	puts("' ;;\n\t\tesac ;;");
	for (const struct hp_cmd *c = hp_cmds; c->name; c++)
		put_command(c);
	puts("\tesac\n}\n\ncomplete -F _hpctl hpctl");
}
