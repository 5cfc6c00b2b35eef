// SPDX-License-Identifier: GPL-2.0-or-later
/* The shape of a saved document. */
#include "report/load.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "out/fmt.h"

/* What a field may be; null and absent always. */
enum kind { TEXT, COUNT, NUMBER, SWITCH, OBJECT, PAIR, COUNTS, TEXTS, STAGES, LEAF };

static const char *const kind_text[] = {
	[TEXT] = "text", [COUNT] = "a whole number, not negative", [NUMBER] = "a number",
	[SWITCH] = "true or false", [OBJECT] = "an object", [PAIR] = "two numbers",
	[COUNTS] = "a list of whole numbers, 10000 at most", [TEXTS] = "a list of texts",
	[STAGES] = "a list of stages",
	[LEAF] = "bytes by leaf",
};

struct field {
	const char *path;
	enum kind kind;
};

static const struct field row_fields[] = {
	{ "workload", TEXT }, { "backing", TEXT }, { "label", TEXT }, { "pass", TEXT },
	{ "verified_by", TEXT }, { "note", TEXT }, { "verified", SWITCH },
	{ "partial", SWITCH }, { "flags", TEXTS }, { "page_bytes_asked", COUNT },
	{ "bytes_asked", COUNT }, { "bytes", COUNT }, { "elements", COUNT },
	{ "threads", COUNT }, { "ops", COUNT }, { "op_ns", NUMBER }, { "median_ns", COUNT },
	{ "p10_ns", COUNT }, { "p90_ns", COUNT }, { "mad_ns", COUNT }, { "ready_ns", COUNT },
	{ "ci95_ns", PAIR }, { "samples_ns", COUNTS }, { "stages", STAGES }, { "leaf", LEAF },
	{ "ops_per_s", OBJECT }, { "ops_per_s.median", NUMBER }, { "ratio", OBJECT },
	{ "ratio.to", TEXT }, { "ratio.value", NUMBER }, { "ratio.ci95", PAIR },
	{ "ratio.verdict", TEXT }, { "walk", OBJECT }, { "walk.method", TEXT },
	{ "walk.cost_ns", NUMBER }, { "estimate", OBJECT }, { "estimate.method", TEXT },
	{ "estimate.cost_ns", NUMBER }, { "estimate.ci95_ns", PAIR },
	{ "estimate.verdict", TEXT }, { "perf", OBJECT }, { "perf_why", TEXT },
};

static const struct field env_fields[] = {
	{ "host", TEXT }, { "kernel", TEXT }, { "cpu", TEXT }, { "vm", SWITCH },
	{ "module", TEXT }, { "tool", TEXT }, { "time", TEXT }, { "argv", TEXTS },
	{ "seed", COUNT }, { "runs", COUNT }, { "reach", OBJECT },
};

static bool is_text(const json_t *v)
{
	return json_is_string(v);
}

static bool is_count(const json_t *v)
{
	return json_is_null(v) || (json_is_integer(v) && json_integer_value(v) >= 0);
}

static bool is_number(const json_t *v)
{
	return json_is_null(v) || (json_is_number(v) && isfinite(json_number_value(v)));
}

static bool all(const json_t *list, bool (*is)(const json_t *v))
{
	const json_t *v;
	size_t i;

	if (!json_is_array(list))
		return false;
	json_array_foreach(list, i, v)
		if (!is(v))
			return false;
	return true;
}

static bool is_stage(const json_t *v)
{
	return json_is_object(v) && json_is_string(json_object_get(v, "name")) &&
	       json_object_get(v, "ns") && is_count(json_object_get(v, "ns"));
}

static bool is_leaf(const json_t *v)
{
	static const char *const levels[] = { "pte", "pmd", "pud", "none" };

	if (!json_is_object(v))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (json_object_get(v, levels[i]) && !is_count(json_object_get(v, levels[i])))
			return false;
	return true;
}

static bool is_kind(const json_t *v, enum kind kind)
{
	if (!v || json_is_null(v))
		return true;
	switch (kind) {
	case TEXT:
		return is_text(v);
	case COUNT:
		return is_count(v);
	case NUMBER:
		return is_number(v);
	case SWITCH:
		return json_is_boolean(v);
	case OBJECT:
		return json_is_object(v);
	case PAIR:
		return all(v, is_number) && json_array_size(v) == 2;
	case COUNTS:
		return all(v, is_count) && json_array_size(v) <= REPORT_SAMPLES_MAX;
	case TEXTS:
		return all(v, is_text);
	case STAGES:
		return all(v, is_stage);
	case LEAF:
		return is_leaf(v);
	}
	return false;
}

