/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module that is played: ioctl() is this file's and the device is /dev/null. For one
 * test program, that is linked with all of hpctl but main().
 */
#ifndef SELFTESTS_PLAYED_H
#define SELFTESTS_PLAYED_H

#include <errno.h>
#include <linux/hpbuf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/cmd.h"

/**
 * struct played - what the module answers
 * @uapi, @version: to CAPS
 * @err: to CAPS, 0: it answers
 * @alloc_err: to ALLOC, and whatever else is asked; 0: nothing else may be asked
 */
struct played {
	uint32_t uapi;
	const char *version;
	int err, alloc_err;
};

/** Added to the exit code when the module was asked for more than it should be. */
#define PLAYED_MORE	200

static struct played played;
static unsigned int played_others;

/* In place of the C library's, for the archive that this is linked with. */
int ioctl(int fd, unsigned long request, ...)
{
	struct hpbuf_caps *caps;
	va_list ap;

	va_start(ap, request);
	caps = va_arg(ap, struct hpbuf_caps *);
	va_end(ap);
	if (request != HPBUF_IOC_CAPS) {
		played_others++;
		errno = played.alloc_err ? played.alloc_err : ENOTTY;
		return -1;
	}
	if (played.err) {
		errno = played.err;
		return -1;
	}
	caps->uapi_version = played.uapi;
	caps->page_shifts = 1 << HPBUF_SHIFT_2M;
	snprintf(caps->module_version, sizeof(caps->module_version), "%s", played.version);
	return 0;
}

/** played_hpctl - hpctl ARG..., all it prints in @text; its exit code, -1: it died */
static inline int played_hpctl(struct played as, char *text, size_t size, char **argv)
{
	int out[2], argc = 0, status, code;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(out))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		close(out[0]);
		close(out[1]);
		played = as;
		while (argv[argc])
			argc++;
		code = hpctl_main(argc, argv);
		_exit(played_others && !as.alloc_err ? PLAYED_MORE + code : code);
	}
	close(out[1]);
	while (len < size - 1 && (n = read(out[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(out[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define HPCTL(as, ...)								\
	played_hpctl((as), text, sizeof(text), (char *[]){ "hpctl", __VA_ARGS__,	\
		     "--device", "/dev/null", NULL })

/** lines - of @text */
static inline unsigned int lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

#endif
