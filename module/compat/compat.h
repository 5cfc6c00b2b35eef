/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels, and nothing else. The answers come from
 * probe.sh; nowhere else in the module is there an #if about the kernel.
 */
#ifndef HPBUF_COMPAT_H
#define HPBUF_COMPAT_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/page_ref.h>
#include <linux/page_table_check.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <asm/cpufeature.h>

#include "probed.h"

#if !defined(CONFIG_X86_64) || !defined(CONFIG_TRANSPARENT_HUGEPAGE) || \
	!defined(CONFIG_HAVE_ARCH_TRANSPARENT_HUGEPAGE_PUD) || \
	!defined(CONFIG_CONTIG_ALLOC)
#error "hpbuf needs x86-64 with CONFIG_TRANSPARENT_HUGEPAGE and CONFIG_CONTIG_ALLOC"
#endif

#ifndef PMD_ORDER
#define PMD_ORDER	(PMD_SHIFT - PAGE_SHIFT)
#endif
#ifndef PUD_ORDER
#define PUD_ORDER	(PUD_SHIFT - PAGE_SHIFT)
#endif

/* ---- flags of a mapping ---- */

#ifndef HPBUF_HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* ---- finding a free range of addresses ---- */

static inline unsigned long compat_get_area(struct file *file, unsigned long addr,
					    unsigned long len, unsigned long pgoff,
					    unsigned long flags)
{
#if defined(HPBUF_HAVE_GET_AREA)
	return mm_get_unmapped_area(file, addr, len, pgoff, flags);
#elif defined(HPBUF_HAVE_GET_AREA_MM)
	return mm_get_unmapped_area(current->mm, file, addr, len, pgoff, flags);
#else
	return current->mm->get_unmapped_area(file, addr, len, pgoff, flags);
#endif
}

/* ---- transparent huge pages switched off for a whole process ---- */

static inline bool compat_thp_off(struct mm_struct *mm)
{
#ifdef HPBUF_HAVE_MM_FLAGS_TEST
	return mm_flags_test(MMF_DISABLE_THP_COMPLETELY, mm) ||
	       mm_flags_test(MMF_DISABLE_THP_EXCEPT_ADVISED, mm);
#else
	return test_bit(MMF_DISABLE_THP, &mm->flags);
#endif
}

/* ---- a contiguous range of page frames ---- */

/*
 * A compound page is given back faster. But before page_ext_iter (6.15), page_owner and
 * page_table_check walk the page_ext of all its pages as one array, and 1 GiB lies in
 * eight sections with an array each: memory behind the first is overwritten.
 * page_table_check does the same when a 1 GiB leaf is set: see compat_map_1g().
 */
#if (defined(CONFIG_PAGE_OWNER) || defined(CONFIG_PAGE_TABLE_CHECK)) && \
	!defined(HPBUF_HAVE_PAGE_EXT_ITER)
#define COMPAT_COMP_BROKEN	1
#endif

#if (defined(HPBUF_HAVE_CONTIG_FROZEN) || defined(HPBUF_HAVE_CONTIG_COMP)) && \
	!defined(COMPAT_COMP_BROKEN)
#define COMPAT_COMP		1
#define COMPAT_CONTIG_GFP	__GFP_COMP
#else
#define COMPAT_CONTIG_GFP	0
#endif

/*
 * Get [@pfn, @pfn + 2^@order). With COMPAT_CONTIG_GFP in @gfp, where it is not
 * 0, the range comes as one compound page with a count of 1; else as pages with
 * a count of 1 each. Whoever frees it asks PageHead().
 */
static inline int compat_alloc_range(unsigned long pfn, unsigned int order, gfp_t gfp)
{
	unsigned long end = pfn + (1UL << order);
#if defined(HPBUF_HAVE_CONTIG_FROZEN)
	int ret = alloc_contig_frozen_range(pfn, end, ACR_FLAGS_NONE, gfp);

	if (!ret)
		set_page_count(pfn_to_page(pfn), 1);
	return ret;
#elif defined(HPBUF_HAVE_ACR_FLAGS)
	return alloc_contig_range(pfn, end, ACR_FLAGS_NONE, gfp);
#else
	return alloc_contig_range(pfn, end, MIGRATE_MOVABLE, gfp);
#endif
}

/*
 * Whether the kernel survives a 1 GiB leaf, which the CPU must know besides. With
 * page_table_check switched on, those before 6.15 do not.
 */
static inline bool compat_map_1g(void)
{
#if defined(CONFIG_PAGE_TABLE_CHECK) && !defined(HPBUF_HAVE_PAGE_EXT_ITER)
	if (!static_branch_likely(&page_table_check_disabled))
		return false;
#endif
	return boot_cpu_has(X86_FEATURE_GBPAGES);
}

