// SPDX-License-Identifier: GPL-2.0-or-later
/* The report again and again: on a terminal over the one before, else below it. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "measure/stop.h"
#include "reclaim.h"

/* Keys at once and unseen, where there is a keyboard. */
static bool keys_on(struct termios *old)
{
	struct termios raw;

	/* In the background a change would stop us. */
	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, old))
		return false;
	raw = *old;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	return !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

/* Wait; true: q was typed. A signal ends it early. */
static bool pause_for(uint64_t ns, bool keys)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000),
			       .tv_nsec = (long)(ns % 1000000000) };
	struct pollfd pfd = { .fd = keys ? STDIN_FILENO : -1, .events = POLLIN };
	char c;

	if (ppoll(&pfd, 1, &ts, NULL) <= 0)
		return false;
	return read(STDIN_FILENO, &c, 1) != 1 || c == 'q' || c == 'Q';
}

static int print_once(struct hp_ctx *ctx, struct hpbuf_nl *nl, bool over, struct hp_error *e)
{
	json_t *report = reclaim_report(nl, e);

	if (!report)
		return e->code;
	if (ctx->out.json) {
		json_dumpf(report, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER |
			   JSON_REAL_PRECISION(12) | JSON_ENSURE_ASCII);
	} else {
		/* To the top and wipe what is below. */
		if (over)
			fputs("\033[H\033[J", stdout);
		reclaim_print(&ctx->out, report, e);
	}
	putchar('\n');
	json_decref(report);
	return e->code;
}

int reclaim_watch(struct hp_ctx *ctx, struct hpbuf_nl *nl, uint64_t interval_ns,
		  struct hp_error *e)
{
	bool over = !ctx->out.json && isatty(STDOUT_FILENO), keys, end = false;
	struct termios old;

	stop_install(0);
	keys = keys_on(&old);
	while (!end && !stop_pending() && !print_once(ctx, nl, over, e)) {
		/* Nobody reads it any more. */
		if (fflush(stdout) || ferror(stdout))
			break;
		end = pause_for(interval_ns, keys);
	}
	if (keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &old);
	if (!e->code && stop_signal())
		hp_fail(e, 128 + stop_signal(), 0, "stopped by SIG%s",
			sigabbrev_np(stop_signal()));
	return e->code;
}
