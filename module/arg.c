// SPDX-License-Identifier: GPL-2.0
/* Growable ioctl structures: the size is part of the ioctl number. */
#include <linux/fs.h>
#include <linux/ioctl.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "arg.h"

static const struct arg_op *arg_find(const struct arg_op *ops, size_t nr, unsigned int cmd)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if ((cmd & ~IOCSIZE_MASK) == (ops[i].cmd & ~IOCSIZE_MASK))
			return &ops[i];
	return NULL;
}

static long arg_run(const struct arg_op *op, struct file *file, void *arg,
		    void __user *user, size_t size)
{
	void *state = NULL;
	long ret, wrote = 0;

	ret = op->run(file, arg, &state);
	if (!ret || op->always)
		wrote = copy_to_user(user, arg, min(size, op->size)) ? -EFAULT : 0;
	if (ret)
		return ret;
	if (wrote && op->undo)
		op->undo(arg, state);
	if (!wrote && op->commit)
		op->commit(arg, state);
	return wrote;
}

long arg_dispatch(const struct arg_op *ops, size_t nr, struct file *file,
		  unsigned int cmd, unsigned long user)
{
	const struct arg_op *op = arg_find(ops, nr, cmd);
	void __user *ptr = (void __user *)user;
	size_t size = _IOC_SIZE(cmd);
	void *arg;
	long ret;

	if (!op)
		return -ENOTTY;
	if (size < op->min)
		return -EINVAL;
	arg = kzalloc(op->size, GFP_KERNEL_ACCOUNT);
	if (!arg)
		return -ENOMEM;
	ret = copy_struct_from_user(arg, op->size, ptr, size);
	if (!ret)
		ret = arg_run(op, file, arg, ptr, size);
	kfree(arg);
	return ret;
}
