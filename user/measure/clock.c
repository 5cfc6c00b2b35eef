// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/clock.h"

uint64_t clock_step_ns(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 200; i++) {
		uint64_t a = clock_ns(), b;

		do {
			b = clock_ns();
		} while (b == a);
		if (b - a < best)
			best = b - a;
	}
	return best;
}
