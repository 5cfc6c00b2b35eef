// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/versus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"
#include "report/collect.h"

/* Anything does, as long as a report of the same files is the same. */
#define SEED	1

/* Samples by operation; NULL: none, or one is no time. */
static double *samples_of(const json_t *row, size_t *nr)
{
	const json_t *list = json_object_get(row, "samples_ns"), *v;
	double ops = json_number_value(json_object_get(row, "ops"));
	double *x = calloc(json_array_size(list) + 1, sizeof(*x));
	size_t i;

	*nr = json_array_size(list);
	json_array_foreach(list, i, v) {
		if (x)
			x[i] = json_number_value(v) / (ops > 0 ? ops : 1);
		if (x && !(x[i] > 0))
			*nr = 0;
	}
	if (*nr)
		return x;
	free(x);
	return NULL;
}

static const char *verdict(const struct stats *s)
{
	if (!isfinite(s->lo))
		return "too few runs";
	if (s->lo > 1)
		return "faster";
	return s->hi < 1 ? "slower" : "no difference shown";
}

json_t *versus(const json_t *first, const json_t *row)
{
	size_t na = 0, nb = 0;
	json_t *o = json_null();
	double *a, *b;
	struct stats s;

	if (!json_is_true(json_object_get(first, "verified")) ||
	    !json_is_true(json_object_get(row, "verified")) ||
	    strcmp(report_text(first, "figure.what"), report_text(row, "figure.what")))
		return o;
	a = samples_of(first, &na);
	b = samples_of(row, &nb);
	if (a && b && stats_ratio_apart(a, na, b, nb, SEED, &s))
		o = json_pack("{s:s, s:f, s:o, s:s}", "to", report_text(first, "file"),
			      "value", s.median, "ci95", isfinite(s.lo) ?
			      json_pack("[f, f]", s.lo, s.hi) : json_null(),
			      "verdict", verdict(&s));
	free(a);
	free(b);
	return o;
}