static int check_fields(const json_t *v, const struct field *f, size_t nr, const char *name,
			const char *where, struct hp_error *e)
{
	if (!json_is_object(v))
		return hp_fail(e, HP_FAILED, 0, "%.100s: %s is not an object", name, where);
	for (; nr; nr--, f++)
		if (!is_kind(fmt_lookup(v, f->path), f->kind))
			return hp_fail(e, HP_FAILED, 0, "%.100s: %s: \"%s\" is not %s", name, where,
				       f->path, kind_text[f->kind]);
	return HP_OK;
}

static int check_row(const json_t *row, size_t i, const char *name, struct hp_error *e)
{
	static const char *const needed[] = { "workload", "backing" };
	char where[32];

	snprintf(where, sizeof(where), "result %zu", i + 1);
	if (check_fields(row, row_fields, ARRAY_SIZE(row_fields), name, where, e))
		return e->code;
	for (size_t k = 0; k < ARRAY_SIZE(needed); k++)
		if (!json_is_string(json_object_get(row, needed[k])))
			return hp_fail(e, HP_FAILED, 0, "%.100s: %s has no \"%s\"", name, where,
				       needed[k]);
	return HP_OK;
}

/* What it calls itself, before what is in it. */
static int check_kind(const json_t *doc, const char *name, struct hp_error *e)
{
	static const char *const commands[] = { "run", "compare", "walk" };
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	const char *command = json_string_value(json_object_get(doc, "command"));

	if (!schema || strcmp(schema, "hpctl/1")) {
		hp_fail(e, HP_FAILED, 0, "%.100s: is no hpctl/1 document", name);
		if (schema && !strncmp(schema, "hpctl/", 6))
			return hp_hint(e, "it says %.40s: another version of hpctl reads it",
				       schema);
		return hp_hint(e, "what hpctl compare -o FILE saved");
	}
	for (size_t i = 0; command && i < ARRAY_SIZE(commands); i++)
		if (!strcmp(command, commands[i]))
			return HP_OK;
	hp_fail(e, HP_FAILED, 0, "%.100s: holds no measurements, but what hpctl %.40s printed",
		name, command ? command : "without a command");
	return hp_hint(e, "a report is made of what run, compare and walk saved");
}

static int check_warnings(const json_t *doc, const char *name, struct hp_error *e)
{
	static const struct field fields[] = { { "message", TEXT }, { "hint", TEXT } };
	const json_t *list = json_object_get(doc, "warnings"), *w;
	size_t i;

	if (!json_is_array(list))
		return hp_fail(e, HP_FAILED, 0, "%.100s: \"warnings\" is not a list", name);
	json_array_foreach(list, i, w)
		if (check_fields(w, fields, ARRAY_SIZE(fields), name, "a warning", e))
			return e->code;
	return HP_OK;
}

static int check_error(const json_t *doc, const char *name, struct hp_error *e)
{
	static const struct field fields[] = { { "code", COUNT }, { "message", TEXT } };
	const json_t *error = json_object_get(doc, "error");

	if (!error || json_is_null(error))
		return HP_OK;
	return check_fields(error, fields, ARRAY_SIZE(fields), name, "the error", e);
}

int report_check(const json_t *doc, const char *name, struct hp_error *e)
{
	const json_t *rows = json_object_get(doc, "results"), *row;
	size_t i;

	if (check_kind(doc, name, e) ||
	    check_fields(json_object_get(doc, "env"), env_fields, ARRAY_SIZE(env_fields), name,
			 "\"env\"", e) ||
	    check_warnings(doc, name, e) || check_error(doc, name, e))
		return e->code;
	if (!json_is_array(rows))
		return hp_fail(e, HP_FAILED, 0, "%.100s: \"results\" is not a list", name);
	if (json_array_size(rows) > REPORT_ROWS_MAX)
		return hp_fail(e, HP_FAILED, EFBIG, "%.100s: has more than %d results", name,
			       REPORT_ROWS_MAX);
	json_array_foreach(rows, i, row)
		if (check_row(row, i, name, e))
			return e->code;
	return HP_OK;
}
