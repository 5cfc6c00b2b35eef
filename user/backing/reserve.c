// SPDX-License-Identifier: GPL-2.0-or-later
#include "backing/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backing/journal.h"
#include "backing/pool.h"
#include "nodes.h"

static const char *size_name(unsigned int page_shift)
{
	return page_shift == 30 ? "1G" : "2M";
}

static void nr_path(char *buf, size_t size, int node, unsigned int page_shift)
{
	unsigned long kb = 1UL << (page_shift - 10);

	if (node == JOURNAL_WHOLE)
		snprintf(buf, size, "/sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages", kb);
	else
		snprintf(buf, size,
			 "/sys/devices/system/node/node%d/hugepages/hugepages-%lukB/nr_hugepages",
			 node, kb);
}

/* Returns 0 or a positive errno. That it took effect is for the reader to see. */
static int put_nr(int node, unsigned int page_shift, uint64_t pages)
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

/*
 * Pages that somebody set. Surplus pages come and go by themselves as programs use
 * them, and count in nr_hugepages all the same.
 */
static bool get_nr(int node, unsigned int page_shift, uint64_t *pages)
{
	struct pool p;

	if (node == JOURNAL_WHOLE ? !pool_read(page_shift, &p) :
	    !pool_node_read((unsigned int)node, page_shift, &p))
		return false;
	*pages = p.nr - p.surplus;
	return true;
}

/* ---- putting back ---- */

/** struct tally - nodes of a pool by what became of them */
struct tally {
	unsigned int back, ours, left, failed;
	int err, node;
	uint64_t now, former;
};

/* What is there now can be our doing: what we left, or a fill that was cut short. */
static bool is_ours(const struct reserve_pool *p, unsigned int n, uint64_t now)
{
	if (p->known)
		return now == p->nodes[n].got;
	return now > p->nodes[n].former && now - p->nodes[n].former <= p->wanted - p->former;
}

static void restore_node(const struct reserve_pool *p, unsigned int n, bool dry, struct tally *t)
{
	int node = p->nodes[n].node;
	uint64_t former = p->nodes[n].former, now;

	if (!get_nr(node, p->page_shift, &now))
		now = ~UINT64_C(0);
	if (now == former)
		return;
	if (is_ours(p, n, now)) {
		t->ours++;
		if (dry)
			return;
		t->err = put_nr(node, p->page_shift, former);
		if (get_nr(node, p->page_shift, &now) && now == former) {
			t->back++;
			return;
		}
		t->failed++;
	} else {
		t->left++;
	}
	t->node = node;
	t->now = now;
	t->former = former;
}

static void how_to(const struct reserve_pool *p, const struct tally *t, struct hp_error *e)
{
	char path[160];

	nr_path(path, sizeof(path), t->node, p->page_shift);
	hp_hint(e, "echo %" PRIu64 " > %s", t->former, path);
}

static int restore_pool(const struct reserve_pool *p, bool dry, struct tally *t,
			struct hp_error *e)
{
	memset(t, 0, sizeof(*t));
	for (unsigned int n = 0; n < p->nr_nodes; n++)
		restore_node(p, n, dry, t);
	if (!t->failed)
		return HP_OK;
	hp_fail(e, HP_FAILED, t->err,
		"the hugetlb pool of %s pages could not be put back: it had %" PRIu64 ", it has %" PRIu64 "%s%s",
		size_name(p->page_shift), t->former, t->now, t->err ? ": " : "",
		t->err ? strerror(t->err) : "");
	how_to(p, t, e);
	return e->code;
}

/* @when: "since" or "meanwhile" */
static void say_left(const struct reserve_pool *p, const struct tally *t, const char *before,
		     const char *when, struct hp_error *note)
{
	hp_fail(note, HP_OK, 0,
		"%sthe hugetlb pool of %s pages was changed %s, to %" PRIu64 ", and is left alone; it had %" PRIu64 " before",
		before, size_name(p->page_shift), when, t->now, t->former);
	how_to(p, t, note);
}

