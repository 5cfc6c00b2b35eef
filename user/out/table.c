// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables and single records from JSON rows, by libsmartcols. */
#include "fmt.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define COLS_MAX	64

/* The columns to print, in order. */
struct picked {
	const struct out_col *cols[COLS_MAX];
	size_t nr;
};

static int unknown_column(struct hp_error *e, const struct out_col *cols,
			  const char *name, size_t len)
{
	char known[sizeof(e->hint)] = "";
	size_t n = 0;

	for (; cols->name; cols++) {
		size_t room = sizeof(known) - n;
		int wrote = snprintf(known + n, room, " %s", cols->name);

		if (wrote < 0 || (size_t)wrote >= room)
			break;
		n += (size_t)wrote;
	}
	hp_fail(e, HP_USAGE, 0, "no column \"%.*s\"", len < 40 ? (int)len : 40, name);
	return hp_hint(e, "there are%.*s", (int)sizeof(known) - 12, known);
}

static const struct out_col *find(const struct out_col *cols, const char *name, size_t len)
{
	for (; cols->name; cols++)
		if (strlen(cols->name) == len && !strncasecmp(cols->name, name, len))
			return cols;
	return NULL;
}

static void add(struct picked *p, const struct out_col *col)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->cols[i] == col)
			return;
	if (p->nr < COLS_MAX)
		p->cols[p->nr++] = col;
}

static int pick(const struct out_opts *o, const struct out_col *cols, struct picked *p,
		struct hp_error *e)
{
	const char *list = o->columns;
	const struct out_col *col;

	p->nr = 0;
	if (!list || *list == '+')
		for (col = cols; col->name; col++)
			if (col->shown)
				add(p, col);
	if (!list)
		return HP_OK;
	list += *list == '+';
	for (;;) {
		size_t len = strcspn(list, ",");

		col = find(cols, list, len);
		if (!col)
			return unknown_column(e, cols, list, len);
		add(p, col);
		if (!list[len])
			return HP_OK;
		list += len + 1;
	}
}

int out_check_columns(const struct out_opts *o, const struct out_col *cols,
		      struct hp_error *e)
{
	struct picked p;

	return pick(o, cols, &p, e);
}

bool out_use_color(const struct out_opts *o, int fd)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (o->color != 2)
		return o->color == 1;
	return !(no && *no) && isatty(fd) && !(term && !strcmp(term, "dumb"));
}

static int add_columns(struct libscols_table *tb, const struct picked *p, bool color)
{
	for (size_t i = 0; i < p->nr; i++) {
		int right = fmt_is_number(p->cols[i]->fmt) ? SCOLS_FL_RIGHT : 0;
		struct libscols_column *cl;

		cl = scols_table_new_column(tb, p->cols[i]->name, 0, right);
		if (!cl)
			return -ENOMEM;
		if (color)
			scols_cell_set_color(scols_column_get_header(cl), "bold");
	}
	return 0;
}

static int add_row(struct libscols_table *tb, const struct picked *p, const json_t *row,
		   bool whole_bytes)
{
	struct libscols_line *ln = scols_table_new_line(tb, NULL);

	if (!ln)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr; i++) {
		const struct out_col *col = p->cols[i];
		char *text;

		text = fmt_value(fmt_lookup(row, col->path), col->fmt, whole_bytes);
		if (!text)
			return -ENOMEM;
		/* Takes the text over. */
		if (scols_line_refer_data(ln, i, text)) {
			free(text);
			return -ENOMEM;
		}
	}
	return 0;
}

static int print_rows(const struct out_opts *o, const json_t *rows, const struct picked *p)
{
	bool color = out_use_color(o, STDOUT_FILENO);
	struct libscols_table *tb;
	const json_t *row;
	size_t i;
	int ret;

	tb = scols_new_table();
	if (!tb)
		return -ENOMEM;
	scols_table_enable_colors(tb, color);
	scols_table_enable_noheadings(tb, o->no_headings);
	ret = add_columns(tb, p, color);
	json_array_foreach(rows, i, row) {
		if (!ret)
			ret = add_row(tb, p, row, o->bytes);
	}
	/* A failed write is found by out_finish(). */
	if (!ret)
		scols_print_table(tb);
	scols_unref_table(tb);
	return ret;
}

int out_table(const struct out_opts *o, const json_t *rows, const struct out_col *cols,
	      struct hp_error *e)
{
	struct picked p;

	if (pick(o, cols, &p, e))
		return e->code;
	if (o->json)
		return HP_OK;
	out_progress(o, "%s", "");
	if (print_rows(o, rows, &p))
		return hp_fail(e, HP_FAILED, ENOMEM, "no memory for the table");
	return HP_OK;
}

int out_record(const struct out_opts *o, const json_t *row, const struct out_col *cols,
	       struct hp_error *e)
{
	struct picked p;
	int width = 0;

	if (pick(o, cols, &p, e))
		return e->code;
	if (o->json)
		return HP_OK;
	out_progress(o, "%s", "");
	for (size_t i = 0; i < p.nr; i++)
		if ((int)strlen(p.cols[i]->name) > width)
			width = (int)strlen(p.cols[i]->name);
	for (size_t i = 0; i < p.nr; i++) {
		const struct out_col *col = p.cols[i];
		char *text = fmt_value(fmt_lookup(row, col->path), col->fmt, o->bytes);

		if (!o->no_headings)
			printf("%-*s  ", width, col->name);
		puts(text ? text : "n/a");
		free(text);
	}
	return HP_OK;
}
