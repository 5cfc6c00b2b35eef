// SPDX-License-Identifier: GPL-2.0
/*
 * Timing one page walk.
 *
 * A sample is a byte of a page that the caller has mapped. With interrupts off:
 *
 *	load		the data is in the cache
 *	INVLPG, load	the TLB entry is in, and has been made by this way
 *	hit		timed load
 *	INVLPG, warm	timed load: the TLB misses, the tables' lines are in the
 *			cache, since the load before walked them
 *	CLFLUSH the entries on the way, INVLPG, cold
 *			timed load: each level is read from memory
 *
 * What a walk costs is warm - hit, or cold - hit.
 *
 * Why INVLPG drops the entry that the load would use: the load is made by the
 * kernel, so on the kernel's page tables and PCID also where user space has its
 * own (PTI). INVLPG drops the entry of the current PCID and global ones. It
 * drops the paging-structure caches too (Intel: all of the PCID; AMD: all, or
 * with EFER.TCE those for the address), so the walk starts at the top.
 *
 * The tables cannot be freed while interrupts are off, see walk.c. An entry may
 * be cleared by another CPU meanwhile: a load that misses then is caught by the
 * exception table.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/special_insns.h>
#include <asm/tsc.h>

#include "hist.h"
#include "walk_time.h"

/* Samples between two looks at signals and the scheduler. */
#define BATCH		64
#define MAX_TABLES	5

/* The entries that translate one address, from the top, and what the leaf says. */
struct walk_path {
	const void *entry[MAX_TABLES];
	int depth;
	enum walk_level level;
	unsigned long pfn;
	u64 flags;
};

bool walk_can_time(void)
{
	return !boot_cpu_has(X86_FEATURE_XENPV) && boot_cpu_has(X86_FEATURE_CLFLUSH) &&
	       boot_cpu_has(X86_FEATURE_TSC);
}

static void path_add(struct walk_path *p, const void *entry)
{
	p->entry[p->depth++] = entry;
}

static bool path_end(struct walk_path *p, enum walk_level level, unsigned long pfn, u64 flags)
{
	p->level = level;
	p->pfn = pfn;
	p->flags = flags;
	return flags & _PAGE_PRESENT;
}

/* Not the registers of a device that somebody has mapped: cached, online RAM. */
static bool path_is_ram(const struct walk_path *p)
{
	return !(p->flags & (_PAGE_PCD | _PAGE_PWT)) && pfn_to_online_page(p->pfn);
}

/* The leaf of @addr, or false when the hardware would find none. */
static bool find_path(struct mm_struct *mm, unsigned long addr, struct walk_path *p)
{
	pgd_t *pgdp = pgd_offset(mm, addr), pgd = READ_ONCE(*pgdp);
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;
	pmd_t *pmdp, pmd;
	pte_t *ptep, pte;

	p->depth = 0;
	if (!(pgd_flags(pgd) & _PAGE_PRESENT))
		return false;
	path_add(p, pgdp);
	/* With four levels this is our copy of the entry above, not a table. */
	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = READ_ONCE(*p4dp);
	if (!(p4d_flags(p4d) & _PAGE_PRESENT))
		return false;
	if (pgtable_l5_enabled())
		path_add(p, p4dp);
	pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud = READ_ONCE(*pudp);
	if (!(pud_flags(pud) & _PAGE_PRESENT))
		return false;
	path_add(p, pudp);
	if (pud_leaf(pud))
		return path_end(p, WALK_PUD, pud_pfn(pud), pud_flags(pud));
	pmdp = pmd_offset_lockless(pudp, pud, addr);
	pmd = READ_ONCE(*pmdp);
	if (!(pmd_flags(pmd) & _PAGE_PRESENT))
		return false;
	path_add(p, pmdp);
	if (pmd_leaf(pmd))
		return path_end(p, WALK_PMD, pmd_pfn(pmd), pmd_flags(pmd));
	ptep = pte_offset_kernel(&pmd, addr);
	pte = READ_ONCE(*ptep);
	path_add(p, ptep);
	return path_end(p, WALK_PTE, pte_pfn(pte), pte_flags(pte));
}

static __always_inline void flush_one(const void __user *addr)
{
	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
}

/* The load lies between the two readings and nothing else does. */
#define timed_load(ticks, addr, fault)				\
do {								\
	u64 __t0, __t1;						\
	u8 __maybe_unused __byte;				\
								\
	mb();	/* what came before is over */			\
	__t0 = rdtsc_ordered();					\
	rmb();	/* the load starts after the reading */		\
	unsafe_get_user(__byte, addr, fault);			\
	rmb();	/* the load is over before the next one */	\
	__t1 = rdtsc_ordered();					\
	(ticks) = min_t(u64, __t1 - __t0, U32_MAX);		\
} while (0)

