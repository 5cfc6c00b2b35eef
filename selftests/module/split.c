// SPDX-License-Identifier: GPL-2.0-only
/*
 * A part of a leaf can be neither unmapped nor protected nor replaced (C22):
 * whatever is tried, it is refused or it leaves the contents alone, and nothing
 * smaller than the page ever maps the buffer.
 */
#include "buf_fixture.h"

#include <linux/userfaultfd.h>

#define RW	(PROT_READ | PROT_WRITE)

/* Parts of the first leaf, and one that reaches from it into the next. */
struct part {
	size_t off, len;
};

#define NR_PARTS	6

static void parts_of(const FIXTURE_DATA(buf) *self, struct part *parts)
{
	size_t page = self->page;
	const struct part all[NR_PARTS] = {
		{ 0, SZ_4K },
		{ page / 2, SZ_4K },
		{ page - SZ_4K, SZ_4K },
		{ page / 4, page / 2 },
		{ SZ_4K, page - SZ_4K },
		{ page - SZ_4K, self->size - page + SZ_4K },
	};

	memcpy(parts, all, sizeof(all));
}

#define FOR_EACH_PART(i, parts)						\
	for (parts_of(self, parts), i = 0; i < NR_PARTS; i++)

TEST_F(buf, munmap_of_a_part)
{
	struct part parts[NR_PARTS];
	int i;

	FOR_EACH_PART(i, parts) {
		EXPECT_EQ(-EINVAL, hpt_errno(munmap(self->p + parts[i].off, parts[i].len)))
			TH_LOG("%#zx + %#zx", parts[i].off, parts[i].len);
	}
	EXPECT_INTACT();
}

TEST_F(buf, mprotect_of_a_part)
{
	static const int prot[] = { PROT_NONE, PROT_READ, PROT_WRITE };
	struct part parts[NR_PARTS];
	unsigned int j;
	int i;

	FOR_EACH_PART(i, parts)
		for (j = 0; j < ARRAY_SIZE(prot); j++) {
			EXPECT_EQ(-EINVAL, hpt_errno(mprotect(self->p + parts[i].off,
							      parts[i].len, prot[j])))
				TH_LOG("%#zx + %#zx", parts[i].off, parts[i].len);
		}
	EXPECT_INTACT();
	EXPECT_EQ(0, hpt_poke(self->p + self->page / 2 + 16, 0));
}

TEST_F(buf, mprotect_of_whole_leaves)
{
	unsigned char val;

	if (self->page == SZ_1G) {
		EXPECT_EQ(-EINVAL, hpt_errno(mprotect(self->p, self->page, PROT_READ)));
		EXPECT_EQ(-EINVAL, hpt_errno(mprotect(self->p, self->size, PROT_NONE)));
		EXPECT_EQ(0, hpt_poke(self->p + 16, 0));
		EXPECT_INTACT();
		return;
	}
	if (!(buf_caps.flags & HPBUF_CAP_MPROTECT_2M))
		SKIP(return, "needs HPBUF_CAP_MPROTECT_2M, found flags 0x%llx",
		     (unsigned long long)buf_caps.flags);
	ASSERT_EQ(0, mprotect(self->p + self->page, self->page, PROT_READ))
		TH_LOG("%s", strerror(errno));
	EXPECT_EQ(SIGSEGV, hpt_poke(self->p + self->page + 16, 1));
	EXPECT_EQ(0, hpt_peek(self->p + self->page + 16, &val));
	EXPECT_EQ(0, hpt_poke(self->p + 16, 0));
	EXPECT_INTACT();
	ASSERT_EQ(0, mprotect(self->p, self->size, PROT_NONE));
	EXPECT_EQ(SIGSEGV, hpt_peek(self->p, &val));
	EXPECT_EQ(SIGSEGV, hpt_peek(self->p + self->size - 1, &val));
	ASSERT_EQ(0, mprotect(self->p, self->size, RW));
	EXPECT_EQ(0, hpt_poke(self->p + self->page + 16, 0));
	EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT));
	EXPECT_WHOLE_LEAVES(self->size);
}

/* Other memory over a part of a leaf. */
TEST_F(buf, map_fixed_over_a_part)
{
	struct part parts[NR_PARTS];
	int i;

	FOR_EACH_PART(i, parts) {
		EXPECT_EQ(MAP_FAILED, mmap(self->p + parts[i].off, parts[i].len, RW,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0))
			TH_LOG("%#zx + %#zx", parts[i].off, parts[i].len);
	}
	EXPECT_INTACT();
}

