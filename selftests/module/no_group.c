// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is not in the device node's group cannot use the device, in no way of opening
 * it, and not as root of a user namespace either; who is in the group can.
 */
#include "user.h"

#include <sys/sysmacros.h>

#define GROUP	4242

FIXTURE(node) {
	struct stat was;
};

FIXTURE_SETUP(node)
{
	ASSERT_EQ(0, stat(HPBUF_DEVICE, &self->was));
	ASSERT_EQ(0, chown(HPBUF_DEVICE, 0, GROUP));
}

FIXTURE_TEARDOWN(node)
{
	EXPECT_EQ(0, chown(HPBUF_DEVICE, self->was.st_uid, self->was.st_gid));
}

/* 0 when each way is refused. */
static int try_ways(void)
{
	static const int modes[] = { O_RDWR, O_RDONLY, O_WRONLY };
	struct hpbuf_caps caps;
	char path[64];
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (open(HPBUF_DEVICE, modes[i]) >= 0 || errno != EACCES)
			return 10 + i;
	if (!chmod(HPBUF_DEVICE, 0666) || !chown(HPBUF_DEVICE, geteuid(), -1))
		return 20;
	/* A name for it can be had; it is no descriptor to call. */
	fd = open(HPBUF_DEVICE, O_PATH | O_CLOEXEC);
	if (fd < 0 || hpt_caps(fd, &caps) != -EBADF)
		return 21;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (open(path, O_RDWR) >= 0 || errno != EACCES)
		return 22;
	return 0;
}

static int as_nobody(void *arg)
{
	(void)arg;
	return hpt_become(HPT_NOBODY) ? 1 : try_ways();
}

TEST_F(node, not_without_the_group)
{
	EXPECT_EQ(0, hpt_in_child(as_nobody, NULL));
}

static int as_namespace_root(void *arg)
{
	dev_t rdev = ((struct stat *)arg)->st_rdev;

	if (hpt_become(HPT_NOBODY) || user_unshare(CLONE_NEWNS))
		return 1;
	/* nor by a node of its own */
	if (!mknod("/tmp/hpbuf-node", S_IFCHR | 0666, rdev) || errno != EPERM)
		return 2;
	return try_ways();
}

TEST_F(node, not_as_root_of_a_namespace)
{
	USER_NEED_UNSHARE(CLONE_NEWNS);
	EXPECT_EQ(0, hpt_in_child(as_namespace_root, &self->was));
}

static int as_member(void *arg)
{
	gid_t group = GROUP;
	int dev;

	(void)arg;
	if (syscall(SYS_setgroups, 1, &group) || setresgid(HPT_NOBODY, HPT_NOBODY, HPT_NOBODY) ||
	    setresuid(HPT_NOBODY, HPT_NOBODY, HPT_NOBODY))
		return 1;
	dev = hpt_open(NULL);
	return dev < 0 ? -dev : 0;
}

TEST_F(node, with_the_group)
{
	EXPECT_EQ(0, hpt_in_child(as_member, NULL));
}

HPBUF_TEST_MAIN