static bool time_hit_and_warm(const u8 __user *addr, u32 *ticks)
{
	u8 __maybe_unused byte;
	int i;

	if (!user_access_begin(addr, 1))
		return false;
	unsafe_get_user(byte, addr, fault);
	flush_one(addr);
	/* The second counts: after the first the stack and the code are in too. */
	for (i = 0; i < 2; i++)
		timed_load(ticks[WALK_HIT], addr, fault);
	flush_one(addr);
	timed_load(ticks[WALK_WARM], addr, fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

static bool time_cold(const struct walk_path *p, const u8 __user *addr, u32 *ticks)
{
	int i;

	for (i = 0; i < p->depth; i++)
		clflush((void *)p->entry[i]);
	mb();	/* the lines are gone before the walk */
	if (!user_access_begin(addr, 1))
		return false;
	flush_one(addr);
	timed_load(ticks[WALK_COLD], addr, fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

/* One sample; interrupts and page faults are off. */
static bool sample(unsigned long at, bool cold, enum walk_level *level, u32 *ticks)
{
	const u8 __user *addr = (const u8 __user *)at;
	struct walk_path p;

	if (!find_path(current->mm, at, &p) || !path_is_ram(&p))
		return false;
	*level = p.level;
	if (!time_hit_and_warm(addr, ticks))
		return false;
	return !cold || time_cold(&p, addr, ticks);
}

/* splitmix64, Steele, Lea and Flood 2014: the @i-th number of stream @seed. */
static u64 random_at(u64 seed, u64 i)
{
	u64 z = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A page of the range, and a line in it, so that the samples share no set. */
static unsigned long place(const struct walk_timing *w, unsigned long addr, unsigned long len,
			   u32 i)
{
	u64 r = random_at(w->seed, i);
	u64 page = mul_u64_u64_shr(r, len >> PAGE_SHIFT, 64);

	return addr + (page << PAGE_SHIFT) + (r & 63) * 64;
}

/* Samples sorted in by level: @ticks has room for all in each level and kind. */
struct walk_store {
	u32 *ticks[WALK_LEVELS][WALK_KINDS];
};

static void store_free(struct walk_store *s)
{
	int l, k;

	for (l = 0; l < WALK_LEVELS; l++)
		for (k = 0; k < WALK_KINDS; k++)
			kvfree(s->ticks[l][k]);
}

static int store_make(struct walk_store *s, u32 samples)
{
	int l, k;

	memset(s, 0, sizeof(*s));
	for (l = 0; l < WALK_LEVELS; l++) {
		for (k = 0; k < WALK_KINDS; k++) {
			s->ticks[l][k] = kvmalloc_array(samples, sizeof(u32), GFP_KERNEL_ACCOUNT);
			if (!s->ticks[l][k]) {
				store_free(s);
				return -ENOMEM;
			}
		}
	}
	return 0;
}

static void run_batch(struct walk_timing *w, struct walk_store *s, unsigned long addr,
		      unsigned long len, u32 from, u32 to)
{
	u32 ticks[WALK_KINDS] = {};
	enum walk_level level;
	unsigned long flags;
	u32 i, at;
	bool ok;
	int k;

	for (i = from; i < to; i++) {
		pagefault_disable();
		local_irq_save(flags);
		ok = sample(place(w, addr, len, i), w->cold, &level, ticks);
		local_irq_restore(flags);
		pagefault_enable();
		if (!ok) {
			w->skipped++;
			continue;
		}
		at = w->count[level]++;
		for (k = 0; k < WALK_KINDS; k++)
			s->ticks[level][k][at] = ticks[k];
	}
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* The smallest value that @percent of @n sorted ones do not exceed. */
static u32 quantile(const u32 *sorted, u32 n, unsigned int percent)
{
	u32 rank = DIV_ROUND_UP_ULL((u64)n * percent, 100);

	return sorted[rank ? rank - 1 : 0];
}

static void summarize(struct walk_ticks *t, u32 *ticks, u32 n)
{
	u32 i;

	sort(ticks, n, sizeof(*ticks), compare_u32, NULL);
	t->p0 = ticks[0];
	t->p10 = quantile(ticks, n, 10);
	t->p50 = quantile(ticks, n, 50);
	t->p90 = quantile(ticks, n, 90);
	t->p99 = quantile(ticks, n, 99);
	t->p100 = ticks[n - 1];
	for (i = 0; i < n; i++)
		t->hist[hist_bucket(ticks[i], WALK_BUCKETS)]++;
}

static void summarize_all(struct walk_timing *w, struct walk_store *s)
{
	int l, k;

	for (l = 0; l < WALK_LEVELS; l++) {
		if (!w->count[l])
			continue;
		for (k = 0; k < WALK_KINDS; k++) {
			summarize(&w->ticks[l][k], s->ticks[l][k], w->count[l]);
			cond_resched();
		}
	}
}

int walk_time(unsigned long addr, unsigned long len, struct walk_timing *w)
{
	struct walk_store s;
	u32 i, end;
	int ret;

	if (!walk_can_time())
		return -EOPNOTSUPP;
	ret = store_make(&s, w->samples);
	if (ret)
		return ret;
	for (i = 0; i < w->samples; i = end) {
		end = min(i + BATCH, w->samples);
		run_batch(w, &s, addr, len, i, end);
		cond_resched();
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			break;
		}
	}
	if (!ret)
		summarize_all(w, &s);
	store_free(&s);
	return ret;
}
