// SPDX-License-Identifier: GPL-2.0-or-later
#include "backing/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/proc.h"

#define HEAD		"hpctl-pools 1 "
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"

bool journal_path(char *buf, size_t size)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (!geteuid())
		dir = "/run";
	if (!dir || *dir != '/')
		return false;
	return snprintf(buf, size, "%s/hpctl/pools", dir) < (int)size;
}

/*
 * Whoever held the lock may have removed the file meanwhile; then the lock is on
 * nothing and the name is opened anew.
 */
int journal_lock(const char *path, bool create)
{
	int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

	for (;;) {
		int fd = open(path, flags | (create ? O_CREAT : 0), 0600), err;
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

static int append(int fd, const char *text, size_t len)
{
	errno = 0;
	if (write(fd, text, len) != (ssize_t)len || fsync(fd))
		return errno ? errno : EIO;
	return 0;
}

int journal_begun(int fd, const struct reserve_pool *p)
{
	char text[8192], boot[64] = "unknown";
	size_t len = 0;
	struct stat st;

	if (fstat(fd, &st))
		return errno;
	if (!st.st_size) {
		proc_text(BOOT_ID, boot, sizeof(boot));
		len = (size_t)snprintf(text, sizeof(text), HEAD "%s\n", boot);
	}
	len += (size_t)snprintf(text + len, sizeof(text) - len,
				"pool %u %" PRIu64 " %" PRIu64 "\n", p->page_shift, p->former,
				p->wanted);
	/* RESERVE_NODES lines of at most 40 characters leave room. */
	for (unsigned int n = 0; n < p->nr_nodes; n++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "node %d %" PRIu64 "\n",
					p->nodes[n].node, p->nodes[n].former);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "end %u\n", p->page_shift);
	return append(fd, text, len);
}

int journal_got(int fd, const struct reserve_pool *p)
{
	char text[8192];
	size_t len = 0;

	for (unsigned int n = 0; n < p->nr_nodes; n++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"got %u %d %" PRIu64 "\n", p->page_shift,
					p->nodes[n].node, p->nodes[n].got);
	return append(fd, text, len);
}

/** struct reading - a journal that is being read; @open: its last record is not whole */
struct reading {
	struct reserve *r;
	bool open;
};

static struct reserve_pool *last(struct reading *in)
{
	return in->r->nr ? &in->r->pool[in->r->nr - 1] : NULL;
}

static bool take_got(struct reserve *r, unsigned int shift, int node, uint64_t pages)
{
	for (unsigned int i = 0; i < r->nr; i++) {
		struct reserve_pool *p = &r->pool[i];

		for (unsigned int n = 0; p->page_shift == shift && n < p->nr_nodes; n++) {
			if (p->nodes[n].node != node)
				continue;
			p->nodes[n].got = pages;
			p->known = true;
			return true;
		}
	}
	return false;
}

/* One line, whole to its last character; false: it is none of ours, or misplaced. */
static bool take_line(struct reading *in, const char *line)
{
	struct reserve_pool *p = last(in);
	unsigned int shift;
	uint64_t x, y;
	int node, end = 0;

	if (sscanf(line, "pool %u %" SCNu64 " %" SCNu64 "%n", &shift, &x, &y, &end) == 3) {
		if (in->open || in->r->nr == RESERVE_SIZES || (shift != 21 && shift != 30))
			return false;
		p = &in->r->pool[in->r->nr++];
		memset(p, 0, sizeof(*p));
		p->page_shift = shift;
		p->former = x;
		p->wanted = y;
		in->open = true;
	} else if (sscanf(line, "node %d %" SCNu64 "%n", &node, &x, &end) == 2) {
		if (!in->open || p->nr_nodes == RESERVE_NODES)
			return false;
		p->nodes[p->nr_nodes].node = node;
		p->nodes[p->nr_nodes++].former = x;
	} else if (sscanf(line, "end %u%n", &shift, &end) == 1) {
		if (!in->open || p->page_shift != shift || !p->nr_nodes)
			return false;
		in->open = false;
	} else if (sscanf(line, "got %u %d %" SCNu64 "%n", &shift, &node, &x, &end) == 3) {
		if (in->open || !take_got(in->r, shift, node, x))
			return false;
	}
	return end && !strcmp(line + end, "\n");
}

enum journal_state journal_read(int fd, struct reserve *r)
{
	struct reading in = { .r = r };
	char line[128], boot[64] = "unknown";
	bool good = true, other = false;
	int copy;
	FILE *f;

	r->nr = 0;
	lseek(fd, 0, SEEK_SET);
	copy = dup(fd);
	if (copy < 0)
		return JOURNAL_TORN;
	f = fdopen(copy, "r");
	if (!f) {
		close(copy);
		return JOURNAL_TORN;
	}
	if (!fgets(line, sizeof(line), f)) {
		fclose(f);
		return JOURNAL_EMPTY;
	}
	proc_text(BOOT_ID, boot, sizeof(boot));
	good = !strncmp(line, HEAD, strlen(HEAD)) && strchr(line, '\n');
	line[strcspn(line, "\n")] = '\0';
	other = good && strcmp(line + strlen(HEAD), boot);
	while (good && fgets(line, sizeof(line), f))
		good = take_line(&in, line);
	fclose(f);
	if (other)
		return JOURNAL_EMPTY;
	return good && !in.open && r->nr ? JOURNAL_READ : JOURNAL_TORN;
}
