/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way out. A command builds one JSON document; the table, the JSON
 * text and the saved file are all rendered from it and cannot disagree.
 *
 * Whole bytes and nanoseconds in the document; 2.00 GiB and 12.3 ns on a
 * terminal. An unknown value is json_null() and prints as n/a.
 */
#ifndef HPCTL_OUT_H
#define HPCTL_OUT_H

#include <jansson.h>
#include <stdbool.h>

#include "error.h"

/** struct out_opts - the flags that mean the same in every command */
struct out_opts {
	bool json;		/* -j: one document on stdout, nothing else */
	bool no_headings;	/* -n */
	bool bytes;		/* -b: whole bytes in tables */
	bool quiet;		/* -q */
	int verbose;		/* -v */
	int color;		/* 0 never, 1 always, 2 auto */
	const char *columns;	/* LIST or +COL, NULL: the default ones */
	const char *save;	/* -o FILE: the JSON, beside what is printed */
	const struct hp_error *startup;	/* a warning from before the command, or NULL */
};

enum out_fmt {
	OUT_TEXT,		/* string, or anything as it is */
	OUT_COUNT,		/* whole number */
	OUT_BYTES,		/* 2.00 GiB */
	OUT_NS,			/* 12.3 ns, 4.56 ms, 1.23 s */
	OUT_RATIO,		/* 1.83x */
	OUT_PERCENT,		/* a share of 0..1 as 100 % */
	OUT_NODES,		/* array of {node, pages} as 0:512 */
	OUT_LEAF,		/* {pte, pmd, pud, none} in bytes as PUD 100 % */
	OUT_BOOL,		/* yes, no */
	OUT_RATE,		/* 1/s: 12.3 M/s */
};

/**
 * struct out_col - a column of a table
 * @name: heading, upper case, as --columns names it (in any case)
 * @path: where the value is in a row object: "stages.0.ns", "leaf.pmd"
 * @fmt: how it is written
 * @shown: whether it is there without --columns
 */
struct out_col {
	const char *name;
	const char *path;
	enum out_fmt fmt;
	bool shown;
};

/** A new document: schema, command, env, empty results and warnings, no error. */
json_t *out_doc(const char *command);

/** Append a warning to @doc. */
void out_warn(json_t *doc, const char *code, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Put @e into @doc's "error". */
void out_error(json_t *doc, const struct hp_error *e);

/**
 * Print the table of @rows (an array of objects) as @o says; nothing with -j.
 * @cols ends with a NULL name. Returns 0 or a usage error for --columns.
 */
int out_table(const struct out_opts *o, const json_t *rows,
	      const struct out_col *cols, struct hp_error *e);

/** A single object, one "NAME  value" line a column; else as out_table(). */
int out_record(const struct out_opts *o, const json_t *row,
	       const struct out_col *cols, struct hp_error *e);

/** Only the check of --columns, for a command to do before its work. */
int out_check_columns(const struct out_opts *o, const struct out_col *cols,
		      struct hp_error *e);

/** Whether to use colours on the descriptor @fd: --color, NO_COLOR, terminal. */
bool out_use_color(const struct out_opts *o, int fd);

/**
 * A JSON string of bytes that came from elsewhere: json_string() refuses what is
 * not UTF-8. Null for NULL.
 */
json_t *out_string(const char *text);

/**
 * End of a command: with -j the document goes to stdout, with -o it is saved,
 * warnings and the error go to stderr as "hpctl COMMAND: message" with the hint
 * behind it. Frees @doc. Returns the exit code.
 */
int out_finish(const struct out_opts *o, json_t *doc, struct hp_error *e);

/** Progress on stderr, on a terminal only and not with -q or -j. */
void out_progress(const struct out_opts *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** @buf of at least 32 bytes; returned. */
char *out_bytes(char *buf, unsigned long long bytes);
char *out_ns(char *buf, double ns);

#endif
