// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/collect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "out/fmt.h"
#include "report/load.h"
#include "report/versus.h"

/* ---- reading rows ---- */

const char *report_text(const json_t *row, const char *path)
{
	const char *text = json_string_value(fmt_lookup(row, path));

	return text ? text : "";
}

/* As it was asked for: rounded to pages, the same array has another size on each. */
static json_int_t bytes_of(const json_t *row)
{
	const json_t *asked = json_object_get(row, "bytes_asked");

	return json_integer_value(json_is_integer(asked) ? asked : json_object_get(row, "bytes"));
}

static const char *label_of(const json_t *row)
{
	return report_text(row, *report_text(row, "label") ? "label" : "workload");
}

static json_int_t threads_of(const json_t *row)
{
	return json_integer_value(json_object_get(row, "threads"));
}

bool report_same(const json_t *a, const json_t *b)
{
	return !strcmp(label_of(a), label_of(b)) && bytes_of(a) == bytes_of(b) &&
	       threads_of(a) == threads_of(b);
}

char *report_group(const json_t *row, char *buf, size_t size)
{
	char bytes[32], threads[40] = "";

	if (threads_of(row) > 1)
		snprintf(threads, sizeof(threads), ", %" JSON_INTEGER_FORMAT " threads",
			 threads_of(row));
	snprintf(buf, size, "%.80s, %s%s", label_of(row),
		 out_bytes(bytes, (unsigned long long)bytes_of(row)), threads);
	return buf;
}

double report_ns(const json_t *row)
{
	double ns = json_number_value(fmt_lookup(row, "figure.ns"));

	return ns > 0 ? ns : NAN;
}

/* ---- fields of a row ---- */

/* "not verified (page-size), partial"; null: nothing is wrong. */
static json_t *mark_of(const json_t *row)
{
	const json_t *flags = json_object_get(row, "flags"), *flag;
	bool verified = json_is_true(json_object_get(row, "verified"));
	bool partial = json_is_true(json_object_get(row, "partial"));
	char text[256];
	size_t i, len;

	if (verified && !partial && !json_array_size(flags))
		return json_null();
	len = (size_t)snprintf(text, sizeof(text), "%s", !verified ? "not verified" :
			       json_array_size(flags) ? "untrusted" : "");
	json_array_foreach(flags, i, flag)
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.30s%s",
						i ? ", " : " (", json_string_value(flag),
						i + 1 == json_array_size(flags) ? ")" : "");
	if (partial && len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, "%spartial", len ? ", " : "");
	return out_string(text);
}

static json_t *scaled_pair(const json_t *pair, double by)
{
	if (json_array_size(pair) != 2 || !json_is_number(json_array_get(pair, 0)) ||
	    !json_is_number(json_array_get(pair, 1)))
		return json_null();
	return json_pack("[f, f]", json_number_value(json_array_get(pair, 0)) / by,
			 json_number_value(json_array_get(pair, 1)) / by);
}

/* What is compared: an operation, where there are any; else a run; else a walk. */
static json_t *figure_of(const json_t *row)
{
	const json_t *op = json_object_get(row, "op_ns");
	const json_t *median = json_object_get(row, "median_ns");
	const json_t *walk = fmt_lookup(row, "walk.cost_ns");
	const json_t *estimate = fmt_lookup(row, "estimate.cost_ns");
	double ops = json_number_value(json_object_get(row, "ops"));

	if (json_is_number(op) && ops > 0)
		return json_pack("{s:s, s:O, s:o}", "what", "operation", "ns", op, "ci95_ns",
				 scaled_pair(json_object_get(row, "ci95_ns"), ops));
	if (json_is_number(median))
		return json_pack("{s:s, s:O, s:o}", "what", "run", "ns", median, "ci95_ns",
				 scaled_pair(json_object_get(row, "ci95_ns"), 1));
	if (!strcmp(report_text(row, "workload"), "walk") && json_is_number(walk))
		return json_pack("{s:s, s:O, s:n}", "what", "walk", "ns", walk, "ci95_ns");
	if (json_is_number(estimate))
		return json_pack("{s:s, s:O, s:o}", "what", "walk (estimate)", "ns", estimate,
				 "ci95_ns", scaled_pair(fmt_lookup(row, "estimate.ci95_ns"), 1));
	return json_null();
}

/* The figure again where it is a walk's, for a column of its own. */
static json_t *walk_of(const json_t *row)
{
	const json_t *ns = fmt_lookup(row, "figure.ns");

	if (!ns || strncmp(report_text(row, "figure.what"), "walk", 4))
		return json_null();
	return json_incref((json_t *)ns);
}

static json_t *row_new(const json_t *row, const char *file, const json_t *env)
{
	json_t *o = json_object();

	json_object_set_new(o, "file", out_string(file));
	json_object_set_new(o, "host", out_string(json_string_value(json_object_get(env, "host"))));
	json_object_update(o, (json_t *)row);
	/* Whatever the row itself has by these names. */
	json_object_set_new(o, "file", out_string(file));
	json_object_set_new(o, "host", out_string(json_string_value(json_object_get(env, "host"))));
	json_object_set_new(o, "label", out_string(label_of(row)));
	json_object_set_new(o, "mark", mark_of(row));
	json_object_set_new(o, "series", json_false());
	json_object_set_new(o, "figure", figure_of(row));
	json_object_set_new(o, "walk_ns", walk_of(o));
	json_object_set_new(o, "vs", json_null());
	return o;
}

