// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules that hold for every call: unknown numbers, structures shorter and
 * longer than the module's, outputs and reserved fields, bad pointers.
 */
#include "abi.h"

/* One buffer of 2 MiB for calls that need one. */
static int one_buffer(struct __test_metadata *_metadata, int dev, struct hpbuf_alloc *a)
{
	*a = abi_alloc_2m();
	ASSERT_LE(0, hpt_alloc_req(dev, a));
	return a->fd;
}

TEST_F(abi, unknown_numbers)
{
	struct hpbuf_alloc a;
	char junk[256] = "";
	int nr, fd = one_buffer(_metadata, self->dev, &a);

	for (nr = 4; nr < 256; nr += nr < 32 ? 1 : 37) {
		if (nr == 0x10 || nr == 0x11)
			continue;
		EXPECT_ERRNO(ENOTTY, ioctl(self->dev, _IOWR(HPBUF_IOC_MAGIC, nr, junk), junk));
		EXPECT_ERRNO(ENOTTY, ioctl(fd, _IOWR(HPBUF_IOC_MAGIC, nr, junk), junk));
	}
	EXPECT_ERRNO(ENOTTY, ioctl(self->dev, _IOWR('x', 0, struct hpbuf_caps), junk));
	EXPECT_ERRNO(ENOTTY, ioctl(fd, TCGETS, junk));
	close(fd);
}

/* Calls on the other kind of descriptor are unknown there. */
TEST_F(abi, wrong_descriptor)
{
	struct hpbuf_populate pop = { .len = SZ_2M };
	struct hpbuf_alloc a, b = abi_alloc_2m();
	struct hpbuf_open o = { 0 };
	struct hpbuf_free f = { 0 };
	struct hpbuf_caps c = { 0 };
	struct hpbuf_info i = { 0 };
	int fd = one_buffer(_metadata, self->dev, &a);

	EXPECT_ERRNO(ENOTTY, ioctl(self->dev, HPBUF_IOC_INFO, &i));
	EXPECT_ERRNO(ENOTTY, ioctl(self->dev, HPBUF_IOC_POPULATE, &pop));
	EXPECT_ERRNO(ENOTTY, ioctl(fd, HPBUF_IOC_CAPS, &c));
	EXPECT_ERRNO(ENOTTY, ioctl(fd, HPBUF_IOC_ALLOC, &b));
	EXPECT_ERRNO(ENOTTY, ioctl(fd, HPBUF_IOC_OPEN, &o));
	EXPECT_ERRNO(ENOTTY, ioctl(fd, HPBUF_IOC_FREE, &f));
	close(fd);
}

TEST_F(abi, caps)
{
	struct hpbuf_caps c;

	ASSERT_EQ(0, hpt_caps(self->dev, &c));
	EXPECT_EQ(HPBUF_UAPI_VERSION, c.uapi_version);
	EXPECT_EQ(0, c.reserved);
	EXPECT_STREQ(HPBUF_MODULE_VERSION, c.module_version);
	EXPECT_EQ(0, c.flags & ~(HPBUF_CAP_INIT_ON_ALLOC * 2 - 1));
	EXPECT_NE(0, c.flags & HPBUF_CAP_POPULATE);
	EXPECT_NE(0, c.page_shifts & SZ_2M);
	EXPECT_EQ(0, c.page_shifts & ~(SZ_2M | SZ_1G));
	EXPECT_NE(0, c.max_bytes);
	EXPECT_LE(c.used_bytes, c.max_bytes);
	EXPECT_NE(0, c.floor_bytes);
}

TEST_F(abi, shorter)
{
	struct hpbuf_alloc a = abi_alloc_2m(), got;
	struct hpbuf_caps c;
	struct hpbuf_open o;

	/* no more than was asked for is written */
	memset(&c, 0xaa, sizeof(c));
	memset(&c, 0, offsetof(struct hpbuf_caps, max_bytes));
	ASSERT_EQ(0, ioctl(self->dev, OTHER_SIZE(HPBUF_IOC_CAPS,
						 offsetof(struct hpbuf_caps, max_bytes)), &c))
		TH_LOG("%s", strerror(errno));
	EXPECT_EQ(HPBUF_UAPI_VERSION, c.uapi_version);
	EXPECT_NE(0, c.page_shifts & SZ_2M);
	EXPECT_EQ(0xaaaaaaaaaaaaaaaaULL, c.max_bytes);
	EXPECT_EQ(0xaaaaaaaaaaaaaaaaULL, c.floor_bytes);

	/* neither nodes nor name: what lies behind is not read */
	memset(a.nodes, 0xff, sizeof(a.nodes));
	memset(a.name, '/', sizeof(a.name));
	got = a;
	ASSERT_EQ(0, ioctl(self->dev,
			   OTHER_SIZE(HPBUF_IOC_ALLOC, offsetof(struct hpbuf_alloc, nodes)),
			   &got))
		TH_LOG("%s", strerror(errno));
	EXPECT_EQ(SZ_2M, got.size);
	EXPECT_EQ(0, memcmp(got.nodes, a.nodes, sizeof(a.nodes)));
	EXPECT_EQ(0, memcmp(got.name, a.name, sizeof(a.name)));

	memset(&o, '/', sizeof(o));
	memset(&o, 0, offsetof(struct hpbuf_open, name));
	o.id = got.id;
	EXPECT_EQ(0, ioctl(self->dev,
			   OTHER_SIZE(HPBUF_IOC_OPEN, offsetof(struct hpbuf_open, name)), &o))
		TH_LOG("%s", strerror(errno));
	close(o.fd);
	close(got.fd);
}