static void recover_all(const struct reserve *r, bool dry, struct hp_error *note)
{
	static const char killed[] = "an earlier run was killed; ";
	struct hp_error e = { 0 };
	unsigned int back = 0;
	struct tally t;

	for (unsigned int i = 0; i < r->nr; i++) {
		if (restore_pool(&r->pool[i], dry, &t, &e)) {
			hp_fail(note, HP_OK, 0, "%s%.250s", killed, e.message);
			hp_hint(note, "%s", e.hint);
		} else if (t.left) {
			say_left(&r->pool[i], &t, killed, "since", note);
		}
		back += t.ours && !t.failed;
	}
	if (*note->message)
		return;
	if (back)
		hp_fail(note, HP_OK, 0, "%s%u hugetlb pool(s) %s", killed, back,
			dry ? "would be put back" : "put back");
	else
		hp_fail(note, HP_OK, 0,
			"an earlier run was killed before it changed a hugetlb pool: nothing to put back");
}

static void say_torn(const char *path, struct hp_error *e)
{
	hp_fail(e, HP_FAILED, 0,
		"the journal %s of an earlier run is damaged: hugetlb pools were left as they are",
		path);
	hp_hint(e, "see that /sys/kernel/mm/hugepages/*/nr_hugepages are right, then remove the file");
}

bool reserve_recover(bool dry, struct hp_error *note)
{
	struct reserve r = { .lock = -1 };
	int fd;

	memset(note, 0, sizeof(*note));
	if (!journal_path(r.journal, sizeof(r.journal)))
		return false;
	fd = journal_lock(r.journal, false);
	if (fd == -EINVAL || fd == -ELOOP) {
		hp_fail(note, HP_OK, 0, "the journal %s is no regular file and was not read",
			r.journal);
		hp_hint(note, "remove it, if no run of hpctl is under way");
		return true;
	}
	if (fd < 0)
		return false;
	switch (journal_read(fd, &r)) {
	case JOURNAL_TORN:
		say_torn(r.journal, note);
		break;
	case JOURNAL_READ:
		recover_all(&r, dry, note);
		/* Fall through. */
	case JOURNAL_EMPTY:
		if (!dry)
			unlink(r.journal);
		break;
	}
	close(fd);
	return *note->message;
}

/* ---- filling ---- */

/* Whatever is in the journal, the start of this command has let stand. */
static int check_empty(struct reserve *r, struct hp_error *e)
{
	struct stat st;

	if (fstat(r->lock, &st) || !st.st_size)
		return HP_OK;
	say_torn(r->journal, e);
	close(r->lock);
	r->lock = -1;
	return e->code;
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
	r->lock = journal_lock(r->journal, true);
	if (r->lock == -EWOULDBLOCK) {
		hp_fail(e, HP_RESOURCE, EBUSY, "another run holds --reserve");
		return hp_hint(e, "wait for its end, or take backings that need no pool (-b)");
	}
	if (r->lock < 0)
		return hp_fail(e, HP_FAILED, -r->lock, "no journal can be kept: %s: %s",
			       r->journal, strerror(-r->lock));
	return check_empty(r, e);
}

static void note_nodes(struct reserve_pool *p)
{
	uint64_t nr;

	for (unsigned int n = 0; n < HP_NODES_MAX && p->nr_nodes < RESERVE_NODES; n++) {
		if (get_nr((int)n, p->page_shift, &nr)) {
			p->nodes[p->nr_nodes].node = (int)n;
			p->nodes[p->nr_nodes++].former = nr;
		}
	}
	if (!p->nr_nodes) {
		p->nodes[0].node = JOURNAL_WHOLE;
		p->nodes[0].former = p->former;
		p->nr_nodes = 1;
	}
}

static bool is_on(const struct reserve_pool *p, unsigned int n, const uint64_t *nodes)
{
	return p->nodes[n].node == JOURNAL_WHOLE ||
	       nodes_has(nodes, (unsigned int)p->nodes[n].node);
}

