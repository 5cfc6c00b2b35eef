// SPDX-License-Identifier: GPL-2.0-or-later
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define PAGE	4096

static int refuse(struct hp_error *e, const char *text, const char *why)
{
	hp_fail(e, HP_USAGE, 0, "--sweep \"%.60s\": %s", text, why);
	return hp_hint(e, "such as 64M..8G, or 64M..8G/2 for two sizes in each doubling");
}

/* "a..b" in a copy that may be written to. */
static int take(char *copy, const char *text, struct sweep *s, struct hp_error *e)
{
	char *dots = strstr(copy, ".."), *slash = strchr(copy, '/');
	uint64_t steps = 1;

	if (!dots || (slash && slash < dots))
		return refuse(e, text, "is no range of sizes");
	if (slash) {
		*slash++ = '\0';
		if (hp_parse_count(slash, &steps, e) || steps > SWEEP_STEPS)
			return refuse(e, text, "a doubling has 1 to 8 sizes");
	}
	*dots = '\0';
	if (hp_parse_size(copy, &s->lo, e) || hp_parse_size(dots + 2, &s->hi, e))
		return e->code;
	if (s->hi <= s->lo)
		return refuse(e, text, "the second size is not above the first");
	if (s->lo < PAGE)
		return refuse(e, text, "begins below 4096 bytes");
	s->steps = (unsigned int)steps;
	if (sweep_sizes(s, NULL) > SWEEP_MAX)
		return refuse(e, text, "has more than 128 sizes");
	return HP_OK;
}

int sweep_parse(const char *text, struct sweep *s, struct hp_error *e)
{
	struct sweep taken = { 0 };
	char *copy = strdup(text);
	int ret;

	if (!copy)
		return hp_fail(e, HP_RESOURCE, 0, "out of memory");
	ret = take(copy, text, &taken, e);
	if (!ret)
		*s = taken;
	free(copy);
	return ret;
}

static uint64_t size_at(const struct sweep *s, unsigned int i)
{
	unsigned int doublings = i / s->steps, part = i % s->steps;
	double factor;

	/* Beyond what any machine has. */
	if (doublings >= 63 || s->lo > (UINT64_MAX >> 1) >> doublings)
		return UINT64_MAX;
	if (!part)
		return s->lo << doublings;
	factor = exp2((double)part / s->steps);
	return (uint64_t)((double)(s->lo << doublings) / PAGE * factor) * PAGE;
}

unsigned int sweep_sizes(const struct sweep *s, uint64_t sizes[SWEEP_MAX])
{
	unsigned int nr = 0;

	for (unsigned int i = 0; size_at(s, i) < s->hi; i++) {
		/* Small ones, many in a doubling, may be one page. */
		if (i && size_at(s, i) <= size_at(s, i - 1))
			continue;
		if (sizes)
			sizes[nr] = size_at(s, i);
		nr++;
	}
	if (sizes)
		sizes[nr] = s->hi;
	return nr + 1;
}
