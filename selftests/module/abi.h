/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixture "abi": an open device, and the certainty afterwards that a refused
 * call has left nothing behind: no bytes, no descriptor.
 */
#ifndef HPBUF_ABI_H
#define HPBUF_ABI_H

#include "hpbuf_test.h"

/* The same call for a structure of another size. */
#define OTHER_SIZE(cmd, size) \
	_IOC(_IOC_READ | _IOC_WRITE, HPBUF_IOC_MAGIC, _IOC_NR(cmd), (size))

/* That call fails with that errno. */
#define EXPECT_ERRNO(err, call)	EXPECT_EQ(-(err), hpt_errno(call))

FIXTURE(abi) {
	int dev, fds;
	uint64_t used;
};

FIXTURE_SETUP(abi)
{
	self->dev = hpt_open(NULL);
	ASSERT_LE(0, self->dev);
	self->used = hpt_used(self->dev);
	self->fds = hpt_count_fds();
}

FIXTURE_TEARDOWN(abi)
{
	EXPECT_TRUE(hpt_used_becomes(self->dev, self->used));
	EXPECT_EQ(self->fds, hpt_count_fds());
	close(self->dev);
}

static inline struct hpbuf_alloc abi_alloc_2m(void)
{
	struct hpbuf_alloc a = { .bytes = SZ_2M, .page_shift = HPBUF_SHIFT_2M };

	return a;
}

/* Try @cmd with each 32-bit word in [from, to) of the structure set, alone. */
#define EXPECT_WORDS_REFUSED(fd, cmd, good, from, to) do {		\
	size_t _o;							\
									\
	for (_o = (from); _o < (to); _o += 4) {				\
		__typeof__(good) _s = (good);				\
									\
		*(uint32_t *)((char *)&_s + _o) = 1;			\
		EXPECT_ERRNO(EINVAL, ioctl(fd, cmd, &_s))		\
			TH_LOG("word at offset %zu was accepted", _o);	\
	}								\
} while (0)

#endif
