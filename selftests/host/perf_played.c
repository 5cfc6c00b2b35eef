// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hardware counters that cannot be had: absent, forbidden and user-only are told apart,
 * each by one line; what was not counted is null and never 0; --require-counters exits 4.
 * The kernel's answers are played: syscall() is this file's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/cmd.h"
#include "../../user/measure/perf.h"

/* What perf_event_open() answers; with user_only that goes for the kernel's part alone. */
static struct {
	int err;
	bool user_only;
} played;

/* In place of the C library's, for the archive that this is linked with. */
long syscall(long number, ...)
{
	long (*real)(long number, ...) = dlsym(RTLD_NEXT, "syscall");
	struct perf_event_attr *attr;
	long arg[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (number != SYS_perf_event_open)
		return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	attr = (struct perf_event_attr *)arg[0];
	/* Nothing can be read from it, as if it had never had its turn. */
	if (played.user_only && attr->exclude_kernel)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = played.err;
	return -1;
}

static void counts(struct __test_metadata *_metadata, int err, bool user_only,
		   const char *why)
{
	struct perf_counts c;
	struct perf *perf;
	json_t *o;

	played.err = err;
	played.user_only = user_only;
	perf = perf_open();
	ASSERT_NE(NULL, perf);
	EXPECT_EQ(0, strncmp(perf_why(perf), why, strlen(why))) {
		TH_LOG("%s", perf_why(perf));
	}
	EXPECT_EQ(NULL, strchr(perf_why(perf), '\n'));
	EXPECT_EQ(user_only, perf_hardware(perf));
	perf_start(perf);
	perf_stop(perf, &c);
	for (int id = 0; id < PERF_PAGE_FAULTS; id++)
		EXPECT_EQ(-1, c.v[id]);
	o = perf_json(&c);
	EXPECT_TRUE(json_is_null(o));
	json_decref(o);
	perf_close(perf);
}

TEST(absent)
{
	counts(_metadata, ENOENT, false, "absent: this CPU, or virtual machine");
	counts(_metadata, EOPNOTSUPP, false, "absent: this CPU, or virtual machine");
	counts(_metadata, ENOSYS, false, "absent: the kernel was built without");
}

TEST(forbidden)
{
	counts(_metadata, EACCES, false, "forbidden: ");
	counts(_metadata, EPERM, false, "forbidden: ");
}

TEST(user_only)
{
	counts(_metadata, EACCES, true, "user-only: the kernel's part");
}

TEST(another_reason)
{
	counts(_metadata, EMFILE, false, "unknown: perf_event_open: ");
}

static int hpctl(char **argv)
{
	int argc = 0, status;
	pid_t pid = fork();

	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		while (argv[argc])
			argc++;
		_exit(hpctl_main(argc, argv));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(required)
{
	char *argv[11] = { "hpctl", "run", "get", "-s", "1M", "-r", "1", "--ops", "100000",
			    "--require-counters", NULL };
	int rc;

	played.err = ENOENT;
	played.user_only = false;
	EXPECT_EQ(4, hpctl(argv));
	/* Not asked for: timed all the same. */
	argv[9] = NULL;
	rc = hpctl(argv);
	EXPECT_TRUE(rc == 0 || rc == 7);
}

TEST_HARNESS_MAIN
