// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a GiB costs from nothing to given back, in instructions: guest-cost.sh runs this in
 * an emulated machine whose TSC counts them. Elsewhere ticks are time.
 *
 * usage: guest_cost [ROUNDS]
 *
 * All kinds of memory take turns in each round, so that each meets the same state of
 * the machine; the medians are shown. Two tables, one a page size, then the targets.
 * Exit status 0 also when they are missed.
 */
#include "guest_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES		(1UL << 30)
#define ROUNDS_MAX	64

static const char *const step_names[] = { "alloc", "map", "touch", "unmap", "free" };

/** struct result - of one kind and page size; @err: negative errno of the first failure */
struct result {
	struct life lives[ROUNDS_MAX];
	int nr, err;
	uint64_t median[NR_STEPS];
	unsigned int has;
};

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void take_medians(struct result *r)
{
	uint64_t v[ROUNDS_MAX];

	if (!r->nr)
		return;
	for (int s = 0; s < NR_STEPS; s++) {
		for (int i = 0; i < r->nr; i++)
			v[i] = r->lives[i].ticks[s];
		qsort(v, r->nr, sizeof(v[0]), by_value);
		r->median[s] = v[r->nr / 2];
	}
	r->has = r->lives[0].has;
}

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	sync();
	if (fd < 0 || write(fd, "3", 1) < 0)
		fprintf(stderr, "caches are not dropped: %s\n", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void measure(unsigned int shift, int rounds, struct result *results)
{
	for (int round = 0; round < rounds; round++) {
		for (int k = 0; k < NR_KINDS; k++) {
			struct result *r = &results[k];
			struct life l = { .has = 0 };
			int err;

			if (r->err == -EOPNOTSUPP)
				continue;
			drop_caches();
			err = kinds[k].live(BYTES, shift, &l);
			if (!err)
				r->lives[r->nr++] = l;
			else if (!r->err)
				r->err = err;
		}
	}
	for (int k = 0; k < NR_KINDS; k++)
		take_medians(&results[k]);
}

/* ---- sums and ratios ---- */

#define READY_TO_USE	(1U << STEP_ALLOC | 1U << STEP_MAP | 1U << STEP_TOUCH)
#define GONE		(1U << STEP_UNMAP | 1U << STEP_FREE)

static uint64_t sum(const struct result *r, unsigned int steps)
{
	uint64_t n = 0;

	for (int s = 0; s < NR_STEPS; s++)
		if (steps & r->has & 1U << s)
			n += r->median[s];
	return n;
}

static void print_count(const struct result *r, unsigned int steps)
{
	if (r->has & steps)
		printf(" %13llu", (unsigned long long)sum(r, steps));
	else
		printf(" %13s", "-");
}

static void print_ratio(const struct result *r, const struct result *to, unsigned int steps)
{
	if (r->nr && to->nr && sum(to, steps))
		printf(" %9.4f", (double)sum(r, steps) / (double)sum(to, steps));
	else
		printf(" %9s", "n/a");
}

static void print_row(const struct kind *kind, const struct result *r, const struct result *to)
{
	printf("%-24s", kind->name);
	if (!r->nr) {
		printf(" n/a: %s\n", r->err == -EOPNOTSUPP ? "the module has no pool" :
		       strerror(-r->err));
		return;
	}
	for (int s = 0; s < NR_STEPS; s++)
		print_count(r, 1U << s);
	print_count(r, READY_TO_USE);
	print_ratio(r, to, READY_TO_USE);
	print_count(r, GONE);
	print_ratio(r, to, GONE);
	printf(" %4d\n", r->nr);
}

static void print_table(const char *what, const struct result *results)
{
	printf("\n1 GiB in %s, instructions; ratios to \"%s\"\n%-24s", what,
	       kinds[HUGETLB].name, "");
	for (int s = 0; s < NR_STEPS; s++)
		printf(" %13s", step_names[s]);
	printf(" %13s %9s %13s %9s %4s\n", "alloc..touch", "ratio", "unmap+free", "ratio", "runs");
	for (int k = 0; k < NR_KINDS; k++)
		print_row(&kinds[k], &results[k], &results[HUGETLB]);
}

/* ---- targets ---- */

static void target(const char *what, const struct result *a, const struct result *b,
		   unsigned int steps, double most)
{
	double ratio;

	printf("%-70s at most %.2f: ", what, most);
	if (!a->nr || !b->nr || !sum(b, steps)) {
		puts("n/a");
		return;
	}
	ratio = (double)sum(a, steps) / (double)sum(b, steps);
	printf("%.4f, %s\n", ratio, ratio <= most ? "met" : "MISSED");
}

static void print_targets(const char *page, const struct result *r)
{
	char what[128];

	snprintf(what, sizeof(what), "%s, ready: alloc + map + touch, to hugetlbfs", page);
	target(what, &r[READY], &r[HUGETLB], READY_TO_USE, 0.05);
	snprintf(what, sizeof(what), "%s, ready: unmap + free, to hugetlbfs", page);
	target(what, &r[READY], &r[HUGETLB], GONE, 1);
	snprintf(what, sizeof(what), "%s, cold: alloc + map + touch, to hugetlbfs at run time", page);
	target(what, &r[COLD], &r[HUGETLB_NEW], READY_TO_USE, 1.1);
	/* hugetlbfs has not zeroed anything then, and the touch does it. */
	snprintf(what, sizeof(what), "%s, cold: alloc alone, to hugetlbfs at run time", page);
	target(what, &r[COLD], &r[HUGETLB_NEW], 1U << STEP_ALLOC, 1.1);
}

int main(int argc, char **argv)
{
	static struct result r2m[NR_KINDS], r1g[NR_KINDS];
	int rounds = argc > 1 ? atoi(argv[1]) : 3;

	if (rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: guest_cost [1..%d]\n", ROUNDS_MAX);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	measure(30, rounds, r1g);
	measure(21, rounds, r2m);
	print_table("one page of 1 GiB", r1g);
	print_table("512 pages of 2 MiB", r2m);
	putchar('\n');
	print_targets("1 GiB page", r1g);
	print_targets("2 MiB pages", r2m);
	puts("\nNot in these figures: a page of the pool is zeroed in the background once it is free,\n"
	     "which costs what the touch of hugetlbfs costs beyond that of a ready page.");
	return 0;
}
