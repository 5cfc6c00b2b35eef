// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "measure/stats.h"
#include "measure/stop.h"
#include "packed.h"

#define PAIRS_MOST	100

uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void compare_head(void)
{
	printf("%-34s %-22s %6s  %-16s %-9s %s\n", "RATIO", "MEMORY", "VALUE", "95 %", "TARGET",
	       "MET");
}

static void print(const char *where, const struct side *ref, const struct side *x,
		  const struct stats *s, struct target t)
{
	bool met = t.within > 0 ? fabs(s->median - 1) <= t.within : s->median >= t.least;
	char name[64], range[32], text[32];

	snprintf(name, sizeof(name), "%s to %s", x->name, ref->name);
	snprintf(range, sizeof(range), "%.3f..%.3f", s->lo, s->hi);
	if (t.within > 0)
		snprintf(text, sizeof(text), "1 +- %.2f", t.within);
	else
		snprintf(text, sizeof(text), ">= %.2f", t.least);
	printf("%-34s %-22s %6.3f  %-16s %-9s %s\n", name, where, s->median, range, text,
	       met ? "yes" : "no");
	fflush(stdout);
}

bool compare_sides(const char *where, const struct side *ref, const struct side *x,
		   void *arg, unsigned int pairs, uint64_t seed, struct target target)
{
	double a[PAIRS_MOST], b[PAIRS_MOST];
	struct stats s;
	unsigned int n = 0;

	/* The first pair warms up. */
	for (unsigned int i = 0; i <= pairs && n < PAIRS_MOST; i++) {
		uint64_t turn = packed_random(&seed), ns[2] = { 0, 0 };

		for (unsigned int k = 0; k < 2; k++) {
			unsigned int which = (unsigned int)(turn + k) & 1;

			ns[which] = (which ? x : ref)->run(arg, turn);
			if (stop_pending())
				return false;
			if (!ns[which]) {
				printf("%s: %s: wrong data\n", where, (which ? x : ref)->name);
				return false;
			}
		}
		if (!i)
			continue;
		a[n] = (double)ns[0];
		b[n++] = (double)ns[1];
	}
	if (!stats_ratio(a, b, n, seed, &s))
		return false;
	print(where, ref, x, &s, target);
	return true;
}
