// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers in address spaces: where they may lie, and faults.
 *
 * Only whole leaves are ever mapped, so everything that would need a part of
 * one is refused before the kernel's code for splitting leaves is reached. That
 * code clears a 1 GiB entry as bad, some of it without a TLB flush.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>

#include "buf.h"
#include "compat/compat.h"
#include "map.h"
#include "poison.h"
#include "walk.h"

/* ---- faults ---- */

/* The page of the buffer that belongs at @addr. */
static u64 map_index(const struct vm_area_struct *vma, unsigned long addr)
{
	const struct buf *b = vma->vm_private_data;

	return (((u64)vma->vm_pgoff << PAGE_SHIFT) + (addr - vma->vm_start)) >> b->shift;
}

/* Certain under the mapping's invalidate lock. */
static bool map_poisoned(const struct buf *b, u64 index)
{
	return READ_ONCE(b->poisoned) && poison_in(b->shift, b->pfn[index]);
}

/*
 * The memory is there, so nothing is gained by a fault for each page: map what else
 * belongs into this table of PMD entries, as far as nothing is there yet.
 */
static void map_around(const struct vm_fault *vmf, bool write)
{
	struct vm_area_struct *vma = vmf->vma;
	const struct buf *b = vma->vm_private_data;
	unsigned long here = vmf->address & PMD_MASK;
	unsigned long addr = max(vma->vm_start, vmf->address & PUD_MASK);
	/* May be 0 at the end of the address space, so by the last byte. */
	unsigned long last = min(vma->vm_end - 1, vmf->address | ~PUD_MASK);
	u64 index;

	for (; addr < last; addr += PMD_SIZE) {
		struct vm_fault v = {
			.vma = vma,
			.gfp_mask = vmf->gfp_mask,
			.pgoff = vmf->pgoff,
			.address = addr,
			.real_address = addr,
			.flags = vmf->flags,
			.pmd = vmf->pmd + (long)(addr - here) / (long)PMD_SIZE,
			.pud = vmf->pud,
		};

		index = map_index(vma, addr);
		if (!pmd_none(READ_ONCE(*v.pmd)) || map_poisoned(b, index))
			continue;
		if (compat_insert_pmd(&v, b->pfn[index], write) != VM_FAULT_NOPAGE)
			return;
	}
}

/* Under the mapping's invalidate lock: the page does not fail while it is mapped. */
static vm_fault_t map_page(struct vm_fault *vmf, unsigned int order, u64 index)
{
	const struct buf *b = vmf->vma->vm_private_data;
	/* Who reads first writes later: that need not be another fault. */
	bool write = vmf->flags & FAULT_FLAG_WRITE || vmf->vma->vm_flags & VM_WRITE;
	vm_fault_t ret;

	/* The signal names the address, and 4 KiB: for more one must be hugetlbfs. */
	if (map_poisoned(b, index))
		return VM_FAULT_HWPOISON;
	if (order == PUD_ORDER)
		return compat_insert_pud(vmf, b->pfn[index], write);
	ret = compat_insert_pmd(vmf, b->pfn[index], write);
	if (ret == VM_FAULT_NOPAGE)
		map_around(vmf, write);
	return ret;
}

static vm_fault_t map_insert(struct vm_fault *vmf, unsigned int order)
{
	struct buf *b = vmf->vma->vm_private_data;
	u64 index = map_index(vmf->vma, vmf->address);
	u64 start = ktime_get_ns();
	vm_fault_t ret;

	if (WARN_ON_ONCE(index >= b->nr))
		return VM_FAULT_SIGBUS;
	/*
	 * Only a debugger's forced access gets here. A PUD entry without access
	 * is not present to the kernel: it would fault again, for ever.
	 */
	if (!(vmf->vma->vm_flags & (VM_READ | VM_WRITE)))
		return VM_FAULT_SIGBUS;
	filemap_invalidate_lock_shared(b->inode->i_mapping);
	ret = map_page(vmf, order, index);
	filemap_invalidate_unlock_shared(b->inode->i_mapping);
	if (ret == VM_FAULT_NOPAGE)
		buf_account_fault(b, index, ktime_get_ns() - start);
	return ret;
}

static vm_fault_t map_huge_fault(struct vm_fault *vmf, compat_fault_size size)
{
	const struct buf *b = vmf->vma->vm_private_data;
	unsigned int order = compat_fault_order(size);

	if (order != b->shift - PAGE_SHIFT)
		return VM_FAULT_FALLBACK;
	/* A table is there already: huge pages were off for a while. */
	if (order == PUD_ORDER && !pud_none(*vmf->pud) && !pud_leaf(*vmf->pud))
		return VM_FAULT_FALLBACK;
	return map_insert(vmf, order);
}

