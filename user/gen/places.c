// SPDX-License-Identifier: GPL-2.0-or-later
/* What can stand where, from what the tables call it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "backing/backing.h"
#include "gen/gen.h"
#include "workload/workload.h"

static void add(struct gen_place *p, const char *word)
{
	size_t n = strlen(p->words);

	p->kind = GEN_WORDS;
	snprintf(p->words + n, sizeof(p->words) - n, "%s%s", n ? " " : "", word);
}

static void add_all(struct gen_place *p, const char *const *names)
{
	for (; *names; names++)
		add(p, *names);
}

void gen_option(const struct hp_opt *opt, struct gen_place *p)
{
	memset(p, 0, sizeof(*p));
	if (!opt->arg)
		return;
	p->list = !strcmp(opt->arg, "LIST");
	if (!strcmp(opt->arg, "FILE") || !strcmp(opt->arg, "PATH"))
		p->kind = GEN_FILES;
	else if (!strcmp(opt->arg, "DIR"))
		p->kind = GEN_DIRS;
	else if (!strcmp(opt->name, "buffer"))
		p->kind = GEN_BUFFERS;
	else if (!strcmp(opt->arg, "PAGE"))
		add(p, "2M 1G");
	else if (!strcmp(opt->name, "color"))
		add(p, "auto always never");
	else if (!strcmp(opt->name, "backing"))
		add_all(p, backing_names);
}

/* "[show|watch|off] ...": the words that the usage line begins with. */
static void add_choice(struct gen_place *p, const char *usage)
{
	char word[32];
	size_t n;

	do {
		usage++;
		n = strcspn(usage, "| ]");
		snprintf(word, sizeof(word), "%.*s", (int)n, usage);
		add(p, word);
		usage += n;
	} while (*usage == '|');
}

void gen_operands(const struct hp_cmd *cmd, struct gen_place *p)
{
	memset(p, 0, sizeof(*p));
	if (*cmd->usage == '[' && islower((unsigned char)cmd->usage[1]))
		add_choice(p, cmd->usage);
	else if (strstr(cmd->usage, "WORKLOAD"))
		add_all(p, workload_names);
	else if (!strncmp(cmd->usage, "ID", 2))
		p->kind = GEN_BUFFERS;
	else if (!strncmp(cmd->usage, "[COMMAND]", 9))
		for (const struct hp_cmd *c = hp_cmds; c->name; c++)
			add(p, c->name);
	else if (!strncmp(cmd->usage, "FILE", 4) || !strncmp(cmd->usage, "[FILE", 5))
		p->kind = GEN_FILES;
}
