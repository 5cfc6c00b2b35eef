// SPDX-License-Identifier: GPL-2.0-or-later
#include "backing/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backing/pool.h"
#include "measure/proc.h"

/* Node ~0 stands for the machine where the kernel has no nodes. */
#define WHOLE	(~0U)

static void nr_path(char *buf, size_t size, unsigned int node, unsigned int page_shift)
{
	unsigned long kb = 1UL << (page_shift - 10);

	if (node == WHOLE)
		snprintf(buf, size, "/sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages", kb);
	else
		snprintf(buf, size,
			 "/sys/devices/system/node/node%u/hugepages/hugepages-%lukB/nr_hugepages",
			 node, kb);
}

/* Returns 0 or a positive errno. That it took effect is for the reader to see. */
static int put_nr(unsigned int node, unsigned int page_shift, uint64_t pages)
{
	char path[160];
	int fd, err = 0;

	nr_path(path, sizeof(path), node, page_shift);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (dprintf(fd, "%" PRIu64 "\n", pages) < 0)
		err = errno;
	close(fd);
	return err;
}

static bool journal_path(char *buf, size_t size)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (!geteuid())
		dir = "/run";
	if (!dir || *dir != '/')
		return false;
	return snprintf(buf, size, "%s/hpctl/pools", dir) < (int)size;
}

/*
 * Open and lock. Whoever held it may have removed the file meanwhile; then the
 * lock is on nothing and the name is opened anew. Returns -EWOULDBLOCK when a
 * run holds it.
 */
static int journal_lock(const char *path, int flags)
{
	for (;;) {
		int fd = open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600), err;
		struct stat st;

		if (fd < 0)
			return -errno;
		if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &st)) {
			err = errno;
			close(fd);
			return -err;
		}
		/* Anything else than a file is not ours, and a pipe would hang. */
		if (!S_ISREG(st.st_mode)) {
			close(fd);
			return -EINVAL;
		}
		if (st.st_nlink)
			return fd;
		close(fd);
	}
}

static int journal_write(const struct reserve *r)
{
	char text[8192];
	size_t len = 0;

	for (unsigned int i = 0; i < r->nr; i++) {
		const struct reserve_pool *p = &r->pool[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"pool %u %" PRIu64 " %" PRIu64 "\n", p->page_shift,
					p->former, p->wanted);
		for (unsigned int n = 0; n < p->nr_nodes && len < sizeof(text) - 64; n++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"node %u %" PRIu64 "\n", p->nodes[n].node,
						p->nodes[n].former);
	}
	if (ftruncate(r->lock, 0) || pwrite(r->lock, text, len, 0) != (ssize_t)len ||
	    fsync(r->lock))
		return errno ? errno : EIO;
	return 0;
}

static void journal_read(int fd, struct reserve *r)
{
	FILE *f = fdopen(dup(fd), "r");
	struct reserve_pool *p = NULL;
	char line[128];

	r->nr = 0;
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		unsigned int a;
		uint64_t x, y;

		if (sscanf(line, "pool %u %" SCNu64 " %" SCNu64, &a, &x, &y) == 3 &&
		    r->nr < RESERVE_SIZES && (a == 21 || a == 30)) {
			p = &r->pool[r->nr++];
			memset(p, 0, sizeof(*p));
			p->page_shift = a;
			p->former = x;
			p->wanted = y;
		} else if (p && sscanf(line, "node %u %" SCNu64, &a, &x) == 2 &&
			   p->nr_nodes < RESERVE_NODES) {
			p->nodes[p->nr_nodes].node = a;
			p->nodes[p->nr_nodes++].former = x;
		}
	}
	fclose(f);
}

static int restore_pool(const struct reserve_pool *p, struct hp_error *e)
{
	struct pool now = { 0 };
	int err = 0;

	for (unsigned int n = 0; n < p->nr_nodes; n++) {
		int ret = put_nr(p->nodes[n].node, p->page_shift, p->nodes[n].former);

		err = err ? err : ret;
	}
	pool_read(p->page_shift, &now);
	if (now.nr == p->former)
		return HP_OK;
	hp_fail(e, HP_FAILED, err,
		"the hugetlb pool of %s pages could not be put back: it had %" PRIu64 ", it has %" PRIu64 "%s%s",
		p->page_shift == 30 ? "1G" : "2M", p->former, now.nr, err ? ": " : "",
		err ? strerror(err) : "");
	return hp_hint(e, "echo %" PRIu64 " > /sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages",
		       p->former, 1UL << (p->page_shift - 10));
}

