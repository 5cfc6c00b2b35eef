// SPDX-License-Identifier: GPL-2.0
/*
 * The pseudo file system that buffers' files live on.
 *
 * anon_inode would share one inode among all. Ours are marked S_DAX where that is
 * what makes the kernel hand out huge faults: 6.1 calls huge_fault for nothing
 * else, 6.12 not while transparent huge pages are off. Newer ones need it no more,
 * and must not have it with page frames; where folios are mapped it selects the
 * code that counts them. They are character
 * devices by mode, as device-dax has it: else long-term pins are refused.
 *
 * It is mounted while there is a buffer, and the mount holds the module. The
 * last fput() of a file drops f_op->owner before it drops the mount, so without
 * that hold the module could be gone when the super block is shut down.
 *
 * Unmounting costs as much as all else that the last close() does. So it is done a
 * clock tick later; the module can be unloaded then.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/uio.h>
#include <linux/workqueue.h>

#include "buf.h"
#include "compat/compat.h"
#include "fs.h"

#define HPBUF_FS_MAGIC	0x68706275	/* "hpbu" */

static struct vfsmount *fs_mount;	/* valid while fs_users > 0 */
static int fs_users;
static atomic_t fs_drops = ATOMIC_INIT(0);	/* of these, to be released */

static void fs_release_fn(struct work_struct *work)
{
	int nr = atomic_xchg(&fs_drops, 0);

	while (nr--)
		simple_release_fs(&fs_mount, &fs_users);
}

static DECLARE_DELAYED_WORK(fs_release, fs_release_fn);

static int fs_init_context(struct fs_context *fc)
{
	struct pseudo_fs_context *ctx = init_pseudo(fc, HPBUF_FS_MAGIC);

	if (!ctx)
		return -ENOMEM;
	fc->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	return 0;
}

static struct file_system_type fs_type = {
	.owner = THIS_MODULE,
	.name = "hpbuf",
	.init_fs_context = fs_init_context,
	.kill_sb = kill_anon_super,
};

struct inode *fs_inode(struct buf *b)
{
	struct inode *inode;
	int ret;

	ret = simple_pin_fs(&fs_type, &fs_mount, &fs_users);
	if (ret)
		return ERR_PTR(ret);
	inode = new_inode(fs_mount->mnt_sb);
	if (!inode) {
		simple_release_fs(&fs_mount, &fs_users);
		return ERR_PTR(-ENOMEM);
	}
	inode->i_ino = get_next_ino();
	inode->i_mode = S_IFCHR | 0600;
	inode->i_uid = b->owner;
	inode->i_flags |= COMPAT_INODE_FLAGS;
	i_size_write(inode, buf_size(b));
	return inode;
}

void fs_drop(struct inode *inode)
{
	iput(inode);
	atomic_inc(&fs_drops);
	schedule_delayed_work(&fs_release, 1);
}

void fs_exit(void)
{
	/* It has let go of the module, but may still be on its way out. */
	cancel_delayed_work_sync(&fs_release);
}

struct file *fs_open(struct buf *b, const struct file_operations *fops, int flags)
{
	char name[HPBUF_NAME_LEN + 16];
	struct file *file;

	snprintf(name, sizeof(name), "hpbuf:%u", b->id);
	/* The last fput() drops what alloc_file_pseudo() does not take. */
	__module_get(fops->owner);
	ihold(b->inode);
	file = alloc_file_pseudo(b->inode, fs_mount, name, flags, fops);
	if (IS_ERR(file)) {
		iput(b->inode);
		module_put(fops->owner);
		return file;
	}
	buf_get(b);
	file->private_data = b;
	return file;
}
