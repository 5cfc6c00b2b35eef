/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options. A command keeps one static table; getopt's tables, the help text,
 * the man page and the shells' completion (gen/) are made from it. The options that mean the same everywhere
 * are added here, each without its letter when the command uses that letter
 * itself (-n is nodes in alloc, -b is the backing in run).
 */
#ifndef HPCTL_OPTS_H
#define HPCTL_OPTS_H

#include <stdbool.h>

#include "error.h"

struct hp_ctx;

/** First key for an option that has no letter. */
#define HP_KEY	256

/**
 * struct hp_opt - one option; a table ends with a NULL name
 * @name: long form, without the dashes
 * @key: the letter, or HP_KEY and up for an option that has none
 * @arg: what its argument is called in help, NULL when it takes none
 * @text: one line of help
 */
struct hp_opt {
	const char *name;
	int key;
	const char *arg;
	const char *text;
};

/** Takes one of the command's own options; returns 0 or hp_fail()'s code. */
typedef int hp_take_fn(int key, const char *value, void *arg, struct hp_error *e);

/**
 * hp_opts - read a command's options
 * @ctx: gets the common ones
 * @own: the command's own, or NULL
 * @argc: as the command got it; operands are moved behind the options
 * @argv: likewise
 * @take: called for each own option, in order
 * @arg: handed to @take
 * @e: filled on failure; zeroed by the caller
 *
 * The whole line is read even behind a mistake, so that -j counts wherever it
 * stands; the first mistake is the one reported.
 *
 * Returns the index of the first operand (argc: there is none), or 0 when there
 * is nothing more to do: `return hp_opts_end(ctx, argv[0], &e)`.
 */
int hp_opts(struct hp_ctx *ctx, const struct hp_opt *own, int argc, char **argv,
	    hp_take_fn *take, void *arg, struct hp_error *e);

/** The same in front of the command: stops at the first operand. */
int hp_opts_global(struct hp_ctx *ctx, int argc, char **argv, struct hp_error *e);

/** Exit code after hp_opts() returned 0: help was printed, or @e is reported. */
int hp_opts_end(struct hp_ctx *ctx, const char *command, struct hp_error *e);

/** Refuse operands where there are to be none. Returns 0 or HP_USAGE. */
int hp_opts_none(int argc, char **argv, int first, struct hp_error *e);

/** Usage, options and common options of a command on stdout. */
void hp_opts_help(const char *command);

/**
 * hp_opts_each - the options that a command takes, its own first
 * @own: the command's own, or NULL
 * @fn: @letter is 0 where the option has none in this command; @common: it means
 *	the same in every command
 */
void hp_opts_each(const struct hp_opt *own,
		  void (*fn)(const struct hp_opt *opt, int letter, bool common, void *arg),
		  void *arg);

/** The name in @names (NULL-terminated) that @text was meant as, or NULL. */
const char *hp_nearest(const char *text, const char *const *names);

#endif
