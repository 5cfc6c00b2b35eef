// SPDX-License-Identifier: GPL-2.0-or-later
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hp_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
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
