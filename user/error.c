// SPDX-License-Identifier: GPL-2.0-or-later
#include "error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* 0x80 to 0x9f command a terminal too, as U+0080 to U+009F and outside of UTF-8 alone. */
static bool is_control(const char *text, unsigned char before)
{
	unsigned char c = (unsigned char)*text;

	if (c == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0)
		return true;
	return c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xa0 && before < 0x80);
}

void hp_clean(char *text)
{
	unsigned char before = 0;

	for (; *text; text++) {
		if (is_control(text, before))
			*text = '?';
		before = (unsigned char)*text;
	}
}

int hp_fail(struct hp_error *e, int code, int err, const char *fmt, ...)
{
	va_list ap;

	memset(e, 0, sizeof(*e));
	e->code = code;
	e->err = err;
	va_start(ap, fmt);
	vsnprintf(e->message, sizeof(e->message), fmt, ap);
	va_end(ap);
	hp_clean(e->message);
	return code;
}

int hp_hint(struct hp_error *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->hint, sizeof(e->hint), fmt, ap);
	va_end(ap);
	hp_clean(e->hint);
	return e->code;
}