/*
 * Reached when the kernel made no huge fault of it: huge pages are off for the
 * process or the mapping. A PMD entry can still be set from here. For a PUD it
 * is too late, the table below is allocated.
 */
static vm_fault_t map_fault(struct vm_fault *vmf)
{
	const struct buf *b = vmf->vma->vm_private_data;

	if (b->shift != PMD_SHIFT)
		return VM_FAULT_SIGBUS;
	/* A table in its place would make it fault again, for ever. */
	if (!pmd_none(*vmf->pmd) && !pmd_leaf(*vmf->pmd))
		return VM_FAULT_SIGBUS;
	return map_insert(vmf, PMD_ORDER);
}

/* ---- the life of a mapping ---- */

static void map_open(struct vm_area_struct *vma)
{
	struct buf *b = vma->vm_private_data;

	atomic_inc(&b->mappings);
}

static void map_close(struct vm_area_struct *vma)
{
	struct buf *b = vma->vm_private_data;

	atomic64_set(&b->unmapped_ns, ktime_get_boottime_ns());
	atomic_dec(&b->mappings);
}

static int map_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	const struct buf *b = vma->vm_private_data;

	return IS_ALIGNED(addr, 1UL << b->shift) ? 0 : -EINVAL;
}

/* The kernels' code for PUD entries loses or leaks them. */
static int map_mprotect(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			unsigned long newflags)
{
	const struct buf *b = vma->vm_private_data;

	if (b->shift == PMD_SHIFT || newflags == vma->vm_flags)
		return 0;
	return -EINVAL;
}

static unsigned long map_pagesize(struct vm_area_struct *vma)
{
	const struct buf *b = vma->vm_private_data;

	return 1UL << b->shift;
}

/*
 * @len bytes at @at in the page can be read. A failure may be a moment old, so not by
 * the count alone; and all of a 1 GiB page is too much to be looked at each time.
 */
static bool map_readable(const struct buf *b, u64 index, u64 at, u64 len)
{
	unsigned long pfn = b->pfn[index] + (at >> PAGE_SHIFT);
	unsigned long last = b->pfn[index] + ((at + len - 1) >> PAGE_SHIFT);

	for (; pfn <= last; pfn++)
		if (PageHWPoison(pfn_to_page(pfn)))
			return false;
	return !map_poisoned(b, index);
}

/* ptrace and /proc/PID/mem, when they cannot take the page itself. */
static int map_access(struct vm_area_struct *vma, unsigned long addr, void *data, int len,
		      int write)
{
	const struct buf *b = vma->vm_private_data;
	u64 at = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (addr - vma->vm_start);
	u64 in_page = at & ((1ULL << b->shift) - 1);
	void *mem;

	/* The caller does not look at the mapping's own permissions. */
	if (!(vma->vm_flags & (write ? VM_WRITE : VM_READ)))
		return -EFAULT;
	if (addr < vma->vm_start || addr >= vma->vm_end || at >> b->shift >= b->nr)
		return -EFAULT;
	len = min_t(u64, len, (1ULL << b->shift) - in_page);
	/* The kernel would not survive reading what failed. */
	if (!map_readable(b, at >> b->shift, in_page, len))
		return -EFAULT;
	mem = page_address(pfn_to_page(b->pfn[at >> b->shift])) + in_page;
	if (write)
		memcpy(mem, data, len);
	else
		memcpy(data, mem, len);
	return len;
}

static const struct vm_operations_struct map_vm_ops = {
	.open = map_open,
	.close = map_close,
	.may_split = map_may_split,
	.mprotect = map_mprotect,
	.fault = map_fault,
	.huge_fault = map_huge_fault,
	.pagesize = map_pagesize,
	.access = map_access,
};

static bool map_range_ok(const struct buf *b, const struct vm_area_struct *vma)
{
	u64 page = 1ULL << b->shift;
	u64 len = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;

	if (vma->vm_pgoff > U64_MAX >> PAGE_SHIFT)
		return false;
	if (!IS_ALIGNED(vma->vm_start, page) || !IS_ALIGNED(len, page) ||
	    !IS_ALIGNED(offset, page))
		return false;
	return offset <= buf_size(b) && len <= buf_size(b) - offset;
}

