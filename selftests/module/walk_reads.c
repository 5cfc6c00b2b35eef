// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timing page walks loads what the caller itself could load and nothing else: not what
 * its protection or its protection keys forbid, and nothing of the kernel's. A user's
 * rights are enough.
 */
#include "walk_memory.h"

#include <libhpbuf.h>

#define SAMPLES	64

#ifndef PKEY_DISABLE_ACCESS
#define PKEY_DISABLE_ACCESS	1
#endif

FIXTURE(walk) {
	struct hpbuf_nl *nl;
	struct memory m;
	struct hpbuf_nl_walk_time *w;
};

FIXTURE_SETUP(walk)
{
	ASSERT_EQ(0, hpt_become(HPT_NOBODY));
	ASSERT_EQ(0, hpbuf_nl_open(&self->nl));
	self->w = calloc(1, sizeof(*self->w));
	ASSERT_NE(NULL, self->w);
	self->m = (struct memory){ .len = SZ_2M, .dev = -1, .fd = -1 };
	ASSERT_EQ(0, get_anon(&self->m, MADV_NOHUGEPAGE));
	memset(self->m.p, 1, self->m.len);
}

FIXTURE_TEARDOWN(walk)
{
	put_memory(&self->m);
	hpbuf_nl_close(self->nl);
	free(self->w);
}

/* All samples are taken, or none, as the caller can read or not. */
static void expect_as_caller(struct __test_metadata *_metadata, FIXTURE_DATA(walk) *self,
			     const char *what)
{
	const struct hpbuf_nl_walk_req req = { .samples = SAMPLES, .cold = true };
	unsigned char byte;
	bool can = !hpt_peek(self->m.p, &byte);

	ASSERT_EQ(0, hpbuf_nl_walk_time(self->nl, self->m.p, self->m.len, &req, self->w))
		TH_LOG("%s: %s", what, hpbuf_nl_strerror(self->nl));
	EXPECT_EQ(can ? 0 : SAMPLES, self->w->skipped)
		TH_LOG("%s: the caller %s read it", what, can ? "can" : "cannot");
}

TEST_F(walk, as_far_as_protection_allows)
{
	static const struct { int prot; const char *what; } cases[] = {
		{ PROT_READ, "read-only" }, { PROT_WRITE, "write-only" },
		{ PROT_EXEC, "execute-only" }, { PROT_NONE, "no access" },
		{ PROT_READ | PROT_WRITE, "writable" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, mprotect(self->m.p, self->m.len, cases[i].prot));
		expect_as_caller(_metadata, self, cases[i].what);
	}
}

TEST_F(walk, as_far_as_keys_allow)
{
	long key = syscall(SYS_pkey_alloc, 0, PKEY_DISABLE_ACCESS);

	/* Without keys the CPU asks for none. */
	if (key >= 0) {
		ASSERT_EQ(0, syscall(SYS_pkey_mprotect, self->m.p, self->m.len, RW, key));
	}
	expect_as_caller(_metadata, self, key < 0 ? "no keys" : "denied by a key");
}

TEST_F(walk, nothing_of_the_kernel)
{
	static const uintptr_t places[] = {
		0x00007ffffffff000, 0xff11000000000000, 0xffff888000000000, 0xffffc90000000000,
		0xffffffff80000000, 0xffffffffff600000, 0xfffffffffffff000,
	};
	const struct hpbuf_nl_walk_req req = { .samples = SAMPLES };
	struct hpbuf_nl_walk census;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const void *at = (const void *)places[i];

		EXPECT_EQ(-EINVAL, hpbuf_nl_walk(self->nl, at, SZ_4K, &census))
			TH_LOG("%p", at);
		EXPECT_EQ(-EINVAL, hpbuf_nl_walk_time(self->nl, at, SZ_4K, &req, self->w))
			TH_LOG("%p", at);
	}
}

HPBUF_TEST_MAIN