TEST_F(buf, mremap_onto_a_part)
{
	unsigned char *q = mmap(NULL, SZ_4K, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, q);
	*q = 0x5a;
	EXPECT_EQ(MAP_FAILED, mremap(q, SZ_4K, SZ_4K, MREMAP_MAYMOVE | MREMAP_FIXED,
				     self->p + self->page / 2));
	EXPECT_EQ(0x5a, *q);
	EXPECT_INTACT();
}

TEST_F(buf, remap_file_pages)
{
	EXPECT_NE(0, syscall(SYS_remap_file_pages, self->p, self->page, 0, 0, 0));
	EXPECT_NE(0, syscall(SYS_remap_file_pages, self->p, SZ_4K, 0, 1, 0));
	EXPECT_INTACT();
}

/*
 * Every advice but those that poison memory, on the whole and on parts.
 * MADV_NOHUGEPAGE is told apart: on the whole it may cost the next fault.
 */
TEST_F(buf, madvise)
{
	static const struct { int advice; const char *name; } all[] = {
		{ 0, "NORMAL" }, { 1, "RANDOM" }, { 2, "SEQUENTIAL" }, { 3, "WILLNEED" },
		{ 4, "DONTNEED" }, { 8, "FREE" }, { 9, "REMOVE" }, { 10, "DONTFORK" },
		{ 11, "DOFORK" }, { 12, "MERGEABLE" }, { 13, "UNMERGEABLE" },
		{ 14, "HUGEPAGE" }, { 16, "DONTDUMP" }, { 17, "DODUMP" },
		{ 18, "WIPEONFORK" }, { 19, "KEEPONFORK" }, { 20, "COLD" },
		{ 21, "PAGEOUT" }, { 22, "POPULATE_READ" }, { 23, "POPULATE_WRITE" },
		{ 24, "DONTNEED_LOCKED" }, { 25, "COLLAPSE" }, { 102, "GUARD_INSTALL" },
		{ 103, "GUARD_REMOVE" },
	};
	struct part parts[NR_PARTS];
	unsigned int j;
	int i;

	for (j = 0; j < ARRAY_SIZE(all); j++) {
		FOR_EACH_PART(i, parts)
			(void)!madvise(self->p + parts[i].off, parts[i].len, all[j].advice);
		EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT))
			TH_LOG("MADV_%s on parts", all[j].name);
		(void)!madvise(self->p, self->size, all[j].advice);
		EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT))
			TH_LOG("MADV_%s on the whole", all[j].name);
	}
	EXPECT_INTACT();
}

TEST_F(buf, madvise_nohugepage)
{
	struct part parts[NR_PARTS];
	unsigned char val;
	int i, sig;

	FOR_EACH_PART(i, parts) {
		EXPECT_NE(0, madvise(self->p + parts[i].off, parts[i].len, MADV_NOHUGEPAGE));
	}
	EXPECT_INTACT();

	/* the header allows SIGBUS from here on, and nothing else */
	if (!madvise(self->p, self->size, MADV_NOHUGEPAGE)) {
		sig = hpt_peek(self->p, &val);
		EXPECT_TRUE(sig == 0 || sig == SIGBUS);
	}
	EXPECT_EQ(0, munmap(self->p, self->size));
	self->p = hpt_map(self->fd, self->size);
	ASSERT_NE(MAP_FAILED, self->p);
	EXPECT_INTACT();
}

/* Locking a part has to split a mapping: refused, or nothing happens. */
TEST_F(buf, mlock)
{
	struct part parts[NR_PARTS];
	int i;

	FOR_EACH_PART(i, parts) {
		(void)!mlock(self->p + parts[i].off, parts[i].len);
		(void)!munlock(self->p + parts[i].off, parts[i].len);
		(void)!syscall(SYS_mlock2, self->p + parts[i].off, parts[i].len, 1);
	}
	EXPECT_INTACT();
	(void)!mlock(self->p, self->size);
	EXPECT_INTACT();
	(void)!munlock(self->p, self->size);
	EXPECT_INTACT();
}

TEST_F(buf, mlockall)
{
	unsigned char *q;

	/* what else this process has is small */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	EXPECT_INTACT();
	q = hpt_map(self->fd, self->page);
	if (q != MAP_FAILED) {
		EXPECT_EQ(-1, hpt_check(q, self->page, BUF_SALT));
		EXPECT_EQ(0, munmap(q, self->page));
	}
	ASSERT_EQ(0, munlockall());
	EXPECT_INTACT();
}

