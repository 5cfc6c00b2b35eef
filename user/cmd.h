/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands. Each is a file cmd_NAME.c and a row of the table in hpctl.c.
 */
#ifndef HPCTL_CMD_H
#define HPCTL_CMD_H

#include "out/out.h"

/**
 * struct hp_ctx - what hpctl.c hands to a command
 * @device: device node, --device
 * @out: the flags of every command, filled by the command's own option loop
 */
struct hp_ctx {
	const char *device;
	struct out_opts out;
};

/**
 * struct hp_cmd - a row of the table
 * @name: as it is typed
 * @run: argv[0] is the command's name; returns the exit code
 * @brief: one line for help
 * @usage: arguments for the usage line
 */
struct hp_cmd {
	const char *name;
	int (*run)(struct hp_ctx *ctx, int argc, char **argv);
	const char *brief;
	const char *usage;
};

extern const struct hp_cmd hp_cmds[];

int cmd_alloc(struct hp_ctx *ctx, int argc, char **argv);
int cmd_list(struct hp_ctx *ctx, int argc, char **argv);
int cmd_show(struct hp_ctx *ctx, int argc, char **argv);
int cmd_free(struct hp_ctx *ctx, int argc, char **argv);
int cmd_run(struct hp_ctx *ctx, int argc, char **argv);
int cmd_compare(struct hp_ctx *ctx, int argc, char **argv);
int cmd_version(struct hp_ctx *ctx, int argc, char **argv);
int cmd_help(struct hp_ctx *ctx, int argc, char **argv);

#endif
