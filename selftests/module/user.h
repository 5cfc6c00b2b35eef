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

#endif
