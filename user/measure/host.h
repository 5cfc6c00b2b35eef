/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the machine did to the CPUs of a timed part: time that a hypervisor gave to
 * others, and the clock rate. Read outside the timed part.
 */
#ifndef HPCTL_HOST_H
#define HPCTL_HOST_H

#include <stdint.h>

/**
 * host_steal_ns - stolen time of some CPUs since boot
 * @cpu: numbers of @nr CPUs, each once
 * Whole ticks of the kernel's clock (10 ms). -1: the kernel does not tell.
 */
int64_t host_steal_ns(const unsigned int *cpu, unsigned int nr);

/**
 * host_khz - clock rate of a CPU lately, as the kernel measured it
 * 0: not known. A virtual machine's /proc/cpuinfo shows one figure for ever, which
 * is not taken for a measurement.
 */
uint64_t host_khz(unsigned int cpu);

#endif
