// SPDX-License-Identifier: GPL-2.0-only
/*
 * HPBUF_IOC_ALLOC refuses what cannot be meant, each with its own errno, and
 * has then allocated nothing.
 */
#include "abi.h"

static void expect_alloc(struct __test_metadata *_metadata, int dev, int err,
			 struct hpbuf_alloc a)
{
	EXPECT_ERRNO(err, ioctl(dev, HPBUF_IOC_ALLOC, &a))
		TH_LOG("bytes %#llx shift %u flags %#x name %.32s",
		       (unsigned long long)a.bytes, a.page_shift, a.flags, a.name);
}

#define EXPECT_ALLOC(err, ...) do {					\
	struct hpbuf_alloc _a = abi_alloc_2m();				\
									\
	__VA_ARGS__;							\
	expect_alloc(_metadata, self->dev, err, _a);			\
} while (0)

TEST_F(abi, bytes)
{
	EXPECT_ALLOC(EINVAL, _a.bytes = 0);
	EXPECT_ALLOC(EOVERFLOW, _a.bytes = 1ULL << 63);
	EXPECT_ALLOC(EOVERFLOW, _a.bytes = (1ULL << 63) - 1);
	EXPECT_ALLOC(EOVERFLOW, _a.bytes = -1ULL);
	EXPECT_ALLOC(EOVERFLOW, _a.bytes = -4096ULL);
	EXPECT_ALLOC(EOVERFLOW, _a.bytes = -(5ULL << 30), _a.page_shift = HPBUF_SHIFT_1G);
}

/* Legal numbers that this machine will never have (C35, C67). */
TEST_F(abi, too_large)
{
	EXPECT_ALLOC(ENOSPC, _a.bytes = 1ULL << 62);
	EXPECT_ALLOC(ENOSPC, _a.bytes = (1ULL << 63) - SZ_1G);
	EXPECT_ALLOC(ENOSPC, _a.bytes = (1ULL << 63) - SZ_1G, _a.page_shift = HPBUF_SHIFT_1G);
	EXPECT_ALLOC(ENOSPC, _a.bytes = 1ULL << 52, _a.page_shift = HPBUF_SHIFT_1G);
	EXPECT_ALLOC(ENOSPC, _a.bytes = 5ULL << 35, _a.page_shift = HPBUF_SHIFT_1G);
}

TEST_F(abi, one_more_than_max_bytes)
{
	struct hpbuf_caps caps;

	ASSERT_EQ(0, hpt_caps(self->dev, &caps));
	EXPECT_ALLOC(ENOSPC, _a.bytes = caps.max_bytes + 1);
	EXPECT_ALLOC(ENOSPC, _a.bytes = caps.max_bytes + 1, _a.page_shift = HPBUF_SHIFT_1G);
}

TEST_F(abi, page_shift)
{
	static const unsigned int junk[] = {
		0, 1, 9, 12, 18, 20, 22, 29, 31, 32, 39, 63, 64, 85, 1U << 31, -1U,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(junk); i++)
		EXPECT_ALLOC(EINVAL, _a.page_shift = junk[i]);
}

TEST_F(abi, unknown_flags)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++)
		if ((1U << bit) != HPBUF_ALLOC_PERSIST)
			EXPECT_ALLOC(EINVAL, _a.flags = 1U << bit);
	EXPECT_ALLOC(EINVAL, _a.flags = -1U);
}

TEST_F(abi, outputs_and_reserved)
{
	EXPECT_ALLOC(EINVAL, _a.fd = -1);
	EXPECT_WORDS_REFUSED(self->dev, HPBUF_IOC_ALLOC, abi_alloc_2m(),
			     offsetof(struct hpbuf_alloc, fd),
			     offsetof(struct hpbuf_alloc, nodes));
}

