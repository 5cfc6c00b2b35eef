// SPDX-License-Identifier: MIT OR LGPL-2.1-or-later
/* The ioctls, with their outputs zeroed on the way in as the module demands. */
#include "libhpbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int do_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

int hpbuf_open_device(const char *path, struct hpbuf_caps *caps)
{
	struct hpbuf_caps own;
	int fd, ret;

	if (!caps)
		caps = &own;
	memset(caps, 0, sizeof(*caps));
	fd = open(path ? path : HPBUF_DEVICE, O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		/* ENXIO: a node is left over whose driver is gone. */
		return errno == ENXIO ? -ENODEV : -errno;
	ret = do_ioctl(fd, HPBUF_IOC_CAPS, caps);
	if (ret)
		goto err;
	caps->module_version[sizeof(caps->module_version) - 1] = '\0';
	if (caps->uapi_version != HPBUF_UAPI_VERSION) {
		ret = -EPROTO;
		goto err;
	}
	return fd;
err:
	close(fd);
	return ret;
}

int hpbuf_alloc(int dev, struct hpbuf_alloc *req)
{
	int ret;

	req->fd = 0;
	req->id = 0;
	req->size = 0;
	ret = do_ioctl(dev, HPBUF_IOC_ALLOC, req);
	/* So that a caller who closes it by mistake does not close stdin. */
	if (ret)
		req->fd = -1;
	return ret;
}

static int open_buffer(int dev, struct hpbuf_open *req, bool read_only)
{
	int ret;

	req->flags = read_only ? HPBUF_OPEN_RDONLY : 0;
	ret = do_ioctl(dev, HPBUF_IOC_OPEN, req);
	return ret ? ret : req->fd;
}

int hpbuf_open_id(int dev, uint32_t id, bool read_only)
{
	struct hpbuf_open req = { .id = id };

	return open_buffer(dev, &req, read_only);
}

int hpbuf_open_name(int dev, const char *name, bool read_only)
{
	struct hpbuf_open req = { 0 };
	size_t len = strlen(name);

	if (!len || len >= sizeof(req.name))
		return -EINVAL;
	memcpy(req.name, name, len);
	return open_buffer(dev, &req, read_only);
}

int hpbuf_free_id(int dev, uint32_t id, struct hpbuf_free *res)
{
	struct hpbuf_free own;

	if (!res)
		res = &own;
	memset(res, 0, sizeof(*res));
	res->id = id;
	return do_ioctl(dev, HPBUF_IOC_FREE, res);
}

int hpbuf_info(int fd, struct hpbuf_info *info)
{
	int ret;

	memset(info, 0, sizeof(*info));
	ret = do_ioctl(fd, HPBUF_IOC_INFO, info);
	info->name[sizeof(info->name) - 1] = '\0';
	return ret;
}

int hpbuf_populate(int fd, void *addr, size_t len, uint64_t *done)
{
	struct hpbuf_populate req = {
		.addr = (uintptr_t)addr,
		.len = len,
	};
	int ret;

	ret = do_ioctl(fd, HPBUF_IOC_POPULATE, &req);
	if (done)
		*done = req.done;
	return ret;
}
