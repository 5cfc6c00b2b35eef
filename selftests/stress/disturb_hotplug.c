// SPDX-License-Identifier: GPL-2.0-only
/* Memory and CPUs, taken away and given back. */
#include "disturb.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#define MEMORY		"/sys/devices/system/memory"
#define CPU		"/sys/devices/system/cpu/cpu1/online"

/* Call @fn for each block of memory; a number that is chosen by @r first. */
static void each_block(void (*fn)(const char *state))
{
	DIR *d = opendir(MEMORY);
	char path[300];
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, "memory", 6))
			continue;
		snprintf(path, sizeof(path), MEMORY "/%s/state", e->d_name);
		fn(path);
	}
	if (d)
		closedir(d);
}

static unsigned int count_blocks(unsigned int *number, unsigned int max)
{
	DIR *d = opendir(MEMORY);
	struct dirent *e;
	unsigned int nr = 0;

	while (d && (e = readdir(d)))
		if (nr < max && sscanf(e->d_name, "memory%u", &number[nr]) == 1)
			nr++;
	if (d)
		closedir(d);
	return nr;
}

static bool lacks_memory(char *why, size_t size)
{
	unsigned int number;

	if (count_blocks(&number, 1))
		return false;
	snprintf(why, size, "needs blocks of memory in " MEMORY ", found none");
	return true;
}

/* Most are busy, which the kernel finds out in its time. */
static void run_memory(struct rng *r)
{
	unsigned int number[1024], nr = count_blocks(number, NR(number));
	char path[80];
	int ret;

	if (!nr)
		return;
	snprintf(path, sizeof(path), MEMORY "/memory%u/state", number[rng_below(r, nr)]);
	ret = text_write(path, "offline");
	if (op_counted(OP_OFFLINE, ret))
		return;
	disturb_pause(rng_below(r, 1500));
	op_counted(OP_ONLINE, text_write(path, rng_one_in(r, 3) ? "online_movable" : "online"));
}

static void bring_back(const char *state)
{
	char text[32];
	int ret;

	if (text_read(state, text, sizeof(text)) || strcmp(text, "offline\n"))
		return;
	ret = text_write(state, "online");
	if (ret)
		wrong("%s stays offline: %s", state, strerror(-ret));
}

/* What was put into the zone for movable memory goes back to where it was. */
static void make_kernel_memory(const char *state)
{
	char path[300], zones[128];

	snprintf(path, sizeof(path), "%.*s/valid_zones", (int)(strrchr(state, '/') - state),
		 state);
	if (text_read(path, zones, sizeof(zones)) || strncmp(zones, "Movable", 7))
		return;
	if (!text_write(state, "offline"))
		text_write(state, "online_kernel");
}

static void restore_memory(void)
{
	each_block(bring_back);
	each_block(make_kernel_memory);
	each_block(bring_back);
}

const struct disturber disturb_memory = {
	.op = OP_OFFLINE, .pause_ms = 2500, .lacks = lacks_memory, .run = run_memory,
	.restore = restore_memory,
};

/* ---- CPUs ---- */

static bool lacks_cpu(char *why, size_t size)
{
	return disturb_needs(CPU, why, size);
}

static void run_cpu(struct rng *r)
{
	int ret = text_write(CPU, "0");

	if (!ret) {
		disturb_pause(rng_below(r, 800));
		ret = text_write(CPU, "1");
	}
	op_counted(OP_CPU, ret);
}

static void restore_cpu(void)
{
	if (number_read(CPU, 1) != 1 && text_write(CPU, "1"))
		wrong("CPU 1 stays offline");
}

const struct disturber disturb_cpu = {
	.op = OP_CPU, .pause_ms = 5000, .lacks = lacks_cpu, .run = run_cpu,
	.restore = restore_cpu,
};
