// SPDX-License-Identifier: GPL-2.0-or-later
#include "fmt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/** What a buffer of out_bytes() and out_ns() holds at least. */
#define FMT_SIZE	32

/* Values below @limit have @unit; larger ones are divided for the next step. */
struct step {
	double limit, factor;
	const char *unit;
};

static char *scaled(char *buf, double value, const struct step *step)
{
	const char *unit = step->unit;
	int decimals;

	/* What would be rounded to 1000 is 1.00 of the next unit. */
	while (step->limit > 0 && fabs(value) >= step->limit - 0.5) {
		value /= step->factor;
		unit = (++step)->unit;
	}
	decimals = value == 0 ? 0 : fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
	snprintf(buf, FMT_SIZE, "%.*f %s", decimals, value, unit);
	return buf;
}

char *out_bytes(char *buf, unsigned long long bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes;
	unsigned int i = 0, hundredths;

	if (bytes < 1024) {
		snprintf(buf, FMT_SIZE, "%llu B", bytes);
		return buf;
	}
	while (value >= 1023.995 && i < ARRAY_SIZE(units) - 1) {
		value /= 1024;
		i++;
	}
	hundredths = (unsigned int)(value * 100 + 0.5);
	snprintf(buf, FMT_SIZE, "%u.%02u %s", hundredths / 100, hundredths % 100, units[i]);
	return buf;
}

char *out_ns(char *buf, double ns)
{
	static const struct step steps[] = {
		{ 1000, 1000, "ns" }, { 1000, 1000, "us" }, { 1000, 1000, "ms" },
		{ 120, 60, "s" }, { 120, 60, "min" }, { 48, 24, "h" }, { 0, 0, "d" }
	};

	return scaled(buf, ns, steps);
}

static char *rate(char *buf, double per_s)
{
	static const struct step steps[] = {
		{ 1000, 1000, "/s" }, { 1000, 1000, "k/s" }, { 1000, 1000, "M/s" },
		{ 1000, 1000, "G/s" }, { 0, 0, "T/s" }
	};

	return scaled(buf, per_s, steps);
}

const json_t *fmt_lookup(const json_t *row, const char *path)
{
	char key[64];

	while (row && *path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof(key))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		path += len + (path[len] == '.');
		if (json_is_array(row))
			row = json_array_get(row, strtoul(key, NULL, 10));
		else
			row = json_object_get(row, key);
	}
	return row;
}

bool fmt_is_number(enum out_fmt fmt)
{
	return fmt != OUT_TEXT && fmt != OUT_NODES && fmt != OUT_LEAF && fmt != OUT_BOOL;
}

/* An array of {node, pages} as 0:512,1:512; also plain strings and numbers. */
static char *list(const json_t *array)
{
	char *text = NULL;
	const json_t *item;
	size_t i, size;
	FILE *f;

	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	json_array_foreach(array, i, item) {
		if (i)
			fputc(',', f);
		if (json_is_object(item))
			fprintf(f, "%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT,
				json_integer_value(json_object_get(item, "node")),
				json_integer_value(json_object_get(item, "pages")));
		else if (json_is_string(item))
			fputs(json_string_value(item), f);
		else
			fprintf(f, "%.0f", json_number_value(item));
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* 100 % is said only of all. */
static char *percent(char *buf, double share)
{
	if (share < 1 && share >= 0.9995)
		share = 0.999;
	snprintf(buf, FMT_SIZE, "%.*f %%", share > 0 && share < 1 ? 1 : 0, share * 100);
	return buf;
}

/* What maps a range, each level that does with its share. */
static char *leaf(const json_t *levels)
{
	static const struct { const char *key, *name; } level[] = {
		{ "pud", "PUD" }, { "pmd", "PMD" }, { "pte", "PTE" }, { "none", "none" }
	};
	double part[ARRAY_SIZE(level)], sum = 0;
	char text[128] = "", share[FMT_SIZE];
	size_t i, len = 0;

	for (i = 0; i < ARRAY_SIZE(level); i++) {
		part[i] = json_number_value(json_object_get(levels, level[i].key));
		sum += part[i];
	}
	for (i = 0; i < ARRAY_SIZE(level); i++) {
		if (part[i] > 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %s",
						len ? ", " : "", level[i].name,
						percent(share, part[i] / sum));
	}
	return strdup(len ? text : "n/a");
}

static char *number(char *buf, const json_t *value, enum out_fmt fmt, bool whole_bytes)
{
	double v = json_number_value(value);

	switch (fmt) {
	case OUT_BYTES:
		if (!whole_bytes)
			return out_bytes(buf, (unsigned long long)v);
		break;
	case OUT_NS:
		return out_ns(buf, v);
	case OUT_RATE:
		return rate(buf, v);
	case OUT_RATIO:
		snprintf(buf, FMT_SIZE, "%.2fx", v);
		return buf;
	case OUT_PERCENT:
		return percent(buf, v);
	case OUT_TEXT:
	case OUT_COUNT:
	case OUT_NODES:
	case OUT_LEAF:
	case OUT_BOOL:
		break;
	}
	if (json_is_integer(value))
		snprintf(buf, FMT_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		snprintf(buf, FMT_SIZE, "%g", v);
	return buf;
}

char *fmt_value(const json_t *value, enum out_fmt fmt, bool whole_bytes)
{
	char buf[FMT_SIZE];

	switch (json_typeof(value ? value : json_null())) {
	case JSON_STRING:
		return strdup(json_string_value(value));
	case JSON_TRUE:
		return strdup("yes");
	case JSON_FALSE:
		return strdup("no");
	case JSON_INTEGER:
	case JSON_REAL:
		return strdup(number(buf, value, fmt, whole_bytes));
	case JSON_ARRAY:
		return list(value);
	case JSON_OBJECT:
		if (fmt == OUT_LEAF)
			return leaf(value);
		return json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER);
	case JSON_NULL:
		break;
	}
	return strdup("n/a");
}
