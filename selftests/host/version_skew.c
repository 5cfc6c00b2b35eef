// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hpctl and a module of another version: one line says which is which and one hint what
 * to do, exit 4, and nothing is done in part. The module is played: ioctl() is this
 * file's, the device is /dev/null.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hpbuf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/cmd.h"

/** struct played - what the module answers; err: of CAPS, alloc_err: of ALLOC */
struct played {
	uint32_t uapi;
	const char *version;
	int err, alloc_err;
	unsigned int others;
};

static struct played played;

/* In place of the C library's, for the archive that this is linked with. */
int ioctl(int fd, unsigned long request, ...)
{
	struct hpbuf_caps *caps;
	va_list ap;

	va_start(ap, request);
	caps = va_arg(ap, struct hpbuf_caps *);
	va_end(ap);
	if (request != HPBUF_IOC_CAPS) {
		played.others++;
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

/* hpctl ARG..., all it prints in @text; 200 and more: it asked the module for more. */
static int hpctl(struct played as, char *text, size_t size, char **argv)
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
		_exit(played.others && !as.alloc_err ? 200 + code : code);
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
	hpctl((as), text, sizeof(text), (char *[]){ "hpctl", __VA_ARGS__, "--device",	\
						    "/dev/null", NULL })

static unsigned int lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

TEST(older_module)
{
	struct played as = { HPBUF_UAPI_VERSION - 1, "0.0.9", 0, 0, 0 };
	char text[4096];

	EXPECT_EQ(4, HPCTL(as, "run", "get", "-b", "hpbuf-2m", "-s", "4M"));
	EXPECT_NE(NULL, strstr(text, "module 0.0.9 (interface 0) is loaded, hpctl "
			       HPBUF_MODULE_VERSION " needs interface"));
	EXPECT_NE(NULL, strstr(text, "hint: reload the module"));
	EXPECT_EQ(2, lines(text));
	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "module 0.0.9 (interface 0) is loaded"));
}

TEST(newer_module)
{
	struct played as = { HPBUF_UAPI_VERSION + 1, "9.9.9", 0, 0, 0 };
	char text[4096];

	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "module 9.9.9 (interface"));
	EXPECT_NE(NULL, strstr(text, "hint: update hpctl to 9.9.9"));
	EXPECT_EQ(2, lines(text));
}

TEST(same_interface_other_version)
{
	struct played as = { HPBUF_UAPI_VERSION, "0.0.9", 0, 0, 0 };
	char text[4096];

	EXPECT_EQ(0, HPCTL(as, "version"));
	EXPECT_NE(NULL, strstr(text, "module 0.0.9 is loaded, hpctl is " HPBUF_MODULE_VERSION));
	EXPECT_NE(NULL, strstr(text, "hint: reload the module"));
	as.version = HPBUF_MODULE_VERSION;
	EXPECT_EQ(0, HPCTL(as, "version"));
	EXPECT_EQ(NULL, strstr(text, "hint:"));
}

TEST(module_refuses_the_request)
{
	/* A longer struct whose tail an older module does not know. */
	struct played as = { HPBUF_UAPI_VERSION, HPBUF_MODULE_VERSION, 0, E2BIG, 0 };
	char text[4096];

	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "the module is older than this hpctl"));
	as.alloc_err = ENOTTY;
	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "the module knows no such request"));
}

TEST(another_device)
{
	struct played as = { 0, "", ENOTTY, 0, 0 };
	char text[4096];

	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "/dev/null is not the hpbuf module's device"));
}

TEST_HARNESS_MAIN
