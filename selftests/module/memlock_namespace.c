// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user namespace does not lift RLIMIT_MEMLOCK: its root has no CAP_IPC_LOCK that
 * counts, and its ids have one account together, that of its maker.
 */
#include "user.h"

#define OTHER_ID	100000	/* the namespace's id 1, outside */

FIXTURE(memlock) {
	int dev;
};

FIXTURE_SETUP(memlock)
{
	USER_NEED_UNSHARE(0);
	ASSERT_EQ(0, user_open_up());
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
}

FIXTURE_TEARDOWN(memlock)
{
	if (user_node.st_mode)
		user_close_again();
}

static int become_limited(unsigned long bytes)
{
	struct rlimit r = { bytes, bytes };

	return setrlimit(RLIMIT_MEMLOCK, &r) ? -errno : hpt_become(HPT_NOBODY);
}

static int namespace_root(void *arg)
{
	int dev = *(int *)arg;
	struct hpbuf_alloc a;

	if (become_limited(SZ_2M) || user_unshare(0))
		return 1;
	if (hpt_alloc(dev, 2 * SZ_2M, HPBUF_SHIFT_2M, &a) != -EDQUOT)
		return 2;
	return hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a) < 0 ? 3 : 0;
}

TEST_F(memlock, binds_root_of_a_namespace)
{
	EXPECT_EQ(0, hpt_in_child(namespace_root, &self->dev));
}

struct many {
	int dev, ready, go;
};

/* Has its two pages, and then goes on as another id of its namespace. */
static int many_ids(void *arg)
{
	struct many *m = arg;
	struct hpbuf_alloc a, b;
	struct hpbuf_info info;
	char byte;
	int i, ret;

	if (become_limited(2 * SZ_2M))
		return 1;
	if (hpt_alloc(m->dev, 2 * SZ_2M, HPBUF_SHIFT_2M, &a) < 0)
		return 2;
	if (unshare(CLONE_NEWUSER) || write(m->ready, "", 1) != 1 || read(m->go, &byte, 1) != 1)
		return 3;
	if (setresuid(1, 1, 1))
		return 4;
	if (hpt_alloc(m->dev, SZ_2M, HPBUF_SHIFT_2M, &b) != -EDQUOT)
		return 5;
	close(a.fd);
	for (i = 0; i < FREEMEM_TRIES; i++) {
		ret = hpt_alloc(m->dev, SZ_2M, HPBUF_SHIFT_2M, &b);
		if (ret != -EDQUOT)
			break;
		usleep(FREEMEM_PAUSE);
	}
	if (ret < 0)
		return 6;
	/* It is its own all the same. */
	return !hpt_info(b.fd, &info) && info.uid == OTHER_ID ? 0 : 7;
}

/* As newuidmap does it for who has a range in /etc/subuid. */
static int map_ids(pid_t pid)
{
	char path[64], map[64];

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	snprintf(map, sizeof(map), "0 %d 1\n1 %d 1000\n", HPT_NOBODY, OTHER_ID);
	return hpt_write_text(path, map);
}

TEST_F(memlock, is_one_for_all_ids_of_a_namespace)
{
	int ready[2], go[2];
	struct many m;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	m = (struct many){ self->dev, ready[1], go[0] };
	pid = hpt_fork();
	if (!pid) {
		close(ready[0]);
		close(go[1]);
		_exit(many_ids(&m));
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		EXPECT_EQ(0, map_ids(pid));
		EXPECT_EQ(1, write(go[1], "", 1));
	}
	close(go[1]);
	EXPECT_EQ(0, hpt_wait(pid));
}

HPBUF_TEST_MAIN
