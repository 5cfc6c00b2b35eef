/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands. Each is a file cmd_NAME.c and a row of the table in hpctl.c.
 */
#ifndef HPCTL_CMD_H
#define HPCTL_CMD_H

#include "opts.h"
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
 * @opts: the command's own options (cmd_NAME_opts), NULL when it has none
 */
struct hp_cmd {
	const char *name;
	int (*run)(struct hp_ctx *ctx, int argc, char **argv);
	const char *brief;
	const char *usage;
	const struct hp_opt *opts;
};

extern const struct hp_cmd hp_cmds[];

int cmd_alloc(struct hp_ctx *ctx, int argc, char **argv);
int cmd_list(struct hp_ctx *ctx, int argc, char **argv);
int cmd_show(struct hp_ctx *ctx, int argc, char **argv);
int cmd_free(struct hp_ctx *ctx, int argc, char **argv);
int cmd_run(struct hp_ctx *ctx, int argc, char **argv);
int cmd_compare(struct hp_ctx *ctx, int argc, char **argv);
int cmd_walk(struct hp_ctx *ctx, int argc, char **argv);
int cmd_pool(struct hp_ctx *ctx, int argc, char **argv);
int cmd_reclaim(struct hp_ctx *ctx, int argc, char **argv);
int cmd_monitor(struct hp_ctx *ctx, int argc, char **argv);
int cmd_doctor(struct hp_ctx *ctx, int argc, char **argv);
int cmd_report(struct hp_ctx *ctx, int argc, char **argv);
int cmd_version(struct hp_ctx *ctx, int argc, char **argv);
int cmd_help(struct hp_ctx *ctx, int argc, char **argv);

extern const struct hp_opt cmd_alloc_opts[];
extern const struct hp_opt cmd_free_opts[];
extern const struct hp_opt cmd_walk_opts[];
extern const struct hp_opt cmd_pool_opts[];
extern const struct hp_opt cmd_reclaim_opts[];
extern const struct hp_opt cmd_monitor_opts[];
extern const struct hp_opt cmd_doctor_opts[];
extern const struct hp_opt cmd_report_opts[];

/** hpctl without a command: list, and one line on the module. */
int cmd_bare(struct hp_ctx *ctx);

/** The row of @name, or NULL. */
const struct hp_cmd *hp_cmd_find(const char *name);

/** Refuse a command that is not there, with the one that may have been meant. */
int hp_cmd_unknown(const char *name, struct hp_error *e);

/** The whole program but main(): returns the exit code. */
int hpctl_main(int argc, char **argv);

#endif
