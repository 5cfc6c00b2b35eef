/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_MAP_H
#define HPBUF_MAP_H

#include <linux/types.h>
#include <linux/hpbuf.h>

struct buf;
struct file;
struct vm_area_struct;

/* f_op->mmap and f_op->get_unmapped_area of a buffer's file. */
int map_mmap(struct file *file, struct vm_area_struct *vma);
unsigned long map_get_area(struct file *file, unsigned long addr, unsigned long len,
			   unsigned long pgoff, unsigned long flags);

/*
 * Fault in [@addr, @addr + @len) of the caller, all of it mappings of @b.
 * Errors as HPBUF_IOC_POPULATE documents; @done counts in both cases.
 */
int map_populate(struct buf *b, unsigned long addr, unsigned long len, u64 *done);

struct walk_census;

/* Add up the leaves of the caller's mappings of @b. 0 or -EINTR. */
int map_census(struct buf *b, struct walk_census *c);

#endif
