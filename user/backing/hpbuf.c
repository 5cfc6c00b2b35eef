// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers of the module: a plain descriptor, so that nothing is left behind. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backing/backing.h"
#include "backing/hpbuf_alloc.h"
#include "measure/stop.h"
#include "module.h"

#define CHUNK_2M	(UINT64_C(64) << 20)
#define CHUNK_1G	(UINT64_C(1) << 30)

/* Look at an existing buffer: it decides the page size and the room there is. */
static int probe_buffer(struct backing *b, int dev, uint64_t asked, struct hp_error *e)
{
	struct hpbuf_info info = { 0 };
	int fd = hpbuf_open_id(dev, b->buffer, false), err;

	if (fd == -ENOENT) {
		hp_fail(e, HP_FAILED, ENOENT, "there is no buffer %u", b->buffer);
		return hp_hint(e, "hpctl list shows those there are");
	}
	if (fd < 0)
		return hp_fail(e, fd == -EACCES ? HP_PERMISSION : HP_FAILED, -fd,
			       "buffer %u: %s", b->buffer, strerror(-fd));
	err = hpbuf_info(fd, &info);
	close(fd);
	if (err)
		return hp_fail(e, HP_FAILED, -err, "buffer %u: %s", b->buffer, strerror(-err));
	b->page_shift = info.page_shift;
	b->buffer_bytes = info.size;
	if (asked > info.size)
		return hp_fail(e, HP_USAGE, 0, "buffer %u has %llu bytes, %llu were asked",
			       b->buffer, (unsigned long long)info.size,
			       (unsigned long long)asked);
	return HP_OK;
}

static int probe_hpbuf(struct backing *b, uint64_t asked, struct hp_error *e)
{
	struct hpbuf_caps caps = { 0 };
	int dev, ret = module_open(b->device, &caps, &dev, e);

	if (ret)
		return ret;
	if (b->buffer)
		ret = probe_buffer(b, dev, asked, e);
	close(dev);
	if (ret)
		return ret;
	if (!(caps.page_shifts >> b->page_shift & 1))
		return hp_fail(e, HP_UNSUPPORTED, EOPNOTSUPP,
			       "%s: this CPU, or virtual machine, has no 1 GiB pages", b->label);
	/* Such a mapping is refused, and lost at a refault if made before. */
	if (b->page_shift == 30 && thp_off_here(false)) {
		hp_fail(e, HP_UNSUPPORTED, EOPNOTSUPP,
			"%s: 1 GiB mappings need transparent huge pages not to be switched off for the process (PR_SET_THP_DISABLE, inherited)",
			b->label);
		return hp_hint(e, "start hpctl from a process that did not switch them off");
	}
	return HP_OK;
}

static int create_hpbuf(struct mapping *m, struct hp_error *e)
{
	const struct backing *b = m->b;
	struct hpbuf_alloc req = {
		.bytes = m->bytes,
		.page_shift = b->page_shift,
		.timeout_ms = b->timeout_ms,
	};
	struct hpbuf_info info = { 0 };
	struct hpbuf_caps caps;
	int dev, err, ret = module_open(b->device, &caps, &dev, e);

	if (ret)
		return ret;
	if (b->nodes)
		memcpy(req.nodes, b->nodes, sizeof(req.nodes));
	if (b->buffer) {
		m->fd = hpbuf_open_id(dev, b->buffer, false);
		if (m->fd < 0)
			ret = hp_fail(e, HP_FAILED, -m->fd, "%s: %s", b->label,
				      strerror(-m->fd));
	} else {
		err = hpbuf_alloc_stoppable(dev, &req, &m->create_ns);
		m->fd = err ? -1 : req.fd;
		if (!err && !hpbuf_info(m->fd, &info))
			m->create_threads_ns = info.thread_ns;
		if (err && !stop_error(e))
			module_alloc_failed(b->device, &req, err, e);
		ret = e->code;
	}
	close(dev);
	return ret;
}

static int map_hpbuf(struct mapping *m, struct hp_error *e)
{
	void *p = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);

	if (p == MAP_FAILED)
		return hp_fail(e, errno == EOPNOTSUPP ? HP_UNSUPPORTED : HP_FAILED, errno,
			       "%s: mmap of %llu bytes: %s", m->b->label,
			       (unsigned long long)m->bytes, strerror(errno));
	m->addr = m->region = p;
	m->region_bytes = m->bytes;
	return HP_OK;
}

static int populate_hpbuf(const struct mapping *m, unsigned char *addr, uint64_t len,
			  struct hp_error *e)
{
	uint64_t chunk = m->b->page_shift == 30 ? CHUNK_1G : CHUNK_2M;

	while (len && !stop_pending()) {
		uint64_t n = len < chunk ? len : chunk;
		int err = hpbuf_populate(m->fd, addr, n, NULL);

		if (err == -EINTR)
			continue;
		if (err)
			return hp_fail(e, HP_FAILED, -err, "%s: populate: %s", m->b->label,
				       strerror(-err));
		addr += n;
		len -= n;
	}
	return HP_OK;
}

/* INFO looks at the page tables too. smaps would drop 1 GiB leaves: never that. */
static bool census_hpbuf(const struct mapping *m, struct census *c)
{
	struct hpbuf_info info = { 0 };

	memset(c, 0, sizeof(*c));
	if (hpbuf_info(m->fd, &info))
		return false;
	c->pte = info.leaf_bytes_pte;
	c->pmd = info.leaf_bytes_pmd;
	c->pud = info.leaf_bytes_pud;
	c->none = info.leaf_bytes_none;
	c->by = "HPBUF_IOC_INFO";
	return true;
}

/* The kernel does not tell it of pages that a driver mapped; the module does. */
static bool place_hpbuf(const struct mapping *m, struct placement *p)
{
	struct hpbuf_info info = { 0 };

	memset(p, 0, sizeof(*p));
	if (hpbuf_info(m->fd, &info))
		return false;
	for (unsigned int n = 0; n < HPBUF_INFO_NODES && n < PLACEMENT_NODES; n++)
		p->pages[n] = info.node_pages[n];
	p->by = "HPBUF_IOC_INFO";
	return true;
}

static int destroy_hpbuf(struct mapping *m, struct hp_error *e)
{
	int ret = close(m->fd);

	m->fd = -1;
	if (ret)
		return hp_fail(e, HP_FAILED, errno, "%s: close: %s", m->b->label,
			       strerror(errno));
	return HP_OK;
}

const struct backing_ops backing_hpbuf_2m = {
	.name = "hpbuf-2m",
	.page_shift = 21,
	.module = true,
	.probe = probe_hpbuf,
	.create = create_hpbuf,
	.map = map_hpbuf,
	.populate = populate_hpbuf,
	.census = census_hpbuf,
	.place = place_hpbuf,
	.unmap = region_release,
	.destroy = destroy_hpbuf,
};

const struct backing_ops backing_hpbuf_1g = {
	.name = "hpbuf-1g",
	.page_shift = 30,
	.module = true,
	.probe = probe_hpbuf,
	.create = create_hpbuf,
	.map = map_hpbuf,
	.populate = populate_hpbuf,
	.census = census_hpbuf,
	.place = place_hpbuf,
	.unmap = region_release,
	.destroy = destroy_hpbuf,
};
