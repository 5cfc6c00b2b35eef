// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: hpctl-gen commands | bash | zsh | fish | man COMMAND|hpctl [BODY]
 * To stdout; exit 1 when something is wrong.
 */
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"

static int man(int argc, char **argv)
{
	const struct hp_cmd *cmd = argc > 2 ? hp_cmd_find(argv[2]) : NULL;
	int ret;

	if (argc < 3 || (!cmd && strcmp(argv[2], "hpctl"))) {
		fprintf(stderr, "hpctl-gen: man COMMAND|hpctl [BODY]\n");
		return 1;
	}
	ret = gen_man(cmd, argc > 3 ? argv[3] : NULL);
	if (ret)
		fprintf(stderr, "hpctl-gen: %s: %s\n", argc > 3 ? argv[3] : argv[2],
			strerror(-ret));
	return ret != 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int ret = 0;

	if (!strcmp(what, "commands")) {
		for (const struct hp_cmd *c = hp_cmds; c->name; c++)
			puts(c->name);
	} else if (!strcmp(what, "bash")) {
		gen_bash();
	} else if (!strcmp(what, "zsh")) {
		gen_zsh();
	} else if (!strcmp(what, "fish")) {
		gen_fish();
	} else if (!strcmp(what, "man")) {
		ret = man(argc, argv);
	} else {
		fprintf(stderr, "hpctl-gen: commands, bash, zsh, fish or man\n");
		return 2;
	}
	return fflush(stdout) || ferror(stdout) ? 1 : ret;
}
