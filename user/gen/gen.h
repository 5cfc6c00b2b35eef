/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hpctl-gen: a program of the build. It writes manual pages and completion from
 * the tables that hpctl itself reads its command line with.
 */
#ifndef HPCTL_GEN_H
#define HPCTL_GEN_H

#include <stddef.h>

#include "cmd.h"

/** What can stand in a place of the command line. */
enum gen_kind {
	GEN_TEXT,		/* nothing to offer */
	GEN_WORDS,
	GEN_FILES,
	GEN_DIRS,
	GEN_BUFFERS,		/* ids and names, asked of hpctl list */
};

/**
 * struct gen_place
 * @list: several of @words, with commas between them
 * @words: with spaces between them, empty unless GEN_WORDS
 */
struct gen_place {
	enum gen_kind kind;
	bool list;
	char words[512];
};

/** The argument of an option, by what the table calls it. */
void gen_option(const struct hp_opt *opt, struct gen_place *p);

/** The operands of a command, by its usage line. */
void gen_operands(const struct hp_cmd *cmd, struct gen_place *p);

/**
 * gen_man - a page in scdoc's language
 * @cmd: the command, NULL: hpctl itself
 * @body: file with the text, in which @OPTIONS@ and @COMMANDS@ stand for the tables;
 *	without it the page has what the tables tell
 * Returns 0 or a negative errno.
 */
int gen_man(const struct hp_cmd *cmd, const char *body);

void gen_bash(void);
void gen_zsh(void);
void gen_fish(void);

#endif
