// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/proc.h"

static bool listed(const unsigned int *cpu, unsigned int nr, unsigned int which)
{
	for (unsigned int i = 0; i < nr; i++)
		if (cpu[i] == which)
			return true;
	return false;
}

int64_t host_steal_ns(const unsigned int *cpu, unsigned int nr)
{
	FILE *f = fopen("/proc/stat", "re");
	long hz = sysconf(_SC_CLK_TCK);
	int64_t sum = -1;
	char line[256];

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		unsigned int which;
		uint64_t ticks;

		/* user nice system idle iowait irq softirq steal */
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &which,
			   &ticks) == 2 && listed(cpu, nr, which))
			sum = (int64_t)((sum < 0 ? 0 : (uint64_t)sum) +
					ticks * (1000000000 / (uint64_t)hz));
	}
	fclose(f);
	return sum;
}

/* Of /proc/cpuinfo, where the CPU has counters to measure it by. */
static uint64_t cpuinfo_khz(unsigned int cpu)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	unsigned int now = ~0U;
	bool measured = false;
	char *line = NULL;
	double mhz = 0;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		if (sscanf(line, "processor : %u", &now) == 1 || now != cpu)
			continue;
		if (sscanf(line, "cpu MHz : %lf", &mhz) == 1)
			continue;
		measured = measured || (!strncmp(line, "flags", 5) && strstr(line, " aperfmperf"));
	}
	free(line);
	if (f)
		fclose(f);
	return measured ? (uint64_t)llround(mhz * 1000) : 0;
}

uint64_t host_khz(unsigned int cpu)
{
	char path[80];
	uint64_t khz;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
	return proc_u64(path, &khz) ? khz : cpuinfo_khz(cpu);
}
