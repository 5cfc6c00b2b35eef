// SPDX-License-Identifier: GPL-2.0
/*
 * Leaf census: what the page tables say, whatever the mapping is.
 *
 * As GUP-fast does it: interrupts are off for each step, which keeps the tables
 * from being freed (munmap frees them under the mmap read lock, so that lock
 * would not), and each entry is read once. A step covers at most one table of
 * PTEs.
 *
 * "Mapped" is what the hardware would find: an entry with the present bit. A
 * PROT_NONE page or a swapped one is not.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched/signal.h>

#include "walk.h"

struct walk_step {
	struct walk_census *c;
	unsigned long start;	/* of the whole range */
	unsigned long end;
};

static bool hw_present(u64 flags)
{
	return flags & _PAGE_PRESENT;
}

/* A table is counted by the first step of the range that lies in it. */
static void count_table(struct walk_step *s, unsigned long addr, unsigned long span)
{
	if (addr == s->start || IS_ALIGNED(addr, span))
		s->c->tables += PAGE_SIZE;
}

static unsigned long step_ptes(struct walk_step *s, pmd_t *pmd, unsigned long addr)
{
	unsigned long next = pmd_addr_end(addr, s->end);
	unsigned long at;
	pte_t *pte = pte_offset_kernel(pmd, addr);

	s->c->tables += PAGE_SIZE;
	for (at = addr; at < next; at += PAGE_SIZE, pte++) {
		if (hw_present(pte_flags(READ_ONCE(*pte))))
			s->c->pte += PAGE_SIZE;
		else
			s->c->none += PAGE_SIZE;
	}
	return next;
}

static unsigned long step_pmd(struct walk_step *s, pud_t *pudp, pud_t pud, unsigned long addr)
{
	unsigned long next = pmd_addr_end(addr, s->end);
	pmd_t *pmdp = pmd_offset_lockless(pudp, pud, addr);
	pmd_t pmd = READ_ONCE(*pmdp);

	count_table(s, addr, PUD_SIZE);
	if (!hw_present(pmd_flags(pmd)))
		s->c->none += next - addr;
	else if (pmd_leaf(pmd))
		s->c->pmd += next - addr;
	else
		return step_ptes(s, &pmd, addr);
	return next;
}

static unsigned long step_pud(struct walk_step *s, p4d_t *p4dp, p4d_t p4d, unsigned long addr)
{
	unsigned long next = pud_addr_end(addr, s->end);
	pud_t *pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud_t pud = READ_ONCE(*pudp);

	count_table(s, addr, P4D_SIZE);
	if (!hw_present(pud_flags(pud)))
		s->c->none += next - addr;
	else if (pud_leaf(pud))
		s->c->pud += next - addr;
	else
		return step_pmd(s, pudp, pud, addr);
	return next;
}

/* Account for @addr and what follows in the same table; returns where to go on. */
static unsigned long walk_step(struct walk_step *s, struct mm_struct *mm, unsigned long addr)
{
	unsigned long next = pgd_addr_end(addr, s->end);
	pgd_t *pgdp = pgd_offset(mm, addr);
	pgd_t pgd = READ_ONCE(*pgdp);
	p4d_t *p4dp, p4d;

	if (pgd_none(pgd) || pgd_bad(pgd)) {
		s->c->none += next - addr;
		return next;
	}
	next = p4d_addr_end(addr, s->end);
	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = READ_ONCE(*p4dp);
	if (pgtable_l5_enabled())
		count_table(s, addr, PGDIR_SIZE);
	if (!hw_present(p4d_flags(p4d))) {
		s->c->none += next - addr;
		return next;
	}
	return step_pud(s, p4dp, p4d, addr);
}

int walk_census(struct mm_struct *mm, unsigned long addr, unsigned long len,
		struct walk_census *c)
{
	struct walk_step s = { .c = c, .start = addr, .end = addr + len };
	unsigned long flags;

	if (!len || s.end < addr || s.end > TASK_SIZE_MAX ||
	    !PAGE_ALIGNED(addr) || !PAGE_ALIGNED(len))
		return -EINVAL;
	while (addr < s.end) {
		/* Only then: netlink sends no answer when a request is interrupted. */
		if (fatal_signal_pending(current))
			return -EINTR;
		local_irq_save(flags);
		addr = walk_step(&s, mm, addr);
		local_irq_restore(flags);
		cond_resched();
	}
	return 0;
}

unsigned int walk_levels(void)
{
	return pgtable_l5_enabled() ? 5 : 4;
}
