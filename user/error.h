/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong, once, for the text and the JSON writer alike.
 */
#ifndef HPCTL_ERROR_H
#define HPCTL_ERROR_H

/** Exit codes of hpctl. A signal N ends it with 128 + N. */
enum hp_exit {
	HP_OK = 0,
	HP_FAILED = 1,		/* ran and failed */
	HP_USAGE = 2,		/* the command line cannot be meant */
	HP_RESOURCE = 3,	/* not available now: memory, limit, timeout */
	HP_UNSUPPORTED = 4,	/* not here: no module, no 1 GiB pages */
	HP_PERMISSION = 5,
	HP_NOT_AS_ASKED = 6,	/* the memory or the data is not what was asked */
	HP_UNTRUSTED = 7,	/* ran, but the figures are not to be trusted */
};

/**
 * struct hp_error - one failure
 * @code: an enum hp_exit, HP_OK when there is no error
 * @err: positive errno, or 0 when no system call is behind it
 * @message: one line: what failed, what was asked and what was got
 * @hint: one line: what to do about it, or empty
 */
struct hp_error {
	int code;
	int err;
	char message[320];
	char hint[240];
};

/**
 * One line without control characters: what a user typed, or a file said, may
 * break the line or move the terminal's cursor.
 */
void hp_clean(char *text);

/** Fill @e and return @code, so that a caller can `return hp_fail(...)`. */
int hp_fail(struct hp_error *e, int code, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Set the hint of @e. Returns e->code. */
int hp_hint(struct hp_error *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