TEST_F(abi, bad_names)
{
	static const char * const bad[] = {
		"0", "7", "123456789", "a b", " a", "a/b", "/", "a\n", "a\tb", "\x01",
		"\xc3\xa4", "a:b", "a*", "a\\", "%s", "a,b", "~", "a=b", "\x7f",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_ALLOC(EINVAL, hpt_name(_a.name, bad[i]));
	EXPECT_ALLOC(EINVAL, memset(_a.name, 'a', sizeof(_a.name)));
}

TEST_F(abi, good_names)
{
	static const char * const good[] = {
		"a", "Z9", "1a", ".", "..", "-", "_", "a.b_c-d", "0x1",
		"abcdefghijklmnopqrstuvwxyz01234",	/* 31 */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct hpbuf_alloc a = abi_alloc_2m();
		struct hpbuf_info info;

		hpt_name(a.name, good[i]);
		ASSERT_LE(0, hpt_alloc_req(self->dev, &a))
			TH_LOG("name %s: %s", good[i], strerror(errno));
		EXPECT_EQ(0, hpt_info(a.fd, &info));
		EXPECT_STREQ(good[i], info.name);
		close(a.fd);
	}
}

TEST_F(abi, name_is_unique_while_it_lives)
{
	struct hpbuf_alloc a = abi_alloc_2m(), b = abi_alloc_2m();
	int i, ret = -EEXIST;

	hpt_name(a.name, "twice");
	hpt_name(b.name, "twice");
	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	EXPECT_ERRNO(EEXIST, ioctl(self->dev, HPBUF_IOC_ALLOC, &b));
	close(a.fd);
	for (i = 0; i < 100 && ret == -EEXIST; i++) {
		b = abi_alloc_2m();
		hpt_name(b.name, "twice");
		ret = hpt_alloc_req(self->dev, &b);
		if (ret == -EEXIST)
			usleep(10000);
	}
	ASSERT_LE(0, ret);
	EXPECT_NE(a.id, b.id);
	close(b.fd);
}

TEST_F(abi, nodes)
{
	struct hpbuf_alloc a = abi_alloc_2m();

	EXPECT_ALLOC(ENXIO, _a.nodes[HPBUF_NODE_WORDS - 1] = 1ULL << 63);
	EXPECT_ALLOC(ENXIO, _a.nodes[0] = 1, _a.nodes[HPBUF_NODE_WORDS - 1] = 1ULL << 63);
	EXPECT_ALLOC(ENXIO, _a.nodes[0] = 1ULL << 63);
	EXPECT_ALLOC(ENXIO, memset(_a.nodes, 0xff, sizeof(_a.nodes)));

	a.nodes[0] = 1;
	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	close(a.fd);
}

TEST_F(abi, ids_do_not_come_again)
{
	uint32_t seen[64];
	int i, j;

	for (i = 0; i < 64; i++) {
		struct hpbuf_alloc a = abi_alloc_2m();

		ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
		EXPECT_NE(0, a.id);
		seen[i] = a.id;
		for (j = 0; j < i; j++) {
			EXPECT_NE(seen[j], a.id);
		}
		close(a.fd);
	}
}

/* The answer cannot be written: no buffer, no descriptor (fixture checks). */
TEST_F(abi, answer_cannot_be_written)
{
	struct hpbuf_alloc *a = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, a);
	*a = abi_alloc_2m();
	ASSERT_EQ(0, mprotect(a, SZ_4K, PROT_READ));
	EXPECT_ERRNO(EFAULT, ioctl(self->dev, HPBUF_IOC_ALLOC, a));
	munmap(a, SZ_4K);
}

TEST_F(abi, no_descriptor_left)
{
	struct rlimit old, none;
	struct hpbuf_alloc a = abi_alloc_2m();

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	none = old;
	none.rlim_cur = 0;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_ERRNO(EMFILE, ioctl(self->dev, HPBUF_IOC_ALLOC, &a));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
}

TEST_F(abi, descriptor_is_close_on_exec)
{
	struct hpbuf_alloc a = abi_alloc_2m();

	ASSERT_LE(0, hpt_alloc_req(self->dev, &a));
	EXPECT_EQ(FD_CLOEXEC, fcntl(a.fd, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(a.fd, F_GETFL) & O_ACCMODE);
	close(a.fd);
}

HPBUF_TEST_MAIN
