// SPDX-License-Identifier: GPL-2.0-or-later
/* Bars for a terminal: the shorter, the faster. */
#include "report/render.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/collect.h"

#define WIDTH_MIN	40
#define WIDTH_MAX	160
#define NAME_MAX_COLS	36

struct bars {
	const json_t *rows;
	size_t from, to;	/* rows of the group */
	double most;		/* ns */
	int names, room, marks;	/* columns of names, bars and marks */
	bool utf8, color, several, stars;
};

/* Asked of the environment without setting it for the rest of the program. */
static bool is_utf8(void)
{
	locale_t loc = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool yes = loc && !strcmp(nl_langinfo_l(CODESET, loc), "UTF-8");

	if (loc)
		freelocale(loc);
	return yes;
}

static int width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	long n = columns ? strtol(columns, NULL, 10) : 0;

	if (n <= 0 && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws))
		n = ws.ws_col;
	if (n <= 0)
		n = 80;
	return n < WIDTH_MIN ? WIDTH_MIN : n > WIDTH_MAX ? WIDTH_MAX : (int)n;
}

/* What is no ASCII has a width that is not known here. */
static void plain(char *text)
{
	for (; *text; text++)
		if (*text & 0x80)
			*text = '?';
}

static void name_of(const struct bars *b, const json_t *row, char *buf, size_t size)
{
	snprintf(buf, size, "%.60s%s%.60s", report_text(row, "backing"), b->several ? " " : "",
		 b->several ? report_text(row, "file") : "");
	plain(buf);
}

/* "  untrusted (spread)", or nothing. */
static void mark_of(const json_t *row, char *buf, size_t size)
{
	const char *mark = report_text(row, "mark");

	snprintf(buf, size, "%s%.80s", *mark ? "  " : "", mark);
	plain(buf);
}

/* @share of b->room columns; with UTF-8 to an eighth of one. */
static void put_bar(const struct bars *b, double share)
{
	static const char *const eighths[] = { "", "\u258f", "\u258e", "\u258d", "\u258c",
					       "\u258b", "\u258a", "\u2589" };
	int parts = (int)lround(share * b->room * 8), used = parts / 8;

	/* Something there is never nothing. */
	if (parts < 1)
		parts = 1;
	if (!b->utf8) {
		used = (parts + 7) / 8;
		for (int i = 0; i < used; i++)
			putchar('#');
	} else {
		for (int i = 0; i < used; i++)
			fputs("\u2588", stdout);
		fputs(eighths[parts % 8], stdout);
		used += parts % 8 != 0;
	}
	printf("%*s", b->room - used, "");
}

static void put_row(const struct bars *b, const json_t *row)
{
	char name[128], mark[96], text[32];
	double ns = report_ns(row);

	name_of(b, row, name, sizeof(name));
	mark_of(row, mark, sizeof(mark));
	printf("  %-*.*s ", b->names, b->names, name);
	if (!isfinite(ns)) {
		printf("%*s %9s", b->room, "", "n/a");
	} else {
		if (b->color)
			fputs(*mark ? "\033[33m" : "\033[36m", stdout);
		put_bar(b, ns / b->most);
		if (b->color)
			fputs("\033[0m", stdout);
		printf(" %9s", out_ns(text, ns));
	}
	printf("%s\n", !*mark ? "" : b->stars ? " *" : mark);
}

/* Two columns in front, one between each, nine of figures; bars have eight at least. */
static void divide(struct bars *b, int total)
{
	if (b->names > NAME_MAX_COLS)
		b->names = NAME_MAX_COLS;
	b->stars = b->marks > total - 40;
	if (b->stars)
		b->marks = 2;
	b->room = total - b->names - b->marks - 2 - 1 - 1 - 9;
	if (b->room < 8) {
		b->names -= 8 - b->room;
		b->room = 8;
	}
}

static void put_group(struct bars *b, int total)
{
	const json_t *first = json_array_get(b->rows, b->from);
	char name[128], title[160];

	b->most = 0;
	b->names = b->marks = 0;
	for (size_t i = b->from; i < b->to; i++) {
		const json_t *row = json_array_get(b->rows, i);
		double ns = report_ns(row);

		if (isfinite(ns) && ns > b->most)
			b->most = ns;
		name_of(b, row, name, sizeof(name));
		if ((int)strlen(name) > b->names)
			b->names = (int)strlen(name);
		mark_of(row, name, sizeof(name));
		if ((int)strlen(name) > b->marks)
			b->marks = (int)strlen(name);
	}
	/* Nothing in it was measured. */
	if (b->most <= 0)
		return;
	divide(b, total);
	printf("\n%s: time of one %s\n", report_group(first, title, sizeof(title)),
	       report_text(first, "figure.what"));
	for (size_t i = b->from; i < b->to; i++)
		put_row(b, json_array_get(b->rows, i));
}

void report_bars(const json_t *doc, const struct out_opts *o)
{
	struct bars b = {
		.rows = json_object_get(doc, "results"),
		.utf8 = is_utf8(),
		.color = out_use_color(o, STDOUT_FILENO),
	};
	size_t nr = json_array_size(b.rows);
	int total = width();

	b.several = json_array_size(json_object_get(json_object_get(doc, "env"), "files")) > 1;
	for (b.from = 0; b.from < nr; b.from = b.to) {
		b.to = b.from + 1;
		while (b.to < nr && report_same(json_array_get(b.rows, b.from),
						json_array_get(b.rows, b.to)))
			b.to++;
		put_group(&b, total);
	}
}
