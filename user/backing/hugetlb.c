// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages of the kernel's hugetlb pools: anonymous, or files of a mounted hugetlbfs.
 *
 * mmap() without MAP_NORESERVE promises pages of the pool, but a hugetlb cgroup
 * may still refuse them at the first touch, by SIGBUS. So every page is faulted
 * in by a call that returns an error instead, before anything is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mman.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backing/backing.h"
#include "backing/pool.h"
#include "measure/cgroup.h"
#include "measure/stop.h"
#include "nodes.h"

static int short_of_pages(const struct backing *b, uint64_t need, struct hp_error *e)
{
	const char *name = b->page_shift == 30 ? "1G" : "2M";
	uint64_t mask[HP_NODE_WORDS];
	struct pool p = { 0 };
	char list[64];

	pool_read(b->page_shift, &p);
	if (b->nodes) {
		memcpy(mask, b->nodes, sizeof(mask));
		hp_fail(e, HP_RESOURCE, ENOMEM,
			"%s: needs %llu pages of %s, the hugetlb pool has %llu free on node %s",
			b->label, (unsigned long long)need, name,
			(unsigned long long)pool_avail_on(b->page_shift, b->nodes),
			nodes_text(mask, list, sizeof(list)));
	} else {
		hp_fail(e, HP_RESOURCE, ENOMEM,
			"%s: needs %llu pages of %s, the hugetlb pool has %llu, free %llu, reserved %llu",
			b->label, (unsigned long long)need, name, (unsigned long long)p.nr,
			(unsigned long long)p.free, (unsigned long long)p.resv);
	}
	return hp_hint(e, "--reserve fills the pool for the run, as root, and puts it back");
}

/* What a cgroup leaves is less: it would be a SIGBUS at the first touch. */
static int check_cgroup(const struct backing *b, uint64_t bytes, struct hp_error *e)
{
	struct cgroup_limit l;

	if (!cgroup_hugetlb(b->page_shift, &l) || bytes <= cgroup_room(&l))
		return HP_OK;
	hp_fail(e, HP_RESOURCE, ENOMEM,
		"%s: limited by the hugetlb cgroup %s: limit %llu bytes, used %llu, needs %llu",
		b->label, l.dir, (unsigned long long)l.bytes, (unsigned long long)l.used,
		(unsigned long long)bytes);
	return hp_hint(e, "raise the limit or start hpctl outside that cgroup");
}

static int probe_pool(struct backing *b, uint64_t asked, struct hp_error *e)
{
	uint64_t bytes, need, more = 0;
	struct pool p;

	if (!pool_read(b->page_shift, &p)) {
		hp_fail(e, HP_UNSUPPORTED, 0, "%s: no hugetlb pages of %s here", b->label,
			b->page_shift == 30 ? "1 GiB" : "2 MiB");
		return hp_hint(e, b->page_shift == 30 ?
			       "the CPU, or the virtual machine, must offer 1 GiB pages (flag pdpe1gb)" :
			       "the kernel needs CONFIG_HUGETLBFS");
	}
	if (!backing_round(b, asked, &bytes))
		return hp_fail(e, HP_USAGE, EOVERFLOW, "%s: size too large", b->label);
	if (check_cgroup(b, bytes, e))
		return e->code;
	need = bytes >> b->page_shift;
	/* Pages over the pool's size may be had from the system as they are needed. */
	if (p.overcommit > p.surplus)
		more = p.overcommit - p.surplus;
	if (need > pool_avail_on(b->page_shift, b->nodes) + more)
		return short_of_pages(b, need, e);
	return HP_OK;
}

static int probe_fs(struct backing *b, uint64_t asked, struct hp_error *e)
{
	struct statfs sf;

	if (statfs(b->path, &sf))
		return hp_fail(e, errno == EACCES ? HP_PERMISSION : HP_UNSUPPORTED, errno,
			       "%s: %s", b->label, strerror(errno));
	if (sf.f_type != HUGETLBFS_MAGIC) {
		hp_fail(e, HP_UNSUPPORTED, 0, "%s: not in a mounted hugetlbfs", b->label);
		return hp_hint(e, "mount -t hugetlbfs -o pagesize=1G none DIR");
	}
	b->page_shift = (unsigned int)__builtin_ctzl((unsigned long)sf.f_bsize);
	return probe_pool(b, asked, e);
}

/* The size field is a number, the shift; without it the default size is used. */
static int size_flag(unsigned int page_shift)
{
	return (int)(page_shift << MAP_HUGE_SHIFT);
}

