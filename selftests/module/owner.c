// SPDX-License-Identifier: GPL-2.0-only
/*
 * A buffer is its owner's: another user can neither open nor free it, and the
 * device node is not for everybody.
 */
#include "user.h"

#include <sys/socket.h>

FIXTURE(owner) {
	int dev;
	mode_t mode;
	uint32_t nobodys, roots;
};

/* As nobody, make a persistent buffer and leave its id on the pipe. */
static int make_persistent(void *arg)
{
	int out = *(int *)arg, dev;
	struct hpbuf_alloc a = {
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M,
		.flags = HPBUF_ALLOC_PERSIST, .name = "nobodys",
	};

	if (hpt_become(HPT_NOBODY))
		return 1;
	dev = hpt_open(NULL);
	if (dev < 0 || hpt_alloc_req(dev, &a) < 0)
		return 2;
	return write(out, &a.id, sizeof(a.id)) == sizeof(a.id) ? 0 : 3;
}

FIXTURE_SETUP(owner)
{
	struct hpbuf_alloc a = {
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M,
		.flags = HPBUF_ALLOC_PERSIST, .name = "roots",
	};
	int fds[2];

	ASSERT_EQ(0, user_open_up());
	self->mode = user_node.st_mode & 07777;
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, hpt_in_child(make_persistent, &fds[1]));
	ASSERT_EQ(sizeof(uint32_t), read(fds[0], &self->nobodys, sizeof(uint32_t)));
	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	close(a.fd);
	self->roots = a.id;
}

FIXTURE_TEARDOWN(owner)
{
	EXPECT_EQ(0, hpt_free(self->dev, self->roots, NULL));
	EXPECT_EQ(0, hpt_free(self->dev, self->nobodys, NULL));
	close(self->dev);
	user_close_again();
}

struct attempt {
	uid_t uid;		/* 0: as it is */
	uint32_t id;
	const char *name;
	int want;
};

/* Try to open by id and by name, each way, and to free. */
static int try_all(void *arg)
{
	struct attempt *t = arg;
	struct hpbuf_open o = { .id = 0 };
	int dev, fd;

	if (t->uid && hpt_become(t->uid))
		return 1;
	dev = hpt_open(NULL);
	if (dev < 0)
		return 2;
	fd = hpt_open_id(dev, t->id, 0);
	if (t->want ? fd != t->want : fd < 0)
		return 3;
	fd = hpt_open_id(dev, t->id, HPBUF_OPEN_RDONLY);
	if (t->want ? fd != t->want : fd < 0)
		return 4;
	hpt_name(o.name, t->name);
	fd = ioctl(dev, HPBUF_IOC_OPEN, &o) ? -errno : 0;
	if (fd != t->want)
		return 5;
	if (t->want && hpt_free(dev, t->id, NULL) != t->want)
		return 6;
	return 0;
}

TEST_F(owner, another_user_is_refused)
{
	struct attempt t = { HPT_OTHER, self->nobodys, "nobodys", -EACCES };

	EXPECT_EQ(0, hpt_in_child(try_all, &t));
	t = (struct attempt){ HPT_NOBODY, self->roots, "roots", -EACCES };
	EXPECT_EQ(0, hpt_in_child(try_all, &t));
}

/* Its capabilities are none outside of its namespace. */
static int try_as_namespace_root(void *arg)
{
	if (hpt_become(HPT_OTHER) || user_unshare(0))
		return 10;
	return try_all(arg);
}

TEST_F(owner, root_of_a_namespace_is_refused)
{
	struct attempt t = { 0, self->nobodys, "nobodys", -EACCES };

	USER_NEED_UNSHARE(0);
	EXPECT_EQ(0, hpt_in_child(try_as_namespace_root, &t));
}

/* The same user in another process may. */
TEST_F(owner, the_same_user_may)
{
	struct attempt t = { HPT_NOBODY, self->nobodys, "nobodys", 0 };

	EXPECT_EQ(0, hpt_in_child(try_all, &t));
}

TEST_F(owner, root_may)
{
	struct hpbuf_info info;
	int fd = hpt_open_id(self->dev, self->nobodys, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, hpt_info(fd, &info));
	EXPECT_EQ(HPT_NOBODY, info.uid);
	close(fd);
}

/* What does not exist and what is someone else's are told apart by the errno. */
static int open_missing(void *arg)
{
	int dev;

	(void)arg;
	if (hpt_become(HPT_OTHER))
		return 1;
	dev = hpt_open(NULL);
	if (dev < 0)
		return 2;
	return hpt_open_id(dev, 0x7ffffff0, 0) == -ENOENT ? 0 : 3;
}

TEST_F(owner, missing_is_enoent)
{
	EXPECT_EQ(0, hpt_in_child(open_missing, NULL));
}

TEST_F(owner, node_is_not_for_all)
{
	EXPECT_EQ(0660, self->mode);
}

HPBUF_TEST_MAIN
