// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By hand, since strtoull() takes signs, spaces, "0x", and wraps silently, and
 * since <ctype.h> asks the locale.
 */
#include "parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/** Largest value handed out: file offsets and the module are signed 64 bits. */
#define MAX_VALUE	((uint64_t)INT64_MAX)

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ "", 1 }, { "B", 1 },
	{ "K", 1ULL << 10 }, { "KiB", 1ULL << 10 },
	{ "M", 1ULL << 20 }, { "MiB", 1ULL << 20 },
	{ "G", 1ULL << 30 }, { "GiB", 1ULL << 30 },
	{ "T", 1ULL << 40 }, { "TiB", 1ULL << 40 },
	{ NULL, 0 }
};

static const struct unit count_units[] = {
	{ "", 1 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 },
	{ "T", 1000000000000 }, { NULL, 0 }
};

static const struct unit time_units[] = {
	{ "", 1000000000 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
	{ "s", 1000000000 }, { "m", 60 * 1000000000ULL },
	{ "h", 3600 * 1000000000ULL }, { NULL, 0 }
};

/*
 * What was read may hold anything, also bytes that move a terminal's cursor:
 * it is shown cut and with the odd bytes as '?'.
 */
static void shown(char *buf, size_t size, const char *text)
{
	size_t i;

	for (i = 0; i < size - 1 && text[i]; i++)
		buf[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	buf[i] = '\0';
	if (text[i] && size > 4)
		snprintf(buf + size - 4, 4, "...");
}

static int refuse(struct hp_error *e, const char *what, const char *text,
		  const char *why)
{
	char buf[48];

	shown(buf, sizeof(buf), text);
	return hp_fail(e, HP_USAGE, 0, "%s \"%s\": %s", what, buf, why);
}

/* Digits at @text; returns what is behind them, NULL when they do not fit. */
static const char *digits(const char *text, uint64_t *value)
{
	uint64_t v = 0;

	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v))
			return NULL;
	}
	*value = v;
	return text;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* strcasecmp() in every locale (a Turkish one has another small I). */
static bool same(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b))
		a++, b++;
	return lower(*a) == lower(*b);
}

static const struct unit *unit_find(const struct unit *u, const char *name)
{
	while (u->name && !same(u->name, name))
		u++;
	return u->name ? u : NULL;
}

static int scaled(const char *what, const char *text, const struct unit *units,
		  const char *unit_names, uint64_t *value, struct hp_error *e)
{
	const struct unit *unit;
	const char *rest;
	uint64_t v;

	if (!*text)
		return refuse(e, what, text, "is empty");
	if (*text < '0' || *text > '9')
		return refuse(e, what, text, "must begin with a digit");
	rest = digits(text, &v);
	if (!rest)
		return refuse(e, what, text, "is too large");
	unit = unit_find(units, rest);
	if (!unit) {
		refuse(e, what, text, "is not a whole number with a known unit");
		return hp_hint(e, "a whole number and, if wanted, one of %s",
			       unit_names);
	}
	if (__builtin_mul_overflow(v, unit->factor, &v) || v > MAX_VALUE)
		return refuse(e, what, text, "is too large");
	if (!v)
		return refuse(e, what, text, "must not be 0");
	*value = v;
	return HP_OK;
}

/* "KB", "MB", "GB", "TB" behind the digits: the letter of it, else 0. */
static char decimal_unit(const char *text)
{
	while (*text >= '0' && *text <= '9')
		text++;
	if (*text && (text[1] == 'B' || text[1] == 'b') && !text[2]) {
		switch (*text) {
		case 'k': case 'K':
			return 'K';
		case 'm': case 'M':
			return 'M';
		case 'g': case 'G':
			return 'G';
		case 't': case 'T':
			return 'T';
		}
	}
	return 0;
}

int hp_parse_size(const char *text, uint64_t *bytes, struct hp_error *e)
{
	char letter = decimal_unit(text);

	if (letter && *text >= '0' && *text <= '9') {
		refuse(e, "size", text, "could be a power of 1000 or of 1024");
		return hp_hint(e, "write %ciB (or %c), a power of 1024",
			       letter, letter);
	}
	return scaled("size", text, size_units, "K M G T (powers of 1024)",
		      bytes, e);
}

int hp_parse_count(const char *text, uint64_t *count, struct hp_error *e)
{
	return scaled("count", text, count_units, "K M G T (powers of 1000)",
		      count, e);
}

int hp_parse_time(const char *text, uint64_t *ns, struct hp_error *e)
{
	const char *unit = strpbrk(text, "M");

	/* In any case, but not 2M: that is a size in every other place. */
	if (unit && !unit[1])
		return refuse(e, "time", text, "M is no unit of time: m or ms");
	return scaled("time", text, time_units, "ns us ms s m h", ns, e);
}

int hp_parse_page(const char *text, unsigned int *shift, struct hp_error *e)
{
	if (same(text, "2M") || same(text, "2MiB")) {
		*shift = 21;
		return HP_OK;
	}
	if (same(text, "1G") || same(text, "1GiB")) {
		*shift = 30;
		return HP_OK;
	}
	return refuse(e, "page size", text, "must be 2M or 1G");
}