TEST_F(buf, memory_policies)
{
	unsigned long mask = 1;
	struct part parts[NR_PARTS];
	void *page_of[1];
	int i, node = 0, where = -1;

	FOR_EACH_PART(i, parts)		/* MPOL_BIND, MPOL_MF_MOVE */
		(void)!syscall(SYS_mbind, self->p + parts[i].off, parts[i].len, 2,
			       &mask, 8, 2);
	EXPECT_INTACT();
	(void)!syscall(SYS_mbind, self->p, self->size, 2, &mask, 8, 2 | 1);
	(void)!syscall(SYS_migrate_pages, 0, 8, &mask, &mask);
	page_of[0] = self->p + SZ_4K;
	(void)!syscall(SYS_move_pages, 0, 1, page_of, NULL, &where, 0);
	(void)!syscall(SYS_move_pages, 0, 1, page_of, &node, &where, 2);
	EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT));
	EXPECT_WHOLE_LEAVES(self->size);
}

TEST_F(buf, sync_and_residency)
{
	unsigned char *vec = calloc(1, self->size / SZ_4K);

	ASSERT_NE(NULL, vec);
	(void)!msync(self->p, self->size, MS_SYNC);
	(void)!msync(self->p + SZ_4K, SZ_4K, MS_ASYNC | MS_INVALIDATE);
	(void)!mincore(self->p, self->size, vec);
	(void)!fsync(self->fd);
	(void)!posix_fadvise(self->fd, 0, 0, POSIX_FADV_DONTNEED);
	(void)!readahead(self->fd, 0, SZ_4K);
	EXPECT_INTACT();
	free(vec);
}

/* A registered range would have to be split by the next fault. */
TEST_F(buf, userfaultfd)
{
	static const uint64_t modes[] = {
		UFFDIO_REGISTER_MODE_MISSING, UFFDIO_REGISTER_MODE_WP, 1 << 2 /* MINOR */,
	};
	struct uffdio_api api = { .api = UFFD_API };
	unsigned int i;
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		SKIP(return, "needs userfaultfd(), found: %s", strerror(errno));
	ASSERT_EQ(0, ioctl(fd, UFFDIO_API, &api));
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		struct uffdio_register whole = {
			.range = { (uintptr_t)self->p, self->size }, .mode = modes[i],
		}, part = {
			.range = { (uintptr_t)self->p + SZ_4K, SZ_4K }, .mode = modes[i],
		};

		EXPECT_NE(0, ioctl(fd, UFFDIO_REGISTER, &part));
		EXPECT_NE(0, ioctl(fd, UFFDIO_REGISTER, &whole));
	}
	close(fd);
	EXPECT_INTACT();
}

/* Whole leaves may go, in the middle too; what is left is as it was. */
TEST_F(buf, munmap_of_whole_leaves)
{
	size_t page = self->page, first = self->size / page > 2 ? page : 0;
	unsigned char *hole = self->p + first, val;
	size_t off;

	ASSERT_EQ(0, munmap(hole, page));
	EXPECT_EQ(SIGSEGV, hpt_peek(hole, &val));
	EXPECT_EQ(SIGSEGV, hpt_peek(hole + page - 1, &val));
	for (off = 0; off < self->size; off += page)
		if (self->p + off != hole) {
			EXPECT_EQ(hpt_mark(off, BUF_SALT), *(uint64_t *)(self->p + off));
		}
	EXPECT_WHOLE_LEAVES(self->size - page);

	/* and may be put back where they were */
	ASSERT_EQ(hole, mmap(hole, page, RW, MAP_SHARED | MAP_FIXED_NOREPLACE, self->fd, first));
	EXPECT_INTACT();
}

TEST_F(buf, map_fixed_over_a_whole_leaf)
{
	size_t last = self->size - self->page;
	unsigned char *q;

	q = mmap(self->p + last, self->page, RW,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	ASSERT_EQ(self->p + last, q);
	EXPECT_EQ(0, *(uint64_t *)q);
	*q = 0x5a;
	EXPECT_WHOLE_LEAVES(last);
	if (last) {
		EXPECT_EQ(hpt_mark(0, BUF_SALT), *(uint64_t *)self->p);
	}
	munmap(q, self->page);
}

BUF_TEST_MAIN(3, 2)
