// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every reason for which the module refuses memory has its exit code and its words, in
 * "alloc" and in a run alike: one line, at most one hint, and no figure. The module is
 * played: played.h.
 */
#include <string.h>

#include "kselftest_harness.h"

#include "played.h"

static const struct {
	int err, code;
	const char *words;
} reasons[] = {
	{ EDQUOT, 3, "the limit RLIMIT_MEMLOCK is " },
	{ ENOSPC, 3, "max_bytes" },
	{ ENOMEM, 3, "must be left (floor_bytes)" },
	{ EBUSY, 3, "no contiguous piece can be made free" },
	{ ETIMEDOUT, 3, "not had within" },
	{ EMFILE, 3, "no file descriptor is left" },
	{ EOPNOTSUPP, 4, "no 1 GiB pages" },
	{ E2BIG, 4, "older than this hpctl" },
	{ EACCES, 5, "not permitted" },
	{ EPERM, 5, "not permitted" },
	{ EIO, 1, "Input/output error" },
};

static bool starts_line(const char *text, const char *with)
{
	const char *at = strstr(text, with);

	return at && (at == text || at[-1] == '\n');
}

static struct played module(int err)
{
	return (struct played){ HPBUF_UAPI_VERSION, HPBUF_MODULE_VERSION, 0, err };
}

TEST(alloc)
{
	char text[8192];

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		EXPECT_EQ(reasons[i].code, HPCTL(module(reasons[i].err), "alloc", "-s", "4M", "-p", "2M")) {
			TH_LOG("errno %d: %s", reasons[i].err, text);
		}
		EXPECT_NE(NULL, strstr(text, reasons[i].words)) {
			TH_LOG("errno %d: %s", reasons[i].err, text);
		}
		EXPECT_TRUE(starts_line(text, "hpctl alloc: cannot allocate: asked 4.00 MiB"));
	}
}

TEST(run)
{
	char text[8192];

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		EXPECT_EQ(reasons[i].code, HPCTL(module(reasons[i].err), "run", "get", "-b", "hpbuf-2m", "-s",
						 "4M", "-r", "1", "--ops", "1000")) {
			TH_LOG("errno %d: %s", reasons[i].err, text);
		}
		EXPECT_NE(NULL, strstr(text, reasons[i].words)) {
			TH_LOG("errno %d: %s", reasons[i].err, text);
		}
		EXPECT_TRUE(starts_line(text, "hpctl run: "));
		EXPECT_LE(lines(text), 2);
		/* The heading of a table of figures. */
		EXPECT_EQ(NULL, strstr(text, "WORKLOAD"));
	}
}

TEST_HARNESS_MAIN