/* No room for the answer: a descriptor nobody would know of is not made. */
TEST_F(abi, too_short)
{
	struct hpbuf_alloc a = abi_alloc_2m(), b;
	struct hpbuf_open o = { 0 };

	EXPECT_ERRNO(EINVAL, ioctl(self->dev, OTHER_SIZE(HPBUF_IOC_ALLOC, 0), &a));
	EXPECT_ERRNO(EINVAL, ioctl(self->dev,
				   OTHER_SIZE(HPBUF_IOC_ALLOC, offsetof(struct hpbuf_alloc, fd)),
				   &a));
	one_buffer(_metadata, self->dev, &b);
	o.id = b.id;
	EXPECT_ERRNO(EINVAL, ioctl(self->dev,
				   OTHER_SIZE(HPBUF_IOC_OPEN, offsetof(struct hpbuf_open, fd)),
				   &o));
	close(b.fd);
}

/* A call whose surplus is @surplus zeros, then the same with a byte set. */
static void longer(struct __test_metadata *_metadata, int fd, unsigned long cmd,
		   const void *good, size_t surplus)
{
	size_t size = _IOC_SIZE(cmd), at[] = { size, size + surplus / 2, size + surplus - 1 };
	unsigned char *s = calloc(1, size + surplus);
	unsigned int i;

	ASSERT_NE(NULL, s);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		memset(s, 0, size + surplus);
		memcpy(s, good, size);
		s[at[i]] = 1;
		EXPECT_ERRNO(E2BIG, ioctl(fd, OTHER_SIZE(cmd, size + surplus), s))
			TH_LOG("byte %zu of %zu", at[i], size + surplus);
	}
	memset(s, 0, size + surplus);
	memcpy(s, good, size);
	EXPECT_EQ(0, ioctl(fd, OTHER_SIZE(cmd, size + surplus), s))
		TH_LOG("%zu zeros more: %s", surplus, strerror(errno));
	if (cmd == HPBUF_IOC_ALLOC)
		close(((struct hpbuf_alloc *)s)->fd);
	if (cmd == HPBUF_IOC_OPEN)
		close(((struct hpbuf_open *)s)->fd);
	free(s);
}

TEST_F(abi, longer)
{
	static const size_t surplus[] = { 1, 8, 100, 4000, 8000 };
	struct hpbuf_alloc a, req = abi_alloc_2m();
	struct hpbuf_open o = { 0 };
	struct hpbuf_caps c = { 0 };
	struct hpbuf_info info = { 0 };
	unsigned int i;

	one_buffer(_metadata, self->dev, &a);
	o.id = a.id;
	for (i = 0; i < ARRAY_SIZE(surplus); i++) {
		longer(_metadata, self->dev, HPBUF_IOC_CAPS, &c, surplus[i]);
		longer(_metadata, self->dev, HPBUF_IOC_ALLOC, &req, surplus[i]);
		longer(_metadata, self->dev, HPBUF_IOC_OPEN, &o, surplus[i]);
		longer(_metadata, a.fd, HPBUF_IOC_INFO, &info, surplus[i]);
	}
	close(a.fd);
}

TEST_F(abi, outputs_and_reserved)
{
	struct hpbuf_populate pop = { .len = SZ_2M };
	struct hpbuf_alloc a;
	struct hpbuf_open o = { 0 };
	struct hpbuf_free f = { 0 };
	struct hpbuf_caps c = { 0 };
	struct hpbuf_info i = { 0 };

	one_buffer(_metadata, self->dev, &a);
	o.id = a.id;
	f.id = a.id;
	pop.addr = (uintptr_t)hpt_map(a.fd, a.size);
	EXPECT_WORDS_REFUSED(self->dev, HPBUF_IOC_CAPS, c, 0, sizeof(c));
	EXPECT_WORDS_REFUSED(self->dev, HPBUF_IOC_OPEN, o,
			     offsetof(struct hpbuf_open, fd), offsetof(struct hpbuf_open, name));
	EXPECT_WORDS_REFUSED(self->dev, HPBUF_IOC_FREE, f,
			     offsetof(struct hpbuf_free, reserved), sizeof(f));
	EXPECT_WORDS_REFUSED(a.fd, HPBUF_IOC_INFO, i, 0, sizeof(i));
	EXPECT_WORDS_REFUSED(a.fd, HPBUF_IOC_POPULATE, pop,
			     offsetof(struct hpbuf_populate, flags), sizeof(pop));
	munmap((void *)(uintptr_t)pop.addr, a.size);
	close(a.fd);
}

