// SPDX-License-Identifier: GPL-2.0-or-later
/* What the figures depend on: counters, virtualisation, clock frequency. */
#include <cpuid.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"
#include "measure/perf.h"
#include "measure/proc.h"

void check_pmu(const struct doctor *d, struct finding *f)
{
	struct perf *p = perf_open();
	const char *why = p ? perf_why(p) : "unknown: out of memory";

	(void)d;
	if (!*why) {
		doctor_ok(f, "cycles, TLB misses and page walks can be counted");
	} else {
		doctor_warn(f, "%s", why);
		if (!strncmp(why, "forbidden", 9) || !strncmp(why, "user-only", 9))
			doctor_fix(f, "sysctl kernel.perf_event_paranoid=1, or CAP_PERFMON");
		else if (strstr(why, "libpfm4"))
			doctor_fix(f, "apt-get install libpfm4");
		else if (doctor_cpu_flag(d, "hypervisor") > 0)
			doctor_fix(f, "measure on the machine itself, or give the guest a PMU");
	}
	perf_close(p);
}

/* The hypervisor's own name for itself, "KVMKVMKVM"; of this machine only. */
static void cpuid_name(const struct doctor *d, char *name, size_t size)
{
	unsigned int eax, ebx, ecx, edx;
	char text[13] = "";

	*name = '\0';
	if (*d->root)
		return;
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(text, &ebx, 4);
	memcpy(text + 4, &ecx, 4);
	memcpy(text + 8, &edx, 4);
	for (const char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			return;
	snprintf(name, size, "%s", text);
}

void check_hypervisor(const struct doctor *d, struct finding *f)
{
	char name[16], vendor[64], product[64];
	int has = doctor_cpu_flag(d, "hypervisor");

	if (has < 0) {
		doctor_warn(f, "/proc/cpuinfo cannot be read");
		return;
	}
	if (!has) {
		doctor_ok(f, "none");
		return;
	}
	cpuid_name(d, name, sizeof(name));
	if (!doctor_text(d, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor)))
		*vendor = '\0';
	if (!doctor_text(d, "/sys/class/dmi/id/product_name", product, sizeof(product)))
		*product = '\0';
	doctor_warn(f, "a virtual machine%s%s%s%s%s%s: %s", *name ? ", " : "", name,
		    *vendor ? ", " : "", vendor, *product ? " " : "", product,
		    strcmp(name, "TCGTCGTCGTCG") ? "walks go through two sets of tables" :
						   "emulated, no walk is done by hardware");
	doctor_fix(f, "take figures on the machine itself");
}

void check_governor(const struct doctor *d, struct finding *f)
{
	char pattern[700], word[32], first[32] = "";
	bool mixed = false;
	glob_t g;

	doctor_path(d, pattern, sizeof(pattern),
		    "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor");
	if (glob(pattern, 0, NULL, &g)) {
		/* A guest has none, and no say either. */
		if (doctor_cpu_flag(d, "hypervisor") > 0)
			doctor_ok(f, "no cpufreq: the host decides");
		else
			doctor_warn(f, "no cpufreq: nothing tells the frequency");
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (!proc_text(g.gl_pathv[i], word, sizeof(word)))
			continue;
		mixed = mixed || (*first && strcmp(first, word));
		if (!*first || !strcmp(first, "performance"))
			snprintf(first, sizeof(first), "%s", word);
	}
	globfree(&g);
	if (!strcmp(first, "performance") && !mixed) {
		doctor_ok(f, "performance");
	} else {
		doctor_warn(f, "%s%s: the frequency changes while it is measured", first,
			    mixed ? " on some CPUs" : "");
		doctor_fix(f, "cpupower frequency-set -g performance");
	}
}
