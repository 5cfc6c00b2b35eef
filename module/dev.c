// SPDX-License-Identifier: GPL-2.0
/* /dev/hpbuf: CAPS, ALLOC, OPEN, FREE. */
#include <linux/cpuset.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/hpbuf.h>

#include "arg.h"
#include "buf.h"
#include "compat/compat.h"
#include "dev.h"
#include "event.h"
#include "file.h"
#include "fs.h"
#include "limit.h"
#include "param.h"
#include "walk_time.h"

/* What ALLOC and OPEN have made, until the caller knows of it. */
struct dev_made {
	struct file *file;
	struct buf *buf;
	bool persist;
};

/* ---- CAPS ---- */

static u64 caps_flags(void)
{
	u64 flags = HPBUF_CAP_POPULATE | HPBUF_CAP_MPROTECT_2M | HPBUF_CAP_WALK;

	if (COMPAT_MAP_FOLIO)
		flags |= HPBUF_CAP_GUP | HPBUF_CAP_MAP_POPULATE;
	if (walk_can_time())
		flags |= HPBUF_CAP_WALK_TIMING;
	if (contig_zeroed_by_kernel())
		flags |= HPBUF_CAP_INIT_ON_ALLOC;
	return flags;
}

static long dev_caps(struct file *file, void *arg, void **state)
{
	struct hpbuf_caps *caps = arg;

	if (memchr_inv(caps, 0, sizeof(*caps)))
		return -EINVAL;
	caps->uapi_version = HPBUF_UAPI_VERSION;
	strscpy(caps->module_version, HPBUF_MODULE_VERSION, sizeof(caps->module_version));
	caps->flags = caps_flags();
	caps->page_shifts = 1ULL << HPBUF_SHIFT_2M;
	if (compat_map_1g())
		caps->page_shifts |= 1ULL << HPBUF_SHIFT_1G;
	caps->max_bytes = param_max_bytes();
	caps->used_bytes = limit_used();
	caps->floor_bytes = param_floor_bytes();
	return 0;
}

/* ---- names and descriptors ---- */

/* Empty, or characters that no shell or path minds, and not digits alone. */
static bool name_ok(const char *name)
{
	bool digits = true;
	size_t i, len = strnlen(name, HPBUF_NAME_LEN);

	if (len == HPBUF_NAME_LEN || memchr_inv(name + len, 0, HPBUF_NAME_LEN - len))
		return false;
	for (i = 0; i < len; i++) {
		if (!isascii(name[i]) || !(isalnum(name[i]) || strchr("._-", name[i])))
			return false;
		if (!isdigit(name[i]))
			digits = false;
	}
	return !len || !digits;
}

/* A descriptor that is not installed yet, of a new file of @b. */
static int open_fd(struct dev_made *made, struct buf *b, int flags)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);
	struct file *file;

	if (fd < 0)
		return fd;
	file = fs_open(b, &file_fops, flags);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	atomic_inc(&b->opens);
	made->file = file;
	made->buf = b;
	return fd;
}

static struct dev_made *made_new(void **state)
{
	struct dev_made *made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);

	*state = made;
	return made;
}

static void made_undo(struct dev_made *made, int fd)
{
	put_unused_fd(fd);
	fput(made->file);
	kfree(made);
}

/* ---- ALLOC ---- */

static int spec_nodes(nodemask_t *nodes, const u64 *mask)
{
	int bit, ret = 0;

	/* What this task may use, by its cpuset. */
	nodes_and(*nodes, cpuset_current_mems_allowed, node_states[N_MEMORY]);
	if (!memchr_inv(mask, 0, HPBUF_NODE_WORDS * sizeof(*mask)))
		return 0;
	for (bit = 0; bit < HPBUF_NODE_WORDS * 64 && !ret; bit++) {
		if (!(mask[bit / 64] & (1ULL << (bit % 64)))) {
			if (bit < MAX_NUMNODES)
				node_clear(bit, *nodes);
		} else if (bit >= MAX_NUMNODES || !node_isset(bit, *nodes)) {
			ret = -ENXIO;
		}
	}
	return ret;
}

static int spec_check(const struct hpbuf_alloc *a)
{
	if (a->flags & ~HPBUF_ALLOC_PERSIST || a->reserved || a->fd || a->id || a->size)
		return -EINVAL;
	if (a->page_shift != HPBUF_SHIFT_2M && a->page_shift != HPBUF_SHIFT_1G)
		return -EINVAL;
	if (!a->bytes || !name_ok(a->name))
		return -EINVAL;
	if (a->bytes > (u64)LLONG_MAX - (1ULL << a->page_shift) + 1)
		return -EOVERFLOW;
	if (a->page_shift == HPBUF_SHIFT_1G && !compat_map_1g())
		return -EOPNOTSUPP;
	/* More than any cap lets through, and a table of pages can be had. */
	if (a->bytes > param_max_bytes() ||
	    a->bytes >> a->page_shift >= INT_MAX / sizeof(unsigned long))
		return -ENOSPC;
	return 0;
}

