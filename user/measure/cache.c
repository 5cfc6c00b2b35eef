// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "measure/proc.h"

#define CACHE_DIR	"/sys/devices/system/cpu/cpu0/cache"
#define CACHE_MAX	16

/* "32768K"; M and G are not written today, and cost nothing. */
static uint64_t size_of(const char *text)
{
	uint64_t n = 0;
	char unit = 'B';

	if (sscanf(text, "%" SCNu64 "%c", &n, &unit) < 1)
		return 0;
	switch (unit) {
	case 'K':
		return n << 10;
	case 'M':
		return n << 20;
	case 'G':
		return n << 30;
	default:
		return n;
	}
}

uint64_t cache_bytes(unsigned int level)
{
	char path[96], text[32];
	uint64_t found;

	for (unsigned int i = 0; i < CACHE_MAX; i++) {
		snprintf(path, sizeof(path), CACHE_DIR "/index%u/level", i);
		if (!proc_u64(path, &found))
			return 0;
		snprintf(path, sizeof(path), CACHE_DIR "/index%u/type", i);
		if (found != level || !proc_text(path, text, sizeof(text)) ||
		    !strcmp(text, "Instruction"))
			continue;
		snprintf(path, sizeof(path), CACHE_DIR "/index%u/size", i);
		return proc_text(path, text, sizeof(text)) ? size_of(text) : 0;
	}
	return 0;
}
