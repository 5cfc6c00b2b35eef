// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hugetlb cgroup's limit is named, with limit and use: before anything is mapped, and
 * when it is met only while pages are faulted in, where the kernel's own answer would be
 * SIGBUS at the first touch.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/backing/backing.h"
#include "../../user/backing/pool.h"

#define POOL	"/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define PAGES	8

static bool put(const char *dir, const char *file, unsigned long long n)
{
	char path[300];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY);
	ok = fd >= 0 && dprintf(fd, "%llu", n) > 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool has(const char *dir, const char *file)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return !access(path, W_OK);
}

FIXTURE(group)
{
	char root[64], dir[96];
	const char *limit;
	uint64_t former;
	struct backing b;
	struct mapping m;
};

/* A mount of its own of whichever version the kernel gives the controller to. */
FIXTURE_SETUP(group)
{
	struct hp_error e = { 0 };
	struct pool p;

	snprintf(self->root, sizeof(self->root), "/tmp/hpctl-cgroup.XXXXXX");
	if (geteuid() || !pool_read(21, &p))
		SKIP(return, "needs root and hugetlb pages of 2 MiB");
	ASSERT_NE(NULL, mkdtemp(self->root));
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	self->limit = "hugetlb.2MB.limit_in_bytes";
	if (mount("none", self->root, "cgroup", 0, "hugetlb")) {
		self->limit = "hugetlb.2MB.max";
		if (mount("none", self->root, "cgroup2", 0, NULL)) {
			rmdir(self->root);
			SKIP(return, "no cgroup file system can be mounted");
		}
	}
	snprintf(self->dir, sizeof(self->dir), "%s/hpctl-test.%d", self->root, getpid());
	if (!strcmp(self->limit, "hugetlb.2MB.max")) {
		char path[128];
		int fd;

		snprintf(path, sizeof(path), "%s/cgroup.subtree_control", self->root);
		fd = open(path, O_WRONLY);
		if (fd >= 0) {
			if (write(fd, "+hugetlb", 8) < 0)
				TH_LOG("no controller hugetlb: %s", strerror(errno));
			close(fd);
		}
	}
	ASSERT_EQ(0, mkdir(self->dir, 0755));
	if (!has(self->dir, self->limit)) {
		rmdir(self->dir);
		umount2(self->root, MNT_DETACH);
		rmdir(self->root);
		SKIP(return, "the kernel gives no hugetlb controller to either version");
	}
	self->former = p.nr;
	ASSERT_TRUE(put(self->dir, "cgroup.procs", (unsigned long long)getpid()));
	put("/sys/kernel/mm/hugepages/hugepages-2048kB", "nr_hugepages", p.nr + PAGES);
	ASSERT_EQ(0, backing_parse("hugetlb-2m", &self->b, &e));
	memset(&self->m, 0, sizeof(self->m));
	self->m.b = &self->b;
	self->m.fd = -1;
	self->m.asked = self->m.bytes = PAGES << 21;
}

FIXTURE_TEARDOWN(group)
{
	put(self->root, "cgroup.procs", (unsigned long long)getpid());
	rmdir(self->dir);
	umount2(self->root, MNT_DETACH);
	rmdir(self->root);
	put("/sys/kernel/mm/hugepages/hugepages-2048kB", "nr_hugepages", self->former);
}

TEST_F(group, named_before)
{
	struct hp_error e = { 0 };

	ASSERT_TRUE(put(self->dir, self->limit, (PAGES - 1) << 21));
	EXPECT_EQ(HP_RESOURCE, self->b.ops->probe(&self->b, PAGES << 21, &e));
	EXPECT_NE(NULL, strstr(e.message, "hugetlb cgroup /hpctl-test."));
	EXPECT_NE(NULL, strstr(e.message, "limit 14680064 bytes, used 0, needs 16777216"));
}

TEST_F(group, met_while_faulting_in)
{
	const struct backing_ops *ops = self->b.ops;
	struct hp_error e = { 0 };

	if (ops->probe(&self->b, PAGES << 21, &e))
		SKIP(return, "needs %d free hugetlb pages: %s", PAGES, e.message);
	ASSERT_EQ(0, ops->map(&self->m, &e));
	/* After everybody has looked, and the pool has promised. */
	ASSERT_TRUE(put(self->dir, self->limit, (PAGES / 2) << 21));
	EXPECT_EQ(HP_RESOURCE, ops->populate(&self->m, self->m.addr, self->m.bytes, &e));
	EXPECT_NE(NULL, strstr(e.message, "hugetlb cgroup /hpctl-test."));
	EXPECT_EQ(0, ops->unmap(&self->m, &e));
}

TEST_F(group, high_enough)
{
	const struct backing_ops *ops = self->b.ops;
	struct hp_error e = { 0 };

	ASSERT_TRUE(put(self->dir, self->limit, PAGES << 21));
	if (ops->probe(&self->b, PAGES << 21, &e))
		SKIP(return, "needs %d free hugetlb pages: %s", PAGES, e.message);
	ASSERT_EQ(0, ops->map(&self->m, &e));
	EXPECT_EQ(0, ops->populate(&self->m, self->m.addr, self->m.bytes, &e));
	EXPECT_EQ(0, ops->unmap(&self->m, &e));
}

TEST_HARNESS_MAIN
