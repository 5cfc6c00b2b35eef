/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a page lies in the machine's memory. No interface tells that of page frames
 * mapped into a process, so the first bytes are made unique and looked for in
 * /proc/kcore, which holds all memory.
 */
#ifndef HPBUF_PHYS_H
#define HPBUF_PHYS_H

#include <elf.h>
#include <sys/random.h>

#include "hpbuf_test.h"

struct phys_tag {
	uint64_t word[2];
};

/* An aligned page of the segment that begins with @tag, or 0: is none. */
static inline uint64_t phys_in(int kcore, const Elf64_Phdr *seg, uint64_t page,
			       const struct phys_tag *tag)
{
	uint64_t end = seg->p_paddr + seg->p_memsz;
	uint64_t at = (seg->p_paddr + page - 1) & ~(page - 1);
	struct phys_tag found;

	for (; at + page <= end; at += page)
		if (pread(kcore, &found, sizeof(found),
			  seg->p_offset + (at - seg->p_paddr)) == sizeof(found) &&
		    !memcmp(&found, tag, sizeof(found)))
			return at;
	return 0;
}

static inline uint64_t phys_search(int kcore, uint64_t page, const struct phys_tag *tag)
{
	Elf64_Ehdr head;
	Elf64_Phdr seg;
	uint64_t at = 0;
	unsigned int i;

	if (pread(kcore, &head, sizeof(head), 0) != sizeof(head))
		return 0;
	for (i = 0; i < head.e_phnum && !at; i++) {
		if (pread(kcore, &seg, sizeof(seg), head.e_phoff + i * sizeof(seg)) !=
		    sizeof(seg))
			return 0;
		/* Those of no memory have an address that is none. */
		if (seg.p_type == PT_LOAD && seg.p_paddr + seg.p_memsz > seg.p_paddr)
			at = phys_in(kcore, &seg, page, tag);
	}
	return at;
}

/* The physical address of the page of @size that is mapped at @p, or 0. */
static inline uint64_t phys_of(void *p, uint64_t size)
{
	int kcore = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	struct phys_tag was, tag;
	uint64_t at;

	if (kcore < 0)
		return 0;
	memcpy(&was, p, sizeof(was));
	if (getrandom(&tag, sizeof(tag), 0) != sizeof(tag))
		memset(&tag, 0x5a, sizeof(tag));
	memcpy(p, &tag, sizeof(tag));
	at = phys_search(kcore, size, &tag);
	memcpy(p, &was, sizeof(was));
	close(kcore);
	return at;
}

#endif
