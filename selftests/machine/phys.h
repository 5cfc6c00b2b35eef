/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a page of a buffer lies in the machine's memory. */
#ifndef HPBUF_PHYS_H
#define HPBUF_PHYS_H

#include <sys/random.h>

#include "hpbuf_test.h"
#include "kcore.h"

/* The page that begins with @word. */
struct phys_tag {
	uint64_t word[2];
	uint64_t phys;
};

static inline bool phys_is_it(int kcore, uint64_t at, uint64_t phys, void *arg)
{
	struct phys_tag *tag = arg;
	uint64_t found[2];

	if (pread(kcore, found, sizeof(found), at) != sizeof(found) ||
	    memcmp(found, tag->word, sizeof(found)))
		return false;
	tag->phys = phys;
	return true;
}

/* The physical address of the page of @size that is mapped at @p, or 0. */
static inline uint64_t phys_of(void *p, uint64_t size)
{
	struct phys_tag tag = { .word = { 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f } };
	int kcore = kcore_open();
	uint64_t was[2];

	if (kcore < 0)
		return 0;
	if (getrandom(tag.word, sizeof(tag.word), 0) < 0)
		fprintf(stderr, "# no random words: %s\n", strerror(errno));
	memcpy(was, p, sizeof(was));
	memcpy(p, tag.word, sizeof(was));
	kcore_each(kcore, size, phys_is_it, &tag);
	memcpy(p, was, sizeof(was));
	close(kcore);
	return tag.phys;
}

#endif
