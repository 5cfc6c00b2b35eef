// SPDX-License-Identifier: GPL-2.0-or-later
#include "control.h"

#include <stdlib.h>

#define PAGE	4096
#define LINE	64

uint64_t control_get(const unsigned char *base, uint64_t n, uint64_t ops, uint64_t seed)
{
	uint64_t sum = 0;

	while (ops--) {
		uint64_t z = seed += 0x9e3779b97f4a7c15ULL, i;
		const unsigned char *p;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		z ^= z >> 31;
		i = (uint64_t)(((__uint128_t)z * n) >> 64);
		p = base + 5 * i;
		sum += p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
		       (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32;
	}
	return sum;
}

void **control_chain(unsigned char *base, uint64_t bytes, unsigned int seed)
{
	uint64_t pages = bytes / PAGE;
	void ***order = malloc(pages * sizeof(*order)), **start;

	if (!order)
		return NULL;
	for (uint64_t i = 0; i < pages; i++)
		order[i] = (void **)(base + i * PAGE + rand_r(&seed) % (PAGE / LINE) * LINE);
	for (uint64_t i = pages - 1; i > 0; i--) {
		uint64_t r = (uint64_t)rand_r(&seed) << 31 | (uint64_t)rand_r(&seed);
		uint64_t k = r % (i + 1);
		void **t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
	for (uint64_t i = 0; i < pages; i++)
		*order[i] = order[(i + 1) % pages];
	start = order[0];
	free(order);
	return start;
}

void **control_chase(void **p, uint64_t steps)
{
	while (steps--)
		p = *p;
	return p;
}