void reserve_recover(char *note, size_t size)
{
	struct reserve r = { .lock = -1 };
	struct hp_error e = { 0 };
	unsigned int back = 0, left = 0;
	int fd;

	*note = '\0';
	if (!journal_path(r.journal, sizeof(r.journal)))
		return;
	fd = journal_lock(r.journal, 0);
	if (fd < 0)
		return;
	journal_read(fd, &r);
	for (unsigned int i = 0; i < r.nr; i++) {
		struct pool now = { 0 };

		/* Someone may have set the pool since: then it is not ours. */
		pool_read(r.pool[i].page_shift, &now);
		if (now.nr <= r.pool[i].former || now.nr > r.pool[i].wanted)
			left++;
		else if (restore_pool(&r.pool[i], &e))
			left++;
		else
			back++;
	}
	unlink(r.journal);
	close(fd);
	if (e.code)
		snprintf(note, size, "an earlier run was killed; %s", e.message);
	else if (back)
		snprintf(note, size, "an earlier run was killed; %u hugetlb pool(s) put back%s",
			 back, left ? ", another was changed since and left alone" : "");
	else if (left)
		snprintf(note, size,
			 "an earlier run was killed; its hugetlb pools were changed since and left alone");
}

static int start_journal(struct reserve *r, struct hp_error *e)
{
	char dir[256];

	if (r->lock >= 0)
		return HP_OK;
	if (!journal_path(r->journal, sizeof(r->journal)))
		return hp_fail(e, HP_PERMISSION, 0, "--reserve needs root");
	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(r->journal, '/') - r->journal),
		 r->journal);
	if (mkdir(dir, 0700) && errno != EEXIST)
		return hp_fail(e, HP_FAILED, errno, "no journal can be kept: %s: %s", dir,
			       strerror(errno));
	r->lock = journal_lock(r->journal, O_CREAT);
	if (r->lock == -EWOULDBLOCK)
		return hp_fail(e, HP_RESOURCE, EBUSY, "another run holds --reserve");
	if (r->lock < 0)
		return hp_fail(e, HP_FAILED, -r->lock, "no journal can be kept: %s: %s",
			       r->journal, strerror(-r->lock));
	return HP_OK;
}

static void note_nodes(struct reserve_pool *p)
{
	char path[160];
	uint64_t nr;

	for (unsigned int n = 0; n < 1024 && p->nr_nodes < RESERVE_NODES; n++) {
		nr_path(path, sizeof(path), n, p->page_shift);
		if (proc_u64(path, &nr)) {
			p->nodes[p->nr_nodes].node = n;
			p->nodes[p->nr_nodes++].former = nr;
		}
	}
	if (!p->nr_nodes) {
		p->nodes[0].node = WHOLE;
		p->nodes[0].former = p->former;
		p->nr_nodes = 1;
	}
}

int reserve_fill(struct reserve *r, unsigned int page_shift, uint64_t pages,
		 struct hp_error *e)
{
	struct reserve_pool *p = &r->pool[r->nr];
	struct pool now;
	uint64_t asked;
	int err, ret;

	if (!pool_read(page_shift, &now) || pool_avail(&now) >= pages || r->nr == RESERVE_SIZES)
		return HP_OK;
	ret = start_journal(r, e);
	if (ret)
		return ret;
	memset(p, 0, sizeof(*p));
	asked = pages - pool_avail(&now);
	p->page_shift = page_shift;
	p->former = now.nr;
	p->wanted = now.nr + asked;
	note_nodes(p);
	r->nr++;
	err = journal_write(r);
	if (err)
		return hp_fail(e, HP_FAILED, err, "no journal can be kept: %s: %s", r->journal,
			       strerror(err));
	err = put_nr(WHOLE, page_shift, p->wanted);
	if (!pool_read(page_shift, &now))
		return hp_fail(e, HP_FAILED, 0, "the hugetlb pool cannot be read back");
	if (pool_avail(&now) >= pages)
		return HP_OK;
	if (err == EACCES || err == EPERM)
		return hp_fail(e, HP_PERMISSION, err, "--reserve: the hugetlb pool: %s",
			       strerror(err));
	hp_fail(e, HP_RESOURCE, err ? err : ENOMEM,
		"--reserve: asked %" PRIu64 " more pages of %s, got %" PRIu64, asked,
		page_shift == 30 ? "1G" : "2M", now.nr > p->former ? now.nr - p->former : 0);
	return hp_hint(e, "memory is short or fragmented: ask for less, or reserve pages at boot");
}

int reserve_restore(struct reserve *r, struct hp_error *e)
{
	int ret = HP_OK;

	while (r->nr) {
		int one = restore_pool(&r->pool[--r->nr], e);

		ret = one ? one : ret;
	}
	if (r->lock >= 0) {
		unlink(r->journal);
		close(r->lock);
		r->lock = -1;
	}
	return ret;
}
