/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are there whole or not at all. */
#ifndef HPCTL_OUT_SAVE_H
#define HPCTL_OUT_SAVE_H

#include <stdio.h>

/**
 * out_save - write a file beside @path, flush it to the disk, rename it
 * @write: puts the content into @f; 0, or a negative errno
 *
 * Neither a full disk nor a signal leaves half a file or destroys the one that was
 * there. What is no regular file (/dev/null, a pipe) is written as it is.
 * Returns 0 or a negative errno.
 */
int out_save(const char *path, int (*write)(FILE *f, const void *arg), const void *arg);

#endif