int map_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct buf *b = file->private_data;

	/* VM_SHARED is not set on a read-only file's shared mapping. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	if (!map_range_ok(b, vma))
		return -EINVAL;
	if (b->shift == PUD_SHIFT && compat_thp_off(current->mm))
		return -EOPNOTSUPP;

	vm_flags_set(vma, COMPAT_VM_FLAGS);
	/* Newer kernels take MAP_STACK for a wish to have no huge pages. */
	vm_flags_clear(vma, VM_MAYEXEC | VM_NOHUGEPAGE);
	vma->vm_private_data = b;
	vma->vm_ops = &map_vm_ops;
	map_open(vma);
	return 0;
}

/* ---- where a mapping goes ---- */

/* Room for @len bytes at a multiple of @align, or an error. */
static unsigned long map_free_area(struct file *file, unsigned long len, unsigned long pgoff,
				   unsigned long flags, unsigned long align)
{
	unsigned long at;

	if (len + align < len)
		return -ENOMEM;
	at = compat_get_area(file, 0, len + align - PAGE_SIZE, pgoff, flags);
	return IS_ERR_VALUE(at) ? at : ALIGN(at, align);
}

unsigned long map_get_area(struct file *file, unsigned long addr, unsigned long len,
			   unsigned long pgoff, unsigned long flags)
{
	const struct buf *b = file->private_data;
	unsigned long page = 1UL << b->shift;
	unsigned long at;

	if (!IS_ALIGNED(len, page) || !IS_ALIGNED(pgoff, page >> PAGE_SHIFT))
		return -EINVAL;
	if (flags & MAP_FIXED) {
		/*
		 * mmap() sets both bits for MAP_FIXED_NOREPLACE, mremap() to a
		 * new place only the first. A PUD entry must not be moved: the
		 * kernel clears it as bad and leaves the old place readable.
		 */
		if (!(flags & MAP_FIXED_NOREPLACE) || !IS_ALIGNED(addr, page))
			return -EINVAL;
		return addr;
	}
	if (addr && IS_ALIGNED(addr, page)) {
		at = compat_get_area(file, addr, len, pgoff, flags);
		if (at == addr)
			return at;
	}
	/* A whole table of PMD entries at a time is one fault and one table less. */
	if (len >= PUD_SIZE) {
		at = map_free_area(file, len, pgoff, flags, PUD_SIZE);
		if (!IS_ERR_VALUE(at))
			return at;
	}
	return map_free_area(file, len, pgoff, flags, page);
}

/* ---- on behalf of ioctls ---- */

/* One leaf at @addr, under the mmap read lock. */
static int populate_one(struct buf *b, unsigned long addr)
{
	struct vm_area_struct *vma = vma_lookup(current->mm, addr);
	unsigned int flags = 0;
	bool unlocked = false;
	int ret;

	if (!vma || vma->vm_ops != &map_vm_ops || vma->vm_private_data != b)
		return -ENOMEM;
	if (vma->vm_flags & VM_WRITE)
		flags |= FAULT_FLAG_WRITE;
	ret = fixup_user_fault(current->mm, addr, flags, &unlocked);
	return ret == -ENOMEM ? -EFAULT : ret;
}

int map_populate(struct buf *b, unsigned long addr, unsigned long len, u64 *done)
{
	unsigned long page = 1UL << b->shift;
	unsigned long end = addr + len;
	int ret = 0;

	*done = 0;
	if (!len || end < addr || !IS_ALIGNED(addr, page) || !IS_ALIGNED(len, page))
		return -EINVAL;
	while (addr < end && !ret) {
		if (signal_pending(current))
			return -EINTR;
		mmap_read_lock(current->mm);
		ret = populate_one(b, addr);
		mmap_read_unlock(current->mm);
		if (!ret)
			*done += page;
		addr += page;
		cond_resched();
	}
	return ret;
}

int map_census(struct buf *b, struct walk_census *c)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct vma_iterator vmi;
	int ret;

	ret = mmap_read_lock_killable(mm);
	if (ret)
		return ret;
	vma_iter_init(&vmi, mm, 0);
	for_each_vma(vmi, vma) {
		if (vma->vm_ops != &map_vm_ops || vma->vm_private_data != b)
			continue;
		ret = walk_census(mm, vma->vm_start, vma->vm_end - vma->vm_start, c);
		if (ret)
			break;
	}
	mmap_read_unlock(mm);
	return ret;
}
