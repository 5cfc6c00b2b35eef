// SPDX-License-Identifier: GPL-2.0
/* A buffer's descriptor: INFO, POPULATE, mmap. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/hpbuf.h>

#include "arg.h"
#include "buf.h"
#include "file.h"
#include "map.h"
#include "walk.h"

static int file_release(struct inode *inode, struct file *file)
{
	struct buf *b = file->private_data;

	atomic_dec(&b->opens);
	buf_put(b);
	return 0;
}

static u32 info_flags(const struct file *file, const struct buf *b)
{
	u32 flags = 0;

	if (READ_ONCE(b->persist))
		flags |= HPBUF_INFO_PERSIST;
	if (!(file->f_mode & FMODE_WRITE))
		flags |= HPBUF_INFO_RDONLY;
	if (b->time.zero_known)
		flags |= HPBUF_INFO_ZERO_NS;
	return flags;
}

static void info_nodes(struct hpbuf_info *info, const struct buf *b)
{
	int nid;

	for (nid = 0; nid < min_t(int, nr_node_ids, HPBUF_INFO_NODES); nid++)
		info->node_pages[nid] = b->node_pages[nid];
}

static long file_info(struct file *file, void *arg, void **state)
{
	struct buf *b = file->private_data;
	struct walk_census leaf = {};
	struct hpbuf_info *info = arg;
	int ret;

	if (memchr_inv(info, 0, sizeof(*info)))
		return -EINVAL;
	ret = map_census(b, &leaf);
	if (ret)
		return ret;
	info->id = b->id;
	info->page_shift = b->shift;
	info->flags = info_flags(file, b);
	info->uid = from_kuid(&init_user_ns, b->owner);
	info->asked = b->asked;
	info->size = buf_size(b);
	strscpy(info->name, b->name, sizeof(info->name));
	info->created_ns = b->created_ns;
	info->alloc_ns = b->alloc_ns;
	info->scan_ns = b->time.scan;
	info->migrate_ns = b->time.migrate;
	info->zero_ns = b->time.zero;
	info->thread_ns = b->thread_ns;
	info->faults = atomic64_read(&b->faults);
	info->fault_ns = atomic64_read(&b->fault_ns);
	info->fault_max_ns = atomic64_read(&b->fault_max_ns);
	info->mappings = atomic_read(&b->mappings);
	info->opens = atomic_read(&b->opens);
	info->leaf_bytes_pte = leaf.pte;
	info->leaf_bytes_pmd = leaf.pmd;
	info->leaf_bytes_pud = leaf.pud;
	info->leaf_bytes_none = leaf.none;
	info_nodes(info, b);
	return 0;
}

static long file_populate(struct file *file, void *arg, void **state)
{
	struct hpbuf_populate *p = arg;

	if (p->flags || p->reserved || p->done)
		return -EINVAL;
	return map_populate(file->private_data, p->addr, p->len, &p->done);
}

static const struct arg_op file_ops[] = {
	{
		.cmd = HPBUF_IOC_INFO,
		.min = offsetofend(struct hpbuf_info, size),
		.size = sizeof(struct hpbuf_info),
		.run = file_info,
	}, {
		.cmd = HPBUF_IOC_POPULATE,
		.min = sizeof(struct hpbuf_populate),
		.size = sizeof(struct hpbuf_populate),
		.always = true,
		.run = file_populate,
	},
};

static long file_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	return arg_dispatch(file_ops, ARRAY_SIZE(file_ops), file, cmd, user);
}

const struct file_operations file_fops = {
	.owner = THIS_MODULE,
	.release = file_release,
	.unlocked_ioctl = file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = map_mmap,
	.get_unmapped_area = map_get_area,
	.llseek = noop_llseek,
};
