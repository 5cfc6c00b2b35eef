// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/tlb.h"

#include <string.h>

#include "array.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

static uint32_t bits(uint32_t reg, unsigned int high, unsigned int low)
{
	return reg >> low & ((1U << (high - low + 1)) - 1);
}

static bool any(const struct tlb *t)
{
	for (unsigned int i = 0; i < TLB_SIZES; i++)
		if (t->entries[i])
			return true;
	return false;
}

bool tlb_take_amd(struct tlb *t, const struct cpuid_regs *l2, const struct cpuid_regs *l1,
		  const struct cpuid_regs *big)
{
	/* Associativity 0: there is no such TLB. Then the first level is the last. */
	t->entries[TLB_4K] = bits(l2->ebx, 31, 28) ? bits(l2->ebx, 27, 16) : 0;
	if (!t->entries[TLB_4K])
		t->entries[TLB_4K] = bits(l1->ebx, 23, 16);
	t->entries[TLB_2M] = bits(l2->eax, 31, 28) ? bits(l2->eax, 27, 16) : 0;
	if (!t->entries[TLB_2M])
		t->entries[TLB_2M] = bits(l1->eax, 23, 16);
	t->entries[TLB_1G] = bits(big->ebx, 31, 28) ? bits(big->ebx, 27, 16) : 0;
	if (!t->entries[TLB_1G] && bits(big->eax, 31, 28))
		t->entries[TLB_1G] = bits(big->eax, 27, 16);
	t->from = "CPUID 0x80000005, 0x80000006, 0x80000019";
	return any(t);
}

bool tlb_take_18(struct tlb *t, const struct cpuid_regs *subleaf, unsigned int nr)
{
	static const unsigned int page_bit[TLB_SIZES] = { 0, 1, 3 };
	uint32_t level_of[TLB_SIZES] = { 0 };

	for (unsigned int i = 0; i < nr; i++) {
		const struct cpuid_regs *r = &subleaf[i];
		uint32_t type = bits(r->edx, 4, 0), level = bits(r->edx, 7, 5);
		uint32_t entries = bits(r->ebx, 31, 16) * r->ecx;

		/* Data, unified, or for loads. */
		if (type != 1 && type != 3 && type != 4)
			continue;
		for (unsigned int s = 0; s < TLB_SIZES; s++) {
			if (!bits(r->ebx, page_bit[s], page_bit[s]) || level < level_of[s])
				continue;
			/* Parts of a level for different sizes do not add up for one. */
			if (level > level_of[s] || entries > t->entries[s])
				t->entries[s] = entries;
			level_of[s] = level;
		}
	}
	t->from = "CPUID 0x18";
	return any(t);
}

bool tlb_take_2(struct tlb *t, const struct cpuid_regs *regs)
{
	static const struct { uint8_t code; uint16_t entries[TLB_SIZES]; } known[] = {
		{ 0xc1, { 1024, 1024, 0 } }, { 0xc3, { 1536, 1536, 16 } },
		{ 0xca, { 512, 0, 0 } },
	};
	const uint32_t all[] = { regs->eax & ~0xffU, regs->ebx, regs->ecx, regs->edx };

	for (size_t r = 0; r < ARRAY_SIZE(all); r++) {
		/* The highest bit says that the register tells nothing. */
		for (unsigned int b = 0; b < 32 && !(all[r] >> 31); b += 8)
			for (size_t k = 0; k < ARRAY_SIZE(known); k++)
				if ((all[r] >> b & 0xff) == known[k].code)
					for (unsigned int s = 0; s < TLB_SIZES; s++)
						t->entries[s] = known[k].entries[s];
	}
	t->from = "CPUID 2";
	return any(t);
}

#ifdef __x86_64__
static struct cpuid_regs leaf(uint32_t number, uint32_t sub)
{
	struct cpuid_regs r = { 0 };

	__get_cpuid_count(number, sub, &r.eax, &r.ebx, &r.ecx, &r.edx);
	return r;
}

static bool is_amd(void)
{
	struct cpuid_regs r = leaf(0, 0);

	/* "AuthenticAMD", "HygonGenuine" */
	return (r.ebx == 0x68747541 && r.ecx == 0x444d4163) ||
	       (r.ebx == 0x6f677948 && r.ecx == 0x656e6975);
}

static bool take_amd(struct tlb *t)
{
	struct cpuid_regs l1 = leaf(0x80000005, 0), l2 = leaf(0x80000006, 0);
	struct cpuid_regs big = leaf(0x80000019, 0);

	return tlb_take_amd(t, &l2, &l1, &big);
}

static bool take_intel(struct tlb *t)
{
	struct cpuid_regs sub[16] = { leaf(0x18, 0) }, two;
	unsigned int nr = sub[0].eax < 15 ? sub[0].eax + 1 : 16;

	for (unsigned int i = 1; i < nr; i++)
		sub[i] = leaf(0x18, i);
	if (tlb_take_18(t, sub, nr))
		return true;
	memset(t, 0, sizeof(*t));
	two = leaf(2, 0);
	return tlb_take_2(t, &two);
}

void tlb_read(struct tlb *t)
{
	memset(t, 0, sizeof(*t));
	if (is_amd() ? take_amd(t) : take_intel(t))
		return;
	memset(t, 0, sizeof(*t));
	t->why = "CPUID does not tell its entries";
}
#else
void tlb_read(struct tlb *t)
{
	memset(t, 0, sizeof(*t));
	t->why = "only x86-64 tells its entries";
}
#endif
