// SPDX-License-Identifier: GPL-2.0-or-later
/* The document, and the end of a command. */
#include "env.h"
#include "out.h"
#include "out/save.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RED		"\033[31m"
#define YELLOW		"\033[33m"

/*
 * Keys stay in the order they were put in: diffs of two runs stay readable. ASCII only:
 * what somebody else has named must not command the terminal.
 */
#define DUMP_FLAGS	(JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12) | \
			 JSON_ENSURE_ASCII)

json_t *out_doc(const char *command)
{
	json_t *doc = json_object();

	json_object_set_new(doc, "schema", json_string("hpctl/1"));
	json_object_set_new(doc, "command", command ? json_string(command) : json_null());
	json_object_set_new(doc, "env", env_json());
	json_object_set_new(doc, "results", json_array());
	json_object_set_new(doc, "warnings", json_array());
	json_object_set_new(doc, "error", json_null());
	return doc;
}

json_t *out_string(const char *text)
{
	json_t *s;
	char *copy;

	if (!text)
		return json_null();
	s = json_string(text);
	if (s)
		return s;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *p = copy; *p; p++)
		if (*p & 0x80)
			*p = '?';
	s = json_string(copy);
	free(copy);
	return s;
}

static json_t *text_or_null(const char *text)
{
	return out_string(text && *text ? text : NULL);
}

void out_warn(json_t *doc, const char *code, const char *hint, const char *fmt, ...)
{
	json_t *w = json_object();
	char message[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	json_object_set_new(w, "code", json_string(code));
	hp_clean(message);
	json_object_set_new(w, "message", out_string(message));
	json_object_set_new(w, "hint", text_or_null(hint));
	json_array_append_new(json_object_get(doc, "warnings"), w);
}

void out_error(json_t *doc, const struct hp_error *e)
{
	json_t *o;

	if (!e->code) {
		json_object_set_new(doc, "error", json_null());
		return;
	}
	o = json_object();
	json_object_set_new(o, "code", json_integer(e->code));
	json_object_set_new(o, "errno", e->err ? text_or_null(strerrorname_np(e->err)) :
					json_null());
	json_object_set_new(o, "message", out_string(e->message));
	json_object_set_new(o, "hint", text_or_null(e->hint));
	json_object_set_new(doc, "error", o);
}

/* "hpctl alloc: message", and the hint on a line of its own. */
static void say(const struct out_opts *o, const char *command, const char *color,
		const char *message, const char *hint)
{
	bool use = out_use_color(o, STDERR_FILENO);

	/* In order also where both streams are one. */
	fflush(stdout);
	fprintf(stderr, "%shpctl%s%s:%s %s\n", use ? color : "", command ? " " : "",
		command ? command : "", use ? "\033[0m" : "", message);
	if (hint && *hint)
		fprintf(stderr, "  hint: %s\n", hint);
}

static void say_all(const struct out_opts *o, const json_t *doc, const struct hp_error *e)
{
	const char *command = json_string_value(json_object_get(doc, "command"));
	const json_t *w;
	size_t i;

	out_progress(o, "%s", "");
	json_array_foreach(json_object_get(doc, "warnings"), i, w) {
		if (!o->quiet)
			say(o, command, YELLOW,
			    json_string_value(json_object_get(w, "message")),
			    json_string_value(json_object_get(w, "hint")));
	}
	if (e->code)
		say(o, command, RED, e->message, e->hint);
}

static int write_doc(FILE *f, const void *doc)
{
	errno = 0;
	if (json_dumpf(doc, f, DUMP_FLAGS) || fputc('\n', f) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}

/* The document with -j, and all that a table has left in stdout's buffer. */
static int flush_stdout(const struct out_opts *o, const json_t *doc)
{
	errno = 0;
	if (o->json) {
		json_dumpf(doc, stdout, DUMP_FLAGS);
		putchar('\n');
	}
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return errno ? -errno : -EIO;
}

int out_finish(const struct out_opts *o, json_t *doc, struct hp_error *e)
{
	const char *command = json_string_value(json_object_get(doc, "command"));
	struct hp_error io = { 0 };
	int ret;

	if (o->startup)
		out_warn(doc, "pools", o->startup->hint, "%s", o->startup->message);
	out_error(doc, e);
	say_all(o, doc, e);
	ret = flush_stdout(o, doc);
	if (ret)
		hp_fail(&io, HP_FAILED, -ret, "cannot write to stdout: %s", strerror(-ret));
	/* Who closed the pipe (head, less) knows, and wants no message. */
	if (ret && ret != -EPIPE)
		say(o, command, RED, io.message, "");
	/* A mistyped line does not replace the results of a day. */
	ret = o->save && e->code != HP_USAGE ? out_save(o->save, write_doc, doc) : 0;
	if (ret) {
		hp_fail(&io, HP_FAILED, -ret, "cannot save %s: %s", o->save, strerror(-ret));
		say(o, command, RED, io.message, "");
	}
	json_decref(doc);
	if (!e->code)
		*e = io;
	return e->code;
}

void out_progress(const struct out_opts *o, const char *fmt, ...)
{
	va_list ap;

	if (o->quiet || o->json || !isatty(STDERR_FILENO))
		return;
	/* Over the line before; an empty one only wipes it. */
	fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
}