/* What one node does not have the next ones may. */
static int fill_nodes(const struct reserve_pool *p, uint64_t asked, const uint64_t *nodes)
{
	unsigned int left = 0;
	int err = 0, ret;

	for (unsigned int n = 0; n < p->nr_nodes; n++)
		left += is_on(p, n, nodes);
	for (unsigned int n = 0; n < p->nr_nodes && asked; n++) {
		uint64_t part, now = p->nodes[n].former;

		if (!is_on(p, n, nodes))
			continue;
		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): counted above */
		part = (asked + left - 1) / left;
		left--;
		ret = put_nr(p->nodes[n].node, p->page_shift, now + part);
		err = err ? err : ret;
		get_nr(p->nodes[n].node, p->page_shift, &now);
		if (now > p->nodes[n].former)
			part = now - p->nodes[n].former;
		else
			part = 0;
		asked -= part < asked ? part : asked;
	}
	return err;
}

static int fill(struct reserve *r, struct reserve_pool *p, uint64_t asked, const uint64_t *nodes,
		int *err, struct hp_error *e)
{
	*err = journal_begun(r->lock, p);
	if (*err)
		return hp_fail(e, HP_FAILED, *err, "no journal can be kept: %s: %s", r->journal,
			       strerror(*err));
	r->nr++;
	*err = nodes ? fill_nodes(p, asked, nodes) :
	       put_nr(JOURNAL_WHOLE, p->page_shift, p->wanted);
	for (unsigned int n = 0; n < p->nr_nodes; n++)
		if (!get_nr(p->nodes[n].node, p->page_shift, &p->nodes[n].got))
			return hp_fail(e, HP_FAILED, 0, "the hugetlb pool cannot be read back");
	p->known = true;
	/* Without it the next start judges by what was asked for. */
	journal_got(r->lock, p);
	return HP_OK;
}

int reserve_fill(struct reserve *r, unsigned int page_shift, uint64_t pages,
		 const uint64_t *nodes, struct hp_error *e)
{
	struct reserve_pool *p = &r->pool[r->nr];
	uint64_t asked, avail = pool_avail_on(page_shift, nodes), got = 0;
	struct pool now;
	int err, ret;

	if (!pool_read(page_shift, &now) || avail >= pages || r->nr == RESERVE_SIZES)
		return HP_OK;
	ret = start_journal(r, e);
	if (ret)
		return ret;
	memset(p, 0, sizeof(*p));
	asked = pages - avail;
	p->page_shift = page_shift;
	p->former = now.nr - now.surplus;
	p->wanted = p->former + asked;
	note_nodes(p);
	ret = fill(r, p, asked, nodes, &err, e);
	if (ret || pool_avail_on(page_shift, nodes) >= pages)
		return ret;
	if (err == EACCES || err == EPERM)
		return hp_fail(e, HP_PERMISSION, err, "--reserve: the hugetlb pool: %s",
			       strerror(err));
	for (unsigned int n = 0; n < p->nr_nodes; n++)
		if (p->nodes[n].got > p->nodes[n].former)
			got += p->nodes[n].got - p->nodes[n].former;
	hp_fail(e, HP_RESOURCE, err ? err : ENOMEM,
		"--reserve: asked %" PRIu64 " more pages of %s, got %" PRIu64, asked,
		size_name(page_shift), got);
	return hp_hint(e, "memory is short or fragmented: ask for less, or reserve pages at boot");
}

int reserve_restore(struct reserve *r, struct hp_error *note, struct hp_error *e)
{
	struct hp_error one = { 0 };
	struct tally t;

	while (r->nr) {
		const struct reserve_pool *p = &r->pool[--r->nr];

		if (restore_pool(p, false, &t, &one))
			*e = one;
		else if (t.left)
			say_left(p, &t, "", "meanwhile", note);
	}
	if (r->lock >= 0) {
		unlink(r->journal);
		close(r->lock);
		r->lock = -1;
	}
	return e->code;
}
