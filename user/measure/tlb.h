/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many translations the CPU's largest data TLB holds, by CPUID. A hypervisor may
 * hide it, and some CPUs do not tell: then nothing is known, which is no 0.
 */
#ifndef HPCTL_TLB_H
#define HPCTL_TLB_H

#include <stdbool.h>
#include <stdint.h>

/** Page sizes: 4 KiB, 2 MiB, 1 GiB. */
enum { TLB_4K, TLB_2M, TLB_1G, TLB_SIZES };

/**
 * struct tlb
 * @entries: of the last level that holds pages of a size; 0: not known
 * @from: leaf that told, such as "CPUID 0x80000006"; NULL: none did
 * @why: one line where @from is NULL
 */
struct tlb {
	uint32_t entries[TLB_SIZES];
	const char *from, *why;
};

/** struct cpuid_regs - what one leaf returns */
struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

/** tlb_read - of the CPU this runs on */
void tlb_read(struct tlb *t);

/* What the leaves mean, apart from reading them. Each returns false if it tells nothing. */

/**
 * tlb_take_amd - AMD64 Architecture Programmer's Manual, volume 3, appendix E
 * @l2: leaf 0x80000006; @l1: leaf 0x80000005; @big: leaf 0x80000019
 */
bool tlb_take_amd(struct tlb *t, const struct cpuid_regs *l2, const struct cpuid_regs *l1,
		  const struct cpuid_regs *big);

/**
 * tlb_take_18 - Intel SDM, volume 2, CPUID, leaf 0x18: one subleaf a TLB
 * @subleaf: @nr of them
 */
bool tlb_take_18(struct tlb *t, const struct cpuid_regs *subleaf, unsigned int nr);

/** tlb_take_2 - ... leaf 2: descriptors of second-level TLBs that are known */
bool tlb_take_2(struct tlb *t, const struct cpuid_regs *regs);

#endif
