// SPDX-License-Identifier: GPL-2.0-only
/*
 * HPBUF_ALLOC_PERSIST: the buffer and its bytes outlive the process that made
 * it, until HPBUF_IOC_FREE; without the flag they do not.
 */
#include "hpbuf_test.h"

#define SALT	0x5eed

FIXTURE(persist) {
	int dev;
	uint64_t used;
};

FIXTURE_SETUP(persist)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->used = hpt_used(self->dev);
}

FIXTURE_TEARDOWN(persist)
{
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	close(self->dev);
}

struct maker {
	int out;
	uint32_t flags;
};

static int make_and_exit(void *arg)
{
	struct maker *m = arg;
	struct hpbuf_alloc a = {
		.bytes = 2 * SZ_2M, .page_shift = HPBUF_SHIFT_2M, .flags = m->flags,
		.name = "keeper",
	};
	int dev = hpt_open(NULL);
	void *p;

	if (dev < 0 || hpt_alloc_req(dev, &a) < 0)
		return 1;
	p = hpt_map(a.fd, a.size);
	if (p == MAP_FAILED)
		return 2;
	hpt_stamp(p, a.size, SALT);
	return write(m->out, &a.id, sizeof(a.id)) == sizeof(a.id) ? 0 : 3;
}

static uint32_t made_elsewhere(struct __test_metadata *_metadata, uint32_t flags)
{
	struct maker m = { .flags = flags };
	uint32_t id = 0;
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	m.out = fds[1];
	ASSERT_EQ(0, hpt_in_child(make_and_exit, &m));
	ASSERT_EQ(sizeof(id), read(fds[0], &id, sizeof(id)));
	close(fds[0]);
	close(fds[1]);
	return id;
}

TEST_F(persist, outlives_its_maker)
{
	uint32_t id = made_elsewhere(_metadata, HPBUF_ALLOC_PERSIST), busy = 9;
	struct hpbuf_info info;
	unsigned char *p;
	int fd;

	EXPECT_EQ(self->used + 2 * SZ_2M, hpt_used(self->dev));
	fd = hpt_open_id(self->dev, id, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, hpt_info(fd, &info));
	EXPECT_NE(0, info.flags & HPBUF_INFO_PERSIST);
	EXPECT_STREQ("keeper", info.name);
	p = hpt_map(fd, info.size);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, hpt_check(p, info.size, SALT));
	munmap(p, info.size);
	close(fd);
	EXPECT_EQ(0, hpt_free(self->dev, id, &busy));
	EXPECT_EQ(-ENOENT, hpt_open_id(self->dev, id, 0));
	EXPECT_EQ(-ENOENT, hpt_free(self->dev, id, NULL));
}

TEST_F(persist, without_the_flag_it_goes)
{
	uint32_t id = made_elsewhere(_metadata, 0);

	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_EQ(-ENOENT, hpt_open_id(self->dev, id, 0));
}

/* Freed while a mapping lives: busy, unfindable, the name is free, data stays. */
TEST_F(persist, freed_while_mapped)
{
	struct hpbuf_alloc a = {
		.bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M,
		.flags = HPBUF_ALLOC_PERSIST, .name = "again",
	}, b = { .bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M, .name = "again" };
	struct hpbuf_open by_name = { .name = "again" };
	struct hpbuf_free f = { .id = 0 };
	unsigned char *p;

	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	hpt_stamp(p, a.size, SALT);
	close(a.fd);

	f.id = a.id;
	ASSERT_EQ(0, ioctl(self->dev, HPBUF_IOC_FREE, &f));
	EXPECT_EQ(1, f.busy);
	EXPECT_EQ(0, f.free_ns);
	EXPECT_EQ(-ENOENT, hpt_open_id(self->dev, a.id, 0));
	EXPECT_EQ(-ENOENT, hpt_errno(ioctl(self->dev, HPBUF_IOC_OPEN, &by_name)));
	EXPECT_EQ(-1, hpt_check(p, a.size, SALT));

	ASSERT_LE(0, hpt_alloc_req(self->dev, &b))
		TH_LOG("the name is still taken");
	EXPECT_EQ(-1, hpt_check(p, a.size, SALT));
	EXPECT_EQ(0, munmap(p, a.size));
	close(b.fd);
}

TEST_F(persist, freed_while_idle)
{
	struct hpbuf_alloc a = {
		.bytes = 8 * SZ_2M, .page_shift = HPBUF_SHIFT_2M,
		.flags = HPBUF_ALLOC_PERSIST,
	};
	struct hpbuf_free f = { .id = 0 };

	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	close(a.fd);
	f.id = a.id;
	ASSERT_EQ(0, ioctl(self->dev, HPBUF_IOC_FREE, &f));
	EXPECT_EQ(0, f.busy);
	EXPECT_NE(0, f.free_ns);
	EXPECT_EQ(self->used, hpt_used(self->dev));
}

HPBUF_TEST_MAIN