/* ---- leaf entries ---- */

/*
 * Three ways to map, from the newest to the oldest:
 *  folio    the pages are counted and can be pinned
 *  special  PFN mapping; the entry's special bit keeps GUP away
 *  devmap   PFN mapping; GUP-fast of these kernels knows no special bit for
 *           huge entries and would take references on pages without a head.
 *           The devmap bit makes it look for a dev_pagemap, find none, and
 *           back off.
 */
/*
 * Folios are not mapped unless HPBUF_MAP_FOLIOS is defined, for a kernel in which
 * this is mended: such a mapping is not VM_PFNMAP, so madvise(MADV_DONTNEED) takes
 * a part of a 1 GiB leaf. zap_pud_range() clears the leaf, another thread faults it
 * in again, and pud_none_or_clear_bad() wipes it without dropping its reference:
 * "bad pud", and the memory is lost until reboot. Seen on 7.3.
 */
#if defined(HPBUF_HAVE_INSERT_FOLIO) && defined(HPBUF_MAP_FOLIOS)
#if !defined(COMPAT_COMP)
#error "hpbuf: this kernel maps folios but gives no compound 1 GiB page"
#endif
#define COMPAT_MAP_FOLIO	1
#define COMPAT_VM_FLAGS		(VM_DONTEXPAND | VM_DONTDUMP)
#else
#define COMPAT_MAP_FOLIO	0
#define COMPAT_VM_FLAGS		(VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP)
#if defined(HPBUF_HAVE_PFN_SPECIAL)
#if !defined(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP) || !defined(CONFIG_ARCH_SUPPORTS_PUD_PFNMAP)
#error "hpbuf: this kernel has no special bit for huge entries: GUP would corrupt pages"
#endif
#define COMPAT_PFN_FLAGS	PFN_DEV
#else
#if !defined(CONFIG_ARCH_HAS_PTE_DEVMAP)
#error "hpbuf: this kernel lacks CONFIG_ZONE_DEVICE: GUP would corrupt pages"
#endif
#define COMPAT_PFN_FLAGS	(PFN_DEV | PFN_MAP)
#endif
#ifdef HPBUF_HAVE_PFN_T
#include <linux/pfn_t.h>
#define COMPAT_PFN(pfn)		__pfn_to_pfn_t(pfn, COMPAT_PFN_FLAGS)
#else
#define COMPAT_PFN(pfn)		(pfn)
#endif
#endif /* COMPAT_MAP_FOLIO */

/*
 * Whether buffers' inodes are DAX: see fs.c. Kernels that can map folios count what
 * a DAX mapping maps, and would count page frames that nobody has counted in.
 */
#if COMPAT_MAP_FOLIO || !defined(HPBUF_HAVE_INSERT_FOLIO)
#define COMPAT_INODE_FLAGS	(S_DAX | S_NOATIME)
#else
#define COMPAT_INODE_FLAGS	S_NOATIME
#endif

/* Get a fresh page ready to be mapped. */
static inline void compat_prepare_page(struct page *page)
{
#if COMPAT_MAP_FOLIO && defined(HPBUF_HAVE_LARGE_RMAPPABLE)
	folio_set_large_rmappable(page_folio(page));
#endif
}

static inline vm_fault_t compat_insert_pmd(struct vm_fault *vmf, unsigned long pfn, bool write)
{
#if COMPAT_MAP_FOLIO
	return vmf_insert_folio_pmd(vmf, page_folio(pfn_to_page(pfn)), write);
#else
	return vmf_insert_pfn_pmd(vmf, COMPAT_PFN(pfn), write);
#endif
}

static inline vm_fault_t compat_insert_pud(struct vm_fault *vmf, unsigned long pfn, bool write)
{
#if COMPAT_MAP_FOLIO
	return vmf_insert_folio_pud(vmf, page_folio(pfn_to_page(pfn)), write);
#else
	return vmf_insert_pfn_pud(vmf, COMPAT_PFN(pfn), write);
#endif
}

/* The second argument of vm_ops->huge_fault, and what it says as an order. */
#ifdef HPBUF_HAVE_PAGE_ENTRY_SIZE
#define compat_fault_size	enum page_entry_size
static inline unsigned int compat_fault_order(compat_fault_size size)
{
	return size == PE_SIZE_PUD ? PUD_ORDER : size == PE_SIZE_PMD ? PMD_ORDER : 0;
}
#else
#define compat_fault_size	unsigned int
static inline unsigned int compat_fault_order(compat_fault_size size)
{
	return size;
}
#endif

#endif /* HPBUF_COMPAT_H */
