/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of /proc and /sys. None writes; none keeps a file open. */
#ifndef HPCTL_PROC_H
#define HPCTL_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** proc_text - first line of a file without its newline; false: unreadable */
bool proc_text(const char *path, char *buf, size_t size);

/** proc_u64 - a file that holds one number */
bool proc_u64(const char *path, uint64_t *value);

/** proc_bracketed - the word in [brackets] of a switch file */
bool proc_bracketed(const char *path, char *buf, size_t size);

/**
 * proc_field - the number behind @key at the start of a line
 * @key: with its colon or space: "VmPTE:", "pswpin ". Units are not looked at:
 *	meminfo and status are in KiB.
 */
bool proc_field(const char *path, const char *key, uint64_t *value);

/** struct proc_status - of /proc/self/status; bytes, -1 when the line is not there */
struct proc_status {
	int64_t pte, rss, swap, hugetlb;
};

void proc_status(struct proc_status *s);

/** struct proc_smaps - what smaps tells of a range; bytes */
struct proc_smaps {
	uint64_t covered;	/* of the range, by mappings */
	uint64_t rss;		/* without hugetlb */
	uint64_t anon_huge, shmem_huge, file_huge;
	uint64_t hugetlb;
	uint64_t page;		/* KernelPageSize, the smallest of all */
	uint64_t swap;
	bool loose;		/* a mapping sticks out of the range */
};

/**
 * proc_smaps - sum the mappings that overlap [addr, addr + len)
 *
 * Do not call it while a folio-mapped 1 GiB buffer of hpbuf is mapped (kernel
 * 6.12 and later): the kernel's smaps walk splits, that is drops, its leaf.
 */
bool proc_smaps(const void *addr, size_t len, struct proc_smaps *s);

#endif
