/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_ARG_H
#define HPBUF_ARG_H

#include <linux/fs.h>

/*
 * struct arg_op - one ioctl with a growable structure
 * @cmd: its number, with the size this module knows
 * @min: bytes a caller must give, or there is no room for what matters
 * @size: of the structure this module knows
 * @always: write the structure back also when @run fails
 * @run: gets a kernel copy, which is written back when it returns 0
 * @undo: writing back failed after @run returned 0; may be NULL
 * @commit: writing back worked after @run returned 0; may be NULL
 */
struct arg_op {
	unsigned int cmd;
	size_t min;
	size_t size;
	bool always;
	long (*run)(struct file *file, void *arg, void **state);
	void (*undo)(void *arg, void *state);
	void (*commit)(void *arg, void *state);
};

/*
 * Find @cmd in @ops, whatever size the caller knows, and run it. -ENOTTY no such
 * ioctl; -EINVAL too short; -E2BIG a surplus that is not zero; -EFAULT.
 */
long arg_dispatch(const struct arg_op *ops, size_t nr, struct file *file,
		  unsigned int cmd, unsigned long user);

#endif