/* ---- order: the same beside each other, in the order in which they came ---- */

/**
 * struct placed - a row, with what it is sorted by
 * @place: where it came
 * @group, @line: numbers of the first rows of the same label, and of the same backing
 */
struct placed {
	json_t *row;
	const char *label, *backing, *file;
	json_int_t bytes, threads;
	size_t place, group, line;
};

static int order(json_int_t a, json_int_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int ret = order((json_int_t)x->group, (json_int_t)y->group);

	if (!ret)
		ret = order(x->threads, y->threads);
	if (!ret)
		ret = order(x->bytes, y->bytes);
	if (!ret)
		ret = order((json_int_t)x->line, (json_int_t)y->line);
	return ret ? ret : order((json_int_t)x->place, (json_int_t)y->place);
}

static void place(struct placed *p, size_t i, json_t *row)
{
	struct placed *mine = &p[i];

	mine->row = json_incref(row);
	mine->label = label_of(row);
	mine->backing = report_text(row, "backing");
	mine->file = report_text(row, "file");
	mine->bytes = bytes_of(row);
	mine->threads = threads_of(row);
	mine->place = i;
	while (strcmp(p[mine->group].label, mine->label))
		mine->group++;
	while (strcmp(p[mine->line].backing, mine->backing))
		mine->line++;
}

/* A third size of the same is a series: a curve, not three bars. */
static void find_series(struct placed *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		json_int_t seen[2] = { -1, -1 };
		size_t sizes = 0;

		for (size_t k = 0; k < nr && sizes < 3; k++) {
			if (p[k].group != p[i].group || p[k].line != p[i].line ||
			    p[k].threads != p[i].threads || p[k].bytes == seen[0] ||
			    p[k].bytes == seen[1] || strcmp(p[k].file, p[i].file))
				continue;
			if (sizes < 2)
				seen[sizes] = p[k].bytes;
			sizes++;
		}
		json_object_set_new(p[i].row, "series", json_boolean(sizes > 2));
	}
}

/* Each row against the first of its kind, which stands somewhere above it. */
static void compare_files(struct placed *p, size_t nr)
{
	for (size_t i = 1, first = 0; i < nr; i++) {
		if (p[first].group != p[i].group || p[first].line != p[i].line ||
		    p[first].threads != p[i].threads || p[first].bytes != p[i].bytes)
			first = i;
		else if (strcmp(p[first].file, p[i].file))
			json_object_set_new(p[i].row, "vs", versus(p[first].row, p[i].row));
	}
}

static int arrange(json_t *results, struct hp_error *e)
{
	size_t nr = json_array_size(results), i;
	struct placed *p = calloc(nr + 1, sizeof(*p));

	if (!p)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for %zu rows", nr);
	for (i = 0; i < nr; i++)
		place(p, i, json_array_get(results, i));
	find_series(p, nr);
	qsort(p, nr, sizeof(*p), by_place);
	compare_files(p, nr);
	json_array_clear(results);
	for (i = 0; i < nr; i++)
		json_array_append_new(results, p[i].row);
	free(p);
	return HP_OK;
}

/* ---- files ---- */

/* "a" of dir/a.json; the whole path where two have the same. */
static void name_of(const char *path, char *buf, size_t size)
{
	const char *base = strrchr(path, '/');
	size_t len;

	base = base && base[1] ? base + 1 : path;
	len = strlen(base);
	if (len > 5 && !strcmp(base + len - 5, ".json"))
		len -= 5;
	snprintf(buf, size, "%.*s", (int)len, base);
	hp_clean(buf);
}

static void name_files(char **paths, size_t nr, size_t i, char *buf, size_t size)
{
	char other[256];
	size_t before = 0;
	bool twice = false;

	name_of(paths[i], buf, size);
	for (size_t k = 0; k < nr; k++) {
		name_of(paths[k], other, sizeof(other));
		twice = twice || (k != i && !strcmp(buf, other));
		before += k < i && !strcmp(paths[k], paths[i]);
	}
	if (twice && before)
		snprintf(buf, size, "%.240s#%zu", paths[i], before + 1);
	else if (twice)
		snprintf(buf, size, "%.250s", paths[i]);
	hp_clean(buf);
}

int report_collect(json_t *doc, char **paths, json_t **docs, size_t nr, struct hp_error *e)
{
	json_t *results = json_object_get(doc, "results"), *files = json_array(), *row;
	size_t i;

	for (size_t f = 0; f < nr; f++) {
		json_t *env = json_object_get(docs[f], "env");
		json_t *error = json_object_get(docs[f], "error");
		char name[256];

		name_files(paths, nr, f, name, sizeof(name));
		json_array_append_new(files, json_pack("{s:o, s:O, s:O, s:O, s:O}",
			"file", out_string(name), "command", json_object_get(docs[f], "command"),
			"env", env, "warnings", json_object_get(docs[f], "warnings"),
			"error", error ? error : json_null()));
		json_array_foreach(json_object_get(docs[f], "results"), i, row)
			json_array_append_new(results, row_new(row, name, env));
	}
	json_object_set_new(json_object_get(doc, "env"), "files", files);
	if (json_array_size(results) > REPORT_ROWS_MAX)
		return hp_fail(e, HP_FAILED, EFBIG, "more than %d results in all", REPORT_ROWS_MAX);
	return arrange(results, e);
}
