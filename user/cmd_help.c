// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl help: usage, made from the tables that the options are read with. */
#include "cmd.h"

int cmd_help(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 };
	int first;

	first = hp_opts(ctx, NULL, argc, argv, NULL, NULL, &e);
	if (!first)
		return hp_opts_end(ctx, argv[0], &e);
	if (argc > first + 1)
		hp_opts_none(argc, argv, first + 1, &e);
	else if (argc > first && !hp_cmd_find(argv[first]))
		hp_cmd_unknown(argv[first], &e);
	else
		hp_opts_help(argc > first ? argv[first] : NULL);
	return hp_opts_end(ctx, argv[0], &e);
}