/* Not had, though the pool seemed to have them: a cgroup's limit, or a race. */
static int no_pages(const struct mapping *m, int err, struct hp_error *e)
{
	uint64_t bytes = m->bytes;
	struct cgroup_limit l;

	/* What was faulted in until then is in use by ourselves. */
	if (cgroup_hugetlb(m->b->page_shift, &l) && l.used + bytes > l.bytes)
		return check_cgroup(m->b, bytes, e);
	short_of_pages(m->b, bytes >> m->b->page_shift, e);
	e->err = err;
	return e->code;
}

static int map_failed(const struct mapping *m, int err, struct hp_error *e)
{
	if (err == ENOMEM)
		return no_pages(m, err, e);
	return hp_fail(e, err == EACCES || err == EPERM ? HP_PERMISSION : HP_UNSUPPORTED, err,
		       "%s: mmap of %llu bytes: %s", m->b->label,
		       (unsigned long long)m->bytes, strerror(err));
}

static void note_pool(struct mapping *m)
{
	struct pool p = { 0 };

	pool_read(m->b->page_shift, &p);
	m->pool_before = p.free;
}

static int map_pool(struct mapping *m, struct hp_error *e)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size_flag(m->b->page_shift);
	void *p = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (p == MAP_FAILED)
		return map_failed(m, errno, e);
	m->addr = m->region = p;
	m->region_bytes = m->bytes;
	return HP_OK;
}

static int map_fs(struct mapping *m, struct hp_error *e)
{
	char name[300];
	void *p;
	int ret;

	snprintf(name, sizeof(name), "%s/hpctl.XXXXXX", m->b->path);
	m->fd = mkostemp(name, O_CLOEXEC);
	if (m->fd < 0)
		return hp_fail(e, errno == EACCES || errno == EPERM ? HP_PERMISSION : HP_FAILED,
			       errno, "%s: no file can be made: %s", m->b->label,
			       strerror(errno));
	/* Gone with its last user, whatever ends that. */
	unlink(name);
	if (ftruncate(m->fd, (off_t)m->bytes)) {
		ret = hp_fail(e, HP_RESOURCE, errno, "%s: %s", m->b->label, strerror(errno));
		goto err;
	}
	p = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (p == MAP_FAILED) {
		ret = map_failed(m, errno, e);
		goto err;
	}
	m->addr = m->region = p;
	m->region_bytes = m->bytes;
	return HP_OK;
err:
	close(m->fd);
	m->fd = -1;
	return ret;
}

/*
 * Before 5.14: a child touches the pages. For a file it faults them in for the
 * parent too; for private memory it only finds out whether they can be had.
 */
static int populate_by_child(unsigned char *addr, uint64_t len, uint64_t page)
{
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (!pid) {
		signal(SIGBUS, SIG_DFL);
		for (uint64_t at = 0; at < len; at += page)
			*(volatile unsigned char *)(addr + at) = 1;
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return EFAULT;
	for (uint64_t at = 0; at < len && !stop_pending(); at += page)
		*(volatile unsigned char *)(addr + at) = 1;
	return 0;
}

static int populate_pool(const struct mapping *m, unsigned char *addr, uint64_t len,
			 struct hp_error *e)
{
	uint64_t page = backing_page(m->b), chunk = page;
	int err;

	if (chunk < 64 << 20)
		chunk = 64 << 20;
	err = populate_write(addr, len, chunk);
	if (err == EINVAL)
		err = populate_by_child(addr, len, page);
	if (!err)
		return HP_OK;
	return no_pages(m, err, e);
}

/* smaps, or the walk, names the pages; the pool they came from has fewer now. */
static int verify_pool(const struct mapping *m, const char **how, struct hp_error *e)
{
	struct pool p;

	(void)e;
	if (pool_read(m->b->page_shift, &p) &&
	    p.free + (m->bytes >> m->b->page_shift) <= m->pool_before)
		*how = "pool";
	return HP_OK;
}

static int unmap_pool(struct mapping *m, struct hp_error *e)
{
	int ret = region_release(m, e);

	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	return ret;
}

const struct backing_ops backing_hugetlb_2m = {
	.name = "hugetlb-2m",
	.page_shift = 21,
	.pool = true,
	.probe = probe_pool,
	.note = note_pool,
	.map = map_pool,
	.populate = populate_pool,
	.verify = verify_pool,
	.unmap = unmap_pool,
};

const struct backing_ops backing_hugetlb_1g = {
	.name = "hugetlb-1g",
	.page_shift = 30,
	.pool = true,
	.probe = probe_pool,
	.note = note_pool,
	.map = map_pool,
	.populate = populate_pool,
	.verify = verify_pool,
	.unmap = unmap_pool,
};

const struct backing_ops backing_hugetlbfs = {
	.name = "hugetlbfs:",
	.pool = true,
	.probe = probe_fs,
	.note = note_pool,
	.map = map_fs,
	.populate = populate_pool,
	.verify = verify_pool,
	.unmap = unmap_pool,
};
