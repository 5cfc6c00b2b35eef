// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hpctl and a module of another version: one line says which is which and one hint what
 * to do, exit 4, and nothing is done in part. The module is played: played.h.
 */
#include <string.h>

#include "kselftest_harness.h"

#include "played.h"

TEST(older_module)
{
	struct played as = { HPBUF_UAPI_VERSION - 1, "0.0.9", 0, 0 };
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
	struct played as = { HPBUF_UAPI_VERSION + 1, "9.9.9", 0, 0 };
	char text[4096];

	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "module 9.9.9 (interface"));
	EXPECT_NE(NULL, strstr(text, "hint: update hpctl to 9.9.9"));
	EXPECT_EQ(2, lines(text));
}

TEST(same_interface_other_version)
{
	struct played as = { HPBUF_UAPI_VERSION, "0.0.9", 0, 0 };
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
	struct played as = { HPBUF_UAPI_VERSION, HPBUF_MODULE_VERSION, 0, E2BIG };
	char text[4096];

	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "the module is older than this hpctl"));
	as.alloc_err = ENOTTY;
	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "the module knows no such request"));
}

TEST(another_device)
{
	struct played as = { 0, "", ENOTTY, 0 };
	char text[4096];

	EXPECT_EQ(4, HPCTL(as, "alloc", "-s", "4M", "-p", "2M"));
	EXPECT_NE(NULL, strstr(text, "/dev/null is not the hpbuf module's device"));
}

TEST_HARNESS_MAIN