TEST_F(abi, bad_pointers)
{
	static void * const bad[] = { NULL, (void *)1, (void *)-1L, (void *)(-1UL << 47) };
	struct hpbuf_alloc a;
	unsigned int i;

	one_buffer(_metadata, self->dev, &a);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ERRNO(EFAULT, ioctl(self->dev, HPBUF_IOC_CAPS, bad[i]));
		EXPECT_ERRNO(EFAULT, ioctl(self->dev, HPBUF_IOC_ALLOC, bad[i]));
		EXPECT_ERRNO(EFAULT, ioctl(self->dev, HPBUF_IOC_OPEN, bad[i]));
		EXPECT_ERRNO(EFAULT, ioctl(self->dev, HPBUF_IOC_FREE, bad[i]));
		EXPECT_ERRNO(EFAULT, ioctl(a.fd, HPBUF_IOC_INFO, bad[i]));
		EXPECT_ERRNO(EFAULT, ioctl(a.fd, HPBUF_IOC_POPULATE, bad[i]));
	}
	close(a.fd);
}

/* An answer that cannot be written back makes no descriptor (fixture checks). */
TEST_F(abi, open_cannot_answer)
{
	struct hpbuf_open *o = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hpbuf_alloc a;

	ASSERT_NE(MAP_FAILED, o);
	one_buffer(_metadata, self->dev, &a);
	o->id = a.id;
	ASSERT_EQ(0, mprotect(o, SZ_4K, PROT_READ));
	EXPECT_ERRNO(EFAULT, ioctl(self->dev, HPBUF_IOC_OPEN, o));
	munmap(o, SZ_4K);
	close(a.fd);
}

TEST_F(abi, open_arguments)
{
	struct hpbuf_open o = { .name = "" };
	struct hpbuf_alloc a = abi_alloc_2m();
	unsigned int bit;

	hpt_name(a.name, "opened");
	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));

	EXPECT_ERRNO(EINVAL, ioctl(self->dev, HPBUF_IOC_OPEN, &o));	/* neither */
	o = (struct hpbuf_open){ .id = a.id, .name = "opened" };
	EXPECT_ERRNO(EINVAL, ioctl(self->dev, HPBUF_IOC_OPEN, &o));	/* both */
	o = (struct hpbuf_open){ .id = a.id + 100000 };
	EXPECT_ERRNO(ENOENT, ioctl(self->dev, HPBUF_IOC_OPEN, &o));
	o = (struct hpbuf_open){ .name = "nobody" };
	EXPECT_ERRNO(ENOENT, ioctl(self->dev, HPBUF_IOC_OPEN, &o));
	o = (struct hpbuf_open){ .name = "" };
	memset(o.name, 'o', sizeof(o.name));
	EXPECT_ERRNO(EINVAL, ioctl(self->dev, HPBUF_IOC_OPEN, &o));	/* no NUL */
	for (bit = 1; bit < 32; bit++) {
		o = (struct hpbuf_open){ .id = a.id, .flags = 1U << bit };
		EXPECT_ERRNO(EINVAL, ioctl(self->dev, HPBUF_IOC_OPEN, &o));
	}
	o = (struct hpbuf_open){ .name = "opened" };
	ASSERT_EQ(0, ioctl(self->dev, HPBUF_IOC_OPEN, &o));
	EXPECT_EQ(FD_CLOEXEC, fcntl(o.fd, F_GETFD));
	close(o.fd);
	close(a.fd);
}

TEST_F(abi, free_arguments)
{
	struct hpbuf_alloc a = abi_alloc_2m();
	struct hpbuf_free f = { .id = 0 };

	EXPECT_EQ(-1, ioctl(self->dev, HPBUF_IOC_FREE, &f));
	EXPECT_TRUE(errno == ENOENT || errno == EINVAL);
	f = (struct hpbuf_free){ .id = -1U };
	EXPECT_ERRNO(ENOENT, ioctl(self->dev, HPBUF_IOC_FREE, &f));

	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	f = (struct hpbuf_free){ .id = a.id };
	EXPECT_ERRNO(EINVAL, ioctl(self->dev, HPBUF_IOC_FREE, &f));	/* not persistent */
	close(a.fd);
}

HPBUF_TEST_MAIN
