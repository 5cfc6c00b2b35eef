/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_FS_H
#define HPBUF_FS_H

#include <linux/fs.h>

struct buf;

/* An inode for @b, or an ERR_PTR; fs_drop() ends it. */
struct inode *fs_inode(struct buf *b);
void fs_drop(struct inode *inode);

/* At the end of the module, when there is no inode any more. */
void fs_exit(void);

/*
 * A new open file of @b with operations @fops, which own a reference to @b and
 * one to the module, or an ERR_PTR.
 */
struct file *fs_open(struct buf *b, const struct file_operations *fops, int flags);

#endif