static int alloc_make(struct hpbuf_alloc *a, struct dev_made *made)
{
	struct buf_spec spec = {
		.bytes = a->bytes,
		.shift = a->page_shift,
		.timeout_ms = a->timeout_ms ?: HPBUF_TIMEOUT_MS,
		.name = a->name,
	};
	struct buf *b;
	int fd, ret;

	ret = spec_check(a);
	if (ret)
		return ret;
	ret = spec_nodes(&spec.nodes, a->nodes);
	if (ret)
		return ret;
	if (nodes_empty(spec.nodes))
		return -ENXIO;
	b = buf_make(&spec);
	if (IS_ERR(b))
		return PTR_ERR(b);
	fd = open_fd(made, b, O_RDWR);
	/* From here on the file holds it, or nobody does. */
	a->size = buf_size(b);
	a->id = b->id;
	buf_put(b);
	if (fd < 0)
		return fd;
	made->persist = a->flags & HPBUF_ALLOC_PERSIST;
	a->fd = fd;
	return 0;
}

static long dev_alloc(struct file *file, void *arg, void **state)
{
	struct dev_made *made = made_new(state);
	struct hpbuf_alloc *a = arg;
	u64 start = ktime_get_ns();
	int ret;

	if (!made)
		return -ENOMEM;
	ret = alloc_make(a, made);
	if (ret) {
		kfree(made);
		event_fail(a->page_shift, a->bytes, ktime_get_ns() - start, ret);
	}
	return ret;
}

static void alloc_undo(void *arg, void *state)
{
	const struct hpbuf_alloc *a = arg;

	made_undo(state, a->fd);
}

static void alloc_commit(void *arg, void *state)
{
	const struct hpbuf_alloc *a = arg;
	struct dev_made *made = state;

	buf_publish(made->buf, made->persist);
	fd_install(a->fd, made->file);
	kfree(made);
}

/* ---- OPEN ---- */

static int open_make(struct hpbuf_open *o, struct dev_made *made)
{
	int flags = o->flags & HPBUF_OPEN_RDONLY ? O_RDONLY : O_RDWR;
	struct buf *b;
	int fd;

	if (o->flags & ~HPBUF_OPEN_RDONLY || o->reserved || o->fd)
		return -EINVAL;
	if (!name_ok(o->name) || !o->id == !o->name[0])
		return -EINVAL;
	b = buf_find(o->id, o->name, false);
	if (!b)
		return -ENOENT;
	fd = buf_owned(b) ? open_fd(made, b, flags) : -EACCES;
	buf_put(b);
	if (fd < 0)
		return fd;
	o->fd = fd;
	return 0;
}

static long dev_open(struct file *file, void *arg, void **state)
{
	struct dev_made *made = made_new(state);
	int ret;

	if (!made)
		return -ENOMEM;
	ret = open_make(arg, made);
	if (ret)
		kfree(made);
	return ret;
}

static void open_undo(void *arg, void *state)
{
	const struct hpbuf_open *o = arg;

	made_undo(state, o->fd);
}

static void open_commit(void *arg, void *state)
{
	const struct hpbuf_open *o = arg;
	struct dev_made *made = state;

	fd_install(o->fd, made->file);
	kfree(made);
}

/* ---- FREE ---- */

static long dev_free(struct file *file, void *arg, void **state)
{
	struct hpbuf_free *f = arg;
	struct buf *b;
	int ret;

	if (f->reserved || f->busy || f->reserved2 || f->free_ns)
		return -EINVAL;
	b = f->id ? buf_find(f->id, NULL, false) : NULL;
	if (!b)
		return -ENOENT;
	ret = buf_owned(b) ? buf_unpersist(b) : -EACCES;
	if (!ret)
		buf_put(b);	/* the reference of HPBUF_ALLOC_PERSIST */
	f->free_ns = buf_put(b);
	f->busy = !ret && !f->free_ns;
	return ret;
}

static const struct arg_op dev_ops[] = {
	{
		.cmd = HPBUF_IOC_CAPS,
		.min = offsetofend(struct hpbuf_caps, page_shifts),
		.size = sizeof(struct hpbuf_caps),
		.run = dev_caps,
	}, {
		.cmd = HPBUF_IOC_ALLOC,
		.min = offsetofend(struct hpbuf_alloc, size),
		.size = sizeof(struct hpbuf_alloc),
		.run = dev_alloc,
		.undo = alloc_undo,
		.commit = alloc_commit,
	}, {
		.cmd = HPBUF_IOC_OPEN,
		.min = offsetofend(struct hpbuf_open, reserved),
		.size = sizeof(struct hpbuf_open),
		.run = dev_open,
		.undo = open_undo,
		.commit = open_commit,
	}, {
		.cmd = HPBUF_IOC_FREE,
		.min = offsetofend(struct hpbuf_free, id),
		.size = sizeof(struct hpbuf_free),
		.run = dev_free,
	},
};

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	return arg_dispatch(dev_ops, ARRAY_SIZE(dev_ops), file, cmd, user);
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = dev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice dev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "hpbuf",
	.fops = &dev_fops,
	.mode = 0660,
};

int dev_init(void)
{
	return misc_register(&dev_misc);
}

void dev_exit(void)
{
	misc_deregister(&dev_misc);
}
