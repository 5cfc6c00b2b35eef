/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All memory, read in /proc/kcore. No interface tells where page frames lie that are
 * mapped into a process, so what was written to them is looked for.
 */
#ifndef HPBUF_KCORE_H
#define HPBUF_KCORE_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* An open /proc/kcore or -1. */
static inline int kcore_open(void)
{
	return open("/proc/kcore", O_RDONLY | O_CLOEXEC);
}

/* @at is where the page begins in kcore, @phys in memory. True ends the search. */
typedef bool (*kcore_fn)(int kcore, uint64_t at, uint64_t phys, void *arg);

static inline bool kcore_segment(int kcore, const Elf64_Phdr *seg, uint64_t page, kcore_fn fn,
				 void *arg)
{
	uint64_t end = seg->p_paddr + seg->p_memsz;
	uint64_t phys = (seg->p_paddr + page - 1) & ~(page - 1);

	/* What is no memory has no address there. */
	if (seg->p_type != PT_LOAD || end <= seg->p_paddr)
		return false;
	for (; phys + page <= end; phys += page)
		if (fn(kcore, seg->p_offset + (phys - seg->p_paddr), phys, arg))
			return true;
	return false;
}

/* Call @fn for each aligned page of that size; whether it said true. */
static inline bool kcore_each(int kcore, uint64_t page, kcore_fn fn, void *arg)
{
	Elf64_Ehdr head;
	Elf64_Phdr seg;
	unsigned int i;

	if (pread(kcore, &head, sizeof(head), 0) != sizeof(head))
		return false;
	for (i = 0; i < head.e_phnum; i++) {
		if (pread(kcore, &seg, sizeof(seg), head.e_phoff + i * sizeof(seg)) !=
		    sizeof(seg))
			return false;
		if (kcore_segment(kcore, &seg, page, fn, arg))
			return true;
	}
	return false;
}

#endif
