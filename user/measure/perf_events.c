// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads and misses of the TLB have generic names that the kernel knows. Walks
 * have none: their events are named by CPU here, and encoded by libpfm4.
 */
#include "measure/perf_events.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define WALKS		"DTLB_LOAD_MISSES:WALK_COMPLETED"

static const struct perf_cpu haswell = {
	"Haswell, Broadwell", WALKS, "DTLB_LOAD_MISSES:WALK_DURATION",
};

static const struct perf_cpu skylake = {
	"Skylake to Cascade Lake", WALKS, "DTLB_LOAD_MISSES:WALK_ACTIVE",
};

static const struct perf_cpu icelake = {
	"Ice Lake to Emerald Rapids", WALKS, "DTLB_LOAD_MISSES:WALK_ACTIVE",
};

/* The reloads that the second level did not have either; nothing counts cycles. */
static const struct perf_cpu zen = {
	"Zen to Zen 4",
	"L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS:TLB_RELOAD_2M_L2_MISS:TLB_RELOAD_1G_L2_MISS:TLB_RELOAD_COALESCED_PAGE_MISS",
	NULL,
};

/* CPUs with two kinds of cores are left out: each has events of its own. */
static const struct {
	const char *vendor;
	unsigned int family, first, last;
	const struct perf_cpu *cpu;
} table[] = {
	{ "GenuineIntel", 6, 0x3c, 0x3d, &haswell },
	{ "GenuineIntel", 6, 0x3f, 0x3f, &haswell },
	{ "GenuineIntel", 6, 0x45, 0x47, &haswell },
	{ "GenuineIntel", 6, 0x4f, 0x4f, &haswell },
	{ "GenuineIntel", 6, 0x56, 0x56, &haswell },
	{ "GenuineIntel", 6, 0x4e, 0x4e, &skylake },
	{ "GenuineIntel", 6, 0x55, 0x55, &skylake },
	{ "GenuineIntel", 6, 0x5e, 0x5e, &skylake },
	{ "GenuineIntel", 6, 0x8e, 0x8e, &skylake },
	{ "GenuineIntel", 6, 0x9e, 0x9e, &skylake },
	{ "GenuineIntel", 6, 0xa5, 0xa6, &skylake },
	{ "GenuineIntel", 6, 0x6a, 0x6a, &icelake },
	{ "GenuineIntel", 6, 0x6c, 0x6c, &icelake },
	{ "GenuineIntel", 6, 0x7d, 0x7e, &icelake },
	{ "GenuineIntel", 6, 0x8c, 0x8d, &icelake },
	{ "GenuineIntel", 6, 0x8f, 0x8f, &icelake },
	{ "GenuineIntel", 6, 0xa7, 0xa7, &icelake },
	{ "GenuineIntel", 6, 0xcf, 0xcf, &icelake },
	{ "AuthenticAMD", 0x17, 0, 0xff, &zen },
	{ "AuthenticAMD", 0x19, 0, 0xff, &zen },
};

const struct perf_cpu *perf_cpu_find(const char *vendor, unsigned int family,
				     unsigned int model)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(vendor, table[i].vendor) && family == table[i].family &&
		    model >= table[i].first && model <= table[i].last)
			return table[i].cpu;
	return NULL;
}

const struct perf_cpu *perf_cpu_here(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], vendor[32] = "";
	unsigned int family = 0, model = 0;
	int found = 0;

	/* The first CPU; the others are alike. */
	while (f && fgets(line, sizeof(line), f) && *line != '\n') {
		found += sscanf(line, "vendor_id : %31s", vendor) == 1;
		found += sscanf(line, "cpu family : %u", &family) == 1;
		found += sscanf(line, "model : %u", &model) == 1;
	}
	if (f)
		fclose(f);
	return found == 3 ? perf_cpu_find(vendor, family, model) : NULL;
}

/* ---- libpfm4 ---- */

#define PFM_SUCCESS	0
#define PFM_PLM_KERNEL	1
#define PFM_PLM_USER	8

struct pfm {
	void *lib;
	int (*encode)(const char *event, int plm, struct perf_event_attr *attr, char **name,
		      int *index);
};

struct pfm *pfm_open(void)
{
	struct pfm *pfm = calloc(1, sizeof(*pfm));
	int (*start)(void) = NULL;

	if (!pfm)
		return NULL;
	pfm->lib = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
	if (pfm->lib) {
		start = (int (*)(void))dlsym(pfm->lib, "pfm_initialize");
		pfm->encode = (__typeof__(pfm->encode))dlsym(pfm->lib,
							     "pfm_get_perf_event_encoding");
	}
	if (start && pfm->encode && start() == PFM_SUCCESS)
		return pfm;
	pfm_close(pfm);
	return NULL;
}

void pfm_close(struct pfm *pfm)
{
	if (pfm && pfm->lib)
		dlclose(pfm->lib);
	free(pfm);
}

bool pfm_encode(struct pfm *pfm, const char *event, struct perf_event_attr *attr)
{
	return pfm && event && pfm->encode(event, PFM_PLM_KERNEL | PFM_PLM_USER, attr, NULL,
					   NULL) == PFM_SUCCESS;
}
