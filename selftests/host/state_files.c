// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal of --reserve is a file of its own: for its owner alone, not through a
 * symbolic link, and not a pipe that would hang whoever opens it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/backing/journal.h"

FIXTURE(dir) {
	char dir[64], path[96], other[96];
};

FIXTURE_SETUP(dir)
{
	snprintf(self->dir, sizeof(self->dir), "%s/hpctl-state.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/pools", self->dir);
	snprintf(self->other, sizeof(self->other), "%s/other", self->dir);
}

FIXTURE_TEARDOWN(dir)
{
	unlink(self->path);
	unlink(self->other);
	rmdir(self->dir);
}

TEST_F(dir, is_for_its_owner)
{
	struct stat st;
	int fd;

	umask(0);
	fd = journal_lock(self->path, true);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	close(fd);
}

TEST_F(dir, no_symbolic_link)
{
	struct stat st;

	ASSERT_EQ(0, symlink(self->other, self->path));
	EXPECT_EQ(-ELOOP, journal_lock(self->path, true));
	EXPECT_NE(0, stat(self->other, &st));
	close(open(self->other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	EXPECT_EQ(-ELOOP, journal_lock(self->path, false));
}

TEST_F(dir, no_pipe)
{
	ASSERT_EQ(0, mkfifo(self->path, 0600));
	EXPECT_GT(0, journal_lock(self->path, true));
}

/* Root's does not lie where a user's environment says. */
TEST_F(dir, of_root)
{
	char path[PATH_MAX];

	if (geteuid())
		SKIP(return, "needs root, found uid %d", (int)geteuid());
	setenv("XDG_RUNTIME_DIR", self->dir, 1);
	ASSERT_TRUE(journal_path(path, sizeof(path)));
	EXPECT_STREQ("/run/hpctl/pools", path);
}

TEST_HARNESS_MAIN
