// SPDX-License-Identifier: GPL-2.0-or-later
#include "cells.h"

#include <stdio.h>
#include <string.h>

#include "array.h"

/* perf_why in a word or two. */
static const char *short_why(const json_t *row)
{
	static const char *const words[][2] = {
		{ "absent:", "n/a (no PMU)" },
		{ "forbidden:", "n/a (forbidden)" },
		{ "unknown:", "n/a (error)" },
	};
	const char *why = json_string_value(json_object_get(row, "perf_why"));

	for (size_t i = 0; why && i < ARRAY_SIZE(words); i++)
		if (!strncmp(why, words[i][0], strlen(words[i][0])))
			return words[i][1];
	return "n/a";
}

json_t *cells_dtlb(const json_t *row)
{
	const json_t *perf = json_object_get(row, "perf");
	const json_t *share = json_object_get(perf, "dtlb_miss_share");
	char text[32];

	/* There are counters, but not this one, or it was never on the CPU. */
	if (!json_is_number(share))
		return json_string(json_is_object(perf) ? "n/a" : short_why(row));
	snprintf(text, sizeof(text), "%.2f %%", 100 * json_number_value(share));
	return json_string(text);
}

json_t *cells_rows(const json_t *results)
{
	json_t *rows = json_array(), *row, *copy;
	size_t i;

	json_array_foreach(results, i, row) {
		copy = json_copy(row);
		json_object_set_new(copy, "dtlb_miss", cells_dtlb(row));
		json_array_append_new(rows, copy);
	}
	return rows;
}

bool cells_any(const json_t *results, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(results, i, row)
		if (json_is_object(json_object_get(row, key)))
			return true;
	return false;
}
