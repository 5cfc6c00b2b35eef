// SPDX-License-Identifier: GPL-2.0-only
/*
 * A descriptor that was handed to another user gives the access that it was opened
 * with, and nothing more: no writing by a read-only one, no opening by id, no freeing.
 * It does not get into a program that is started.
 */
#include "user.h"

FIXTURE(passed) {
	int dev, fd, ro;
	uint32_t id;
	unsigned char *p;
};

FIXTURE_SETUP(passed)
{
	struct hpbuf_alloc a = {
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M, .flags = HPBUF_ALLOC_PERSIST,
	};

	ASSERT_EQ(0, user_open_up());
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->fd = hpt_alloc_req(self->dev, &a);
	ASSERT_LE(0, self->fd);
	self->id = a.id;
	self->ro = hpt_open_id(self->dev, a.id, HPBUF_OPEN_RDONLY);
	ASSERT_LE(0, self->ro);
	self->p = hpt_map(self->fd, SZ_2M);
	ASSERT_NE(MAP_FAILED, self->p);
	self->p[0] = 1;
}

FIXTURE_TEARDOWN(passed)
{
	EXPECT_EQ(0, hpt_free(self->dev, self->id, NULL));
	user_close_again();
}

static int no_more_than(FIXTURE_DATA(passed) *self, int fd)
{
	char path[64];

	if (hpt_open_id(self->dev, self->id, 0) != -EACCES ||
	    hpt_open_id(self->dev, self->id, HPBUF_OPEN_RDONLY) != -EACCES)
		return 10;
	if (hpt_free(self->dev, self->id, NULL) != -EACCES)
		return 11;
	if (!fchmod(fd, 0666) || !fchown(fd, HPT_OTHER, HPT_OTHER))
		return 12;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (open(path, O_RDWR) >= 0 || open(path, O_RDONLY) >= 0 || !truncate(path, 0))
		return 13;
	return 0;
}

static int use_read_only(void *arg)
{
	FIXTURE_DATA(passed) *self = arg;
	volatile unsigned char *q;

	munmap(self->p, SZ_2M);
	if (hpt_become(HPT_OTHER))
		return 1;
	if (hpt_map(self->ro, SZ_2M) != MAP_FAILED)
		return 2;
	q = mmap(NULL, SZ_2M, PROT_READ, MAP_SHARED, self->ro, 0);
	if (q == MAP_FAILED || q[0] != 1)
		return 3;
	if (!mprotect((void *)q, SZ_2M, PROT_READ | PROT_WRITE))
		return 4;
	return no_more_than(self, self->ro);
}

TEST_F(passed, read_only)
{
	EXPECT_EQ(0, hpt_in_child(use_read_only, self));
	EXPECT_EQ(1, self->p[0]);
}

static int use_writable(void *arg)
{
	FIXTURE_DATA(passed) *self = arg;
	unsigned char *q;

	munmap(self->p, SZ_2M);
	if (hpt_become(HPT_OTHER))
		return 1;
	q = hpt_map(self->fd, SZ_2M);
	if (q == MAP_FAILED || q[0] != 1)
		return 2;
	q[0] = 2;
	return no_more_than(self, self->fd);
}

TEST_F(passed, writable)
{
	EXPECT_EQ(0, hpt_in_child(use_writable, self));
	EXPECT_EQ(2, self->p[0]);
}

static int start_program(void *arg)
{
	FIXTURE_DATA(passed) *self = arg;
	char text[128];

	snprintf(text, sizeof(text), "test ! -e /proc/self/fd/%d && test ! -e /proc/self/fd/%d",
		 self->fd, self->ro);
	execl("/bin/sh", "sh", "-c", text, NULL);
	return 127;
}

TEST_F(passed, not_into_programs)
{
	EXPECT_EQ(0, hpt_in_child(start_program, self));
}

HPBUF_TEST_MAIN
