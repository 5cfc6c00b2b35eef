// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl: the table of commands, and the way to them. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "backing/reserve.h"
#include "cmd.h"
#include "plan.h"

const struct hp_cmd hp_cmds[] = {
	{ "alloc", cmd_alloc, "make a buffer that stays until it is freed",
	  "-s SIZE -p 2M|1G [OPTION...]", cmd_alloc_opts },
	{ "list", cmd_list, "buffers: your own, all of them for root", "[OPTION...]", NULL },
	{ "show", cmd_show, "everything about a buffer", "ID|NAME [OPTION...]", NULL },
	{ "free", cmd_free, "free buffers", "ID...|NAME...|--all [OPTION...]",
	  cmd_free_opts },
	{ "run", cmd_run, "run workloads on one kind of memory",
	  "WORKLOAD... [-b BACKING] [OPTION...]", cmd_run_opts },
	{ "compare", cmd_compare, "run the same workloads on every kind of memory",
	  "[WORKLOAD...] [-b LIST] [OPTION...]", cmd_compare_opts },
	{ "walk", cmd_walk, "what page walks cost on every kind of memory",
	  "[-b LIST | --buffer ID] [OPTION...]", cmd_walk_opts },
	{ "pool", cmd_pool, "the pages that are kept ready, and the hugetlb pools",
	  "[show|set|restore [FILE]] [OPTION...]", cmd_pool_opts },
	{ "reclaim", cmd_reclaim, "what allocation, reclaim, compaction and migration cost",
	  "[show|watch|reset|on|off] [OPTION...]", cmd_reclaim_opts },
	{ "monitor", cmd_monitor, "events and stalls as they come, a line each",
	  "[OPTION...]", cmd_monitor_opts },
	{ "doctor", cmd_doctor, "what is missing on this machine, and how to fix it",
	  "[OPTION...]", cmd_doctor_opts },
	{ "report", cmd_report, "saved results as a table, bars, CSV, Markdown, a page with plots",
	  "FILE... [OPTION...]", cmd_report_opts },
	{ "version", cmd_version, "versions of hpctl and of the module", "", NULL },
	{ "help", cmd_help, "help on a command", "[COMMAND]", NULL },
	{ NULL, NULL, NULL, NULL, NULL }
};

const struct hp_cmd *hp_cmd_find(const char *name)
{
	const struct hp_cmd *cmd;

	for (cmd = hp_cmds; cmd->name; cmd++)
		if (!strcmp(cmd->name, name))
			return cmd;
	return NULL;
}

int hp_cmd_unknown(const char *name, struct hp_error *e)
{
	const char *names[ARRAY_SIZE(hp_cmds)], *near;
	size_t i;

	for (i = 0; hp_cmds[i].name; i++)
		names[i] = hp_cmds[i].name;
	names[i] = NULL;
	near = hp_nearest(name, names);
	hp_fail(e, HP_USAGE, 0, "unknown command \"%.40s\"", name);
	if (near)
		return hp_hint(e, "did you mean %s?", near);
	return hp_hint(e, "hpctl help");
}

/* Abbreviated too; nothing else begins like it. */
static bool is_dry(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--dr", 4))
			return true;
	return false;
}

int hpctl_main(int argc, char **argv)
{
	struct hp_ctx ctx = { .out.color = 2 };
	struct hp_error e = { 0 }, pools;
	const struct hp_cmd *cmd;
	int first;

	/* A reader that went away is found by the write, and is exit code 1. */
	signal(SIGPIPE, SIG_IGN);
	first = hp_opts_global(&ctx, argc, argv, &e);
	if (!first)
		return hp_opts_end(&ctx, NULL, &e);
	/* What a killed run left in hugetlb pools, whatever is started next. */
	if (reserve_recover(is_dry(argc, argv), &pools))
		ctx.out.startup = &pools;
	if (first == argc)
		return cmd_bare(&ctx);
	cmd = hp_cmd_find(argv[first]);
	if (!cmd) {
		hp_cmd_unknown(argv[first], &e);
		/* For the -j that may follow. */
		hp_opts(&ctx, NULL, argc - first, argv + first, NULL, NULL, &e);
		return hp_opts_end(&ctx, NULL, &e);
	}
	return cmd->run(&ctx, argc - first, argv + first);
}
