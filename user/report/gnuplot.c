// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "measure/clock.h"

#define LIMIT_NS	(UINT64_C(60) * 1000000000)
#define SVG_MAX		(16U << 20)

/* A file without a name that holds @text, to be read from its start. */
static int memory_file(const char *name, const char *text, size_t len)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	while (fd >= 0 && len) {
		ssize_t n = write(fd, text, len);

		if (n < 0) {
			close(fd);
			return -1;
		}
		text += n;
		len -= (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static int spawn(int in, int out, int err, pid_t *pid)
{
	/* Neither ~/.gnuplot nor the system's settings have a say. */
	const char *const argv[] = { "gnuplot", "-d", "-", NULL };
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t pipes;
	int ret;

	ret = posix_spawn_file_actions_init(&fa);
	if (ret)
		return ret;
	ret = posix_spawnattr_init(&attr);
	if (ret) {
		posix_spawn_file_actions_destroy(&fa);
		return ret;
	}
	posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, err, STDERR_FILENO);
	/* We ignore it, and it would be inherited. */
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &pipes);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	ret = posix_spawnp(pid, argv[0], &fa, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&fa);
	return ret;
}

/* To its end. Returns 0, or a negative errno. */
static int drain(int fd, char **text, size_t *len)
{
	uint64_t end = clock_ns() + LIMIT_NS;
	size_t room = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = clock_ns();
		ssize_t got;
		char *more;

		if (now >= end || !poll(&p, 1, (int)((end - now) / 1000000 + 1)))
			return -ETIMEDOUT;
		if (room - *len < 65536) {
			room = room ? room * 2 : 1 << 18;
			more = room > SVG_MAX ? NULL : realloc(*text, room);
			if (!more)
				return -ENOMEM;
			*text = more;
		}
		got = read(fd, *text + *len, room - *len - 1);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			*len += (size_t)got;
		if (!got)
			break;
	}
	(*text)[*len] = '\0';
	return 0;
}

/* From @from to the end of @to after it, if both are there. */
static void blank(char *text, const char *from, const char *to)
{
	char *a = strstr(text, from), *b = a ? strstr(a + strlen(from), to) : NULL;

	if (b)
		memset(a, ' ', (size_t)(b - a) + strlen(to));
}

/*
 * A copy whose ids, which gnuplot makes alike in every plot, are this plot's own. No
 * text of a plot has a quote in it.
 */
static char *rename_ids(const char *svg, unsigned int number)
{
	static const char *const before[] = {
		" id='", " id=\"", " xlink:href='#", " xlink:href=\"#", "url(#",
	};
	char *copy = NULL;
	size_t size;
	FILE *f = open_memstream(&copy, &size);

	while (f && *svg) {
		size_t len = 0;

		for (size_t i = 0; !len && i < ARRAY_SIZE(before); i++)
			if (!strncmp(svg, before[i], strlen(before[i])))
				len = strlen(before[i]);
		if (len)
			fprintf(f, "%.*sp%u-", (int)len, svg, number);
		else
			fputc(*svg, f);
		svg += len ? len : 1;
	}
	if (!f || fclose(f))
		return NULL;
	return copy;
}

/*
 * Without the prologue, which names a file elsewhere, without a title, which would
 * float over the plot, and without what only a file of its own has to say.
 */
static char *cut_out(char *text, unsigned int number)
{
	char *from = strstr(text, "<svg"), *to = NULL, *at;

	for (at = from; at && (at = strstr(at, "</svg>")); at++)
		to = at;
	if (!to)
		return NULL;
	to[6] = '\0';
	blank(from, "<title>", "</title>");
	blank(from, "<desc>", "</desc>");
	blank(from, "xmlns=\"", "\"");
	blank(from, "xmlns:xlink=\"", "\"");
	return rename_ids(from, number);
}

static int complain(struct hp_error *e, int err, const char *what)
{
	char line[200] = "";
	ssize_t n = pread(err, line, sizeof(line) - 1, 0);
	char *text = line;

	line[n > 0 ? n : 0] = '\0';
	/* It shows the line of the script and a caret first. */
	text += strspn(text, "\n");
	text[strcspn(text, "\n")] = '\0';
	return hp_fail(e, HP_FAILED, 0, "gnuplot %s%s%.150s", what, *text ? ": " : "", text);
}

static int absent(struct hp_error *e, int err)
{
	if (err != ENOENT)
		return hp_fail(e, HP_FAILED, err, "cannot run gnuplot: %s", strerror(err));
	hp_fail(e, HP_UNSUPPORTED, err, "gnuplot, which draws the plots, is not installed");
	return hp_hint(e, "install the package gnuplot-nox; --csv and --markdown need none");
}

int gnuplot_svg(const char *script, size_t len, unsigned int number, char **svg,
		struct hp_error *e)
{
	int in = memory_file("script", script, len), err = memory_file("errors", "", 0);
	int out[2] = { -1, -1 }, status = 0, ret;
	char *text = NULL;
	size_t got = 0;
	pid_t pid;

	if (in < 0 || err < 0 || pipe2(out, O_CLOEXEC)) {
		hp_fail(e, HP_FAILED, errno, "cannot run gnuplot: %s", strerror(errno));
		goto out;
	}
	ret = spawn(in, out[1], err, &pid);
	if (ret) {
		absent(e, ret);
		goto out;
	}
	close(out[1]);
	out[1] = -1;
	ret = drain(out[0], &text, &got);
	if (ret)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ret == -ETIMEDOUT)
		complain(e, err, "took more than a minute");
	else if (ret)
		hp_fail(e, HP_FAILED, -ret, "gnuplot's output: %s", strerror(-ret));
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		complain(e, err, "failed");
	else
		*svg = cut_out(text, number);
	if (!e->code && !*svg)
		complain(e, err, "drew nothing");
out:
	if (in >= 0)
		close(in);
	if (err >= 0)
		close(err);
	if (out[0] >= 0)
		close(out[0]);
	if (out[1] >= 0)
		close(out[1]);
	free(text);
	return e->code;
}
