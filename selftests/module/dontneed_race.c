// SPDX-License-Identifier: GPL-2.0-only
/*
 * Discarding a part of a page while others touch it: no kernel may lose the leaf
 * over it. (Mapped as folios, a 1 GiB leaf was cleared as bad within seconds.)
 */
#include "buf_fixture.h"

#include <pthread.h>

#define SECONDS	2

struct race {
	unsigned char *p;
	size_t len;
	volatile bool stop;
};

static void *touch(void *arg)
{
	struct race *r = arg;
	unsigned int i;

	for (i = 0; !r->stop; i++)
		((volatile unsigned char *)r->p)[i * 77UL * SZ_4K % r->len] = 1;
	return NULL;
}

static void *discard(void *arg)
{
	struct race *r = arg;

	while (!r->stop)
		madvise(r->p + SZ_4K, SZ_4K, MADV_DONTNEED);
	return NULL;
}

TEST_F_TIMEOUT(buf, discard_against_touch, 120)
{
	struct race r = { .p = self->p, .len = self->page };
	pthread_t thread[4];
	int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, i % 2 ? discard : touch, &r));
	}
	sleep(SECONDS);
	r.stop = true;
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	}
	for (i = 0; i < 512; i++) {
		EXPECT_EQ(1, self->p[(size_t)i * 77 * SZ_4K % self->page]);
	}
}

BUF_TEST_MAIN(1, 1)
