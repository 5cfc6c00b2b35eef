/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests with other users: the device node is opened to all for the time of
 * the test (its group may not exist here), and closed again afterwards.
 */
#ifndef HPBUF_USER_H
#define HPBUF_USER_H

#include "hpbuf_test.h"

static struct stat user_node;

static inline int user_open_up(void)
{
	if (stat(HPBUF_DEVICE, &user_node) || chmod(HPBUF_DEVICE, 0666))
		return -errno;
	return 0;
}

static inline void user_close_again(void)
{
	if (chmod(HPBUF_DEVICE, user_node.st_mode & 07777))
		fprintf(stderr, "# %s keeps mode 0666\n", HPBUF_DEVICE);
}

/* Root in a new user namespace that maps the caller's own ids only. */
static inline int user_unshare(int flags)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[32];
	int ret;

	if (unshare(CLONE_NEWUSER | flags))
		return -errno;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	ret = hpt_write_text("/proc/self/uid_map", map);
	if (!ret)
		ret = hpt_write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", gid);
	return ret ? ret : hpt_write_text("/proc/self/gid_map", map);
}

static inline int user_try_unshare(void *arg)
{
	if (hpt_become(HPT_NOBODY))
		return ENOEXEC;
	return -user_unshare(*(int *)arg);
}

/* 0, or the errno for which a user cannot have these namespaces here. */
static inline int user_no_unshare(int flags)
{
	return hpt_in_child(user_try_unshare, &flags);
}

#define USER_NEED_UNSHARE(flags) do {					\
	int _err = user_no_unshare(flags);				\
									\
	if (_err)							\
		SKIP(return, "needs user namespaces made by users, found: %s", strerror(_err)); \
} while (0)

#endif
