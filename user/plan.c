// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/cgroup.h"
#include "measure/proc.h"
#include "packed.h"
#include "parse.h"

#define GIB		(UINT64_C(1) << 30)
#define RUNS		7
#define LIMIT_NS	(UINT64_C(1800) * 1000000000)

/* Both commands take all of them but for --buffer. */
#define COMMON_OPTS									\
	{ "size", 's', "SIZE", "bytes of the array" },					\
	{ "count", KEY_COUNT, "N", "elements of the array, in place of its size" },	\
	{ "threads", 't', "N", "threads, each on its own part of the array (1)" },	\
	{ "runs", 'r', "N", "runs that count (7); one more goes first" },		\
	{ "nodes", KEY_NODES, "LIST", "NUMA nodes for memory and threads: 0, 0-1, all, !1" }, \
	{ "ops", KEY_OPS, "N", "operations of a run; without it about 0.3 s' worth" },	\
	{ "seed", KEY_SEED, "N", "of the random numbers and of the order" },		\
	{ "timeout", KEY_TIMEOUT, "TIME", "limit of the whole (30m)" },			\
	{ "spare", KEY_SPARE, "SIZE", "memory to be left (10 %, at most 16 GiB)" },	\
	{ "reserve", KEY_RESERVE, NULL, "fill hugetlb pools for the run, then put them back" }, \
	{ "require-counters", KEY_COUNTERS, NULL, "exit 4 without the CPU's performance counters" }, \
	{ "dry-run", KEY_DRY_RUN, NULL, "only say what would be done" },		\
	{ NULL, 0, NULL, NULL }

const struct hp_opt cmd_run_opts[] = {
	{ "backing", 'b', "NAME", "kind of memory (anon-4k); hugetlbfs:PATH takes a directory" },
	{ "sweep", KEY_SWEEP, "A..B", "from size A to B, doubled; A..B/2: half steps; -b LIST" },
	{ "buffer", KEY_BUFFER, "ID", "an existing buffer of the module; its content is overwritten" },
	COMMON_OPTS
};

const struct hp_opt cmd_compare_opts[] = {
	{ "backing", 'b', "LIST", "kinds of memory, the first is the reference (all there are)" },
	COMMON_OPTS
};

static int take_backings(struct plan *p, const char *value, struct hp_error *e)
{
	char *list = strdup(value), *rest = list, *name;
	int ret = HP_OK;

	if (!list)
		return hp_fail(e, HP_RESOURCE, 0, "out of memory");
	while (!ret && (name = strsep(&rest, ","))) {
		if (p->nr_b == PLAN_BACKINGS)
			ret = hp_fail(e, HP_USAGE, 0, "more than %d backings", PLAN_BACKINGS);
		else
			ret = backing_parse(name, &p->b[p->nr_b], e);
		for (unsigned int i = 0; !ret && i < p->nr_b; i++)
			if (!strcmp(p->b[i].label, name))
				ret = hp_fail(e, HP_USAGE, 0, "backing \"%s\" is there twice",
					      name);
		if (!ret)
			p->nr_b++;
	}
	p->explicit_b = true;
	free(list);
	return ret;
}

/* Which option it was that "size "0": must not be 0" is about. */
static int option(const char *name, struct hp_error *e)
{
	struct hp_error why = *e;

	if (!e->code)
		return HP_OK;
	hp_fail(e, why.code, why.err, "%s: %.280s", name, why.message);
	return *why.hint ? hp_hint(e, "%s", why.hint) : e->code;
}

static int take_upto(const char *what, const char *value, uint64_t max, uint64_t *to,
		     struct hp_error *e)
{
	int ret;

	hp_parse_count(value, to, e);
	ret = option(what, e);
	if (!ret && *to > max)
		ret = hp_fail(e, HP_USAGE, 0, "%s \"%.40s\": at most %llu", what, value,
			      (unsigned long long)max);
	return ret;
}

/* A seed may be any number, 0 too, and as it is printed. */
static int take_seed(const char *value, uint64_t *seed, struct hp_error *e)
{
	if (!strcmp(value, "0")) {
		*seed = 0;
		return HP_OK;
	}
	hp_parse_count(value, seed, e);
	return option("--seed", e);
}

int plan_take(int key, const char *value, void *arg, struct hp_error *e)
{
	struct plan *p = arg;
	uint64_t v = 0;
	int ret;

	switch (key) {
	case 'b':
		return take_backings(p, value, e);
	case 's':
		hp_parse_size(value, &p->bytes, e);
		return option("--size", e);
	case KEY_SWEEP:
		return sweep_parse(value, &p->sweep, e);
	case KEY_COUNT:
		hp_parse_count(value, &p->count, e);
		return option("--count", e);
	case 't':
		ret = take_upto("--threads", value, PLAN_THREADS, &v, e);
		p->threads = (unsigned int)v;
		return ret;
	case 'r':
		ret = take_upto("--runs", value, PLAN_RUNS, &v, e);
		p->runs = (unsigned int)v;
		return ret;
	case KEY_BUFFER:
		ret = take_upto("--buffer", value, UINT32_MAX, &v, e);
		p->buffer = (uint32_t)v;
		return ret;
	case KEY_OPS:
		return take_upto("--ops", value, UINT64_C(1) << 48, &p->ops, e);
	case KEY_SEED:
		return take_seed(value, &p->seed, e);
	case KEY_TIMEOUT:
		hp_parse_time(value, &p->limit_ns, e);
		return option("--timeout", e);
	case KEY_SPARE:
		p->spare_set = true;
		hp_parse_size(value, &p->spare, e);
		return option("--spare", e);
	case KEY_RESERVE:
		p->reserve = true;
		return HP_OK;
	case KEY_NODES:
		p->nodes_set = true;
		return hp_parse_nodes(value, p->nodes, e);
	case KEY_COUNTERS:
		p->counters = true;
		return HP_OK;
	default:
		p->dry_run = true;
		return HP_OK;
	}
}

static int hint_workloads(struct hp_error *e)
{
	char list[256] = "";

	for (size_t i = 0, len = 0; workload_names[i] && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, " %s", workload_names[i]);
	return hp_hint(e, "one of%s", list);
}

static int add_workload(struct plan *p, const char *name, struct hp_error *e)
{
	const struct workload *w = workload_find(name);
	const char *near;

	if (!w) {
		hp_fail(e, HP_USAGE, 0, "unknown workload \"%.60s\"", name);
		near = hp_nearest(name, workload_names);
		if (near)
			return hp_hint(e, "did you mean %s?", near);
		return hint_workloads(e);
	}
	for (unsigned int i = 0; i < p->nr_w; i++)
		if (p->w[i] == w)
			return hp_fail(e, HP_USAGE, 0, "workload \"%s\" is there twice", name);
	if (p->nr_w == PLAN_WORKLOADS)
		return hp_fail(e, HP_USAGE, 0, "more than %d workloads", PLAN_WORKLOADS);
	p->w[p->nr_w++] = w;
	return HP_OK;
}

static int add_control(struct plan *p, unsigned int at, const struct workload *w,
		       struct hp_error *e)
{
	if (add_workload(p, w->name, e))
		return e->code;
	memmove(&p->w[at + 1], &p->w[at], (p->nr_w - 1 - at) * sizeof(p->w[0]));
	p->w[at] = w;
	return HP_OK;
}

/* The controls of those that have one, where they were not asked for anyway. */
static int add_controls(struct plan *p, struct hp_error *e)
{
	for (unsigned int i = 0; i < p->nr_w; i++) {
		const struct workload *w = p->w[i]->with;
		bool there = !w;

		for (unsigned int k = 0; k < p->nr_w; k++)
			there = there || p->w[k] == w;
		if (!there && add_control(p, i + 1, w, e))
			return e->code;
	}
	return HP_OK;
}

void plan_help(void)
{
	puts("\nworkloads (on an array of five-byte elements):");
	for (const struct workload *const *w = workload_table; *w; w++)
		printf("  %-24s  %s\n", (*w)->name, (*w)->brief);
	printf("\nbackings:\n ");
	for (const char *const *b = backing_names; *b; b++)
		printf(" %s", *b);
	puts(" hugetlbfs:PATH");
}

static int check_size(struct plan *p, struct hp_error *e)
{
	if (p->count && p->bytes)
		return hp_fail(e, HP_USAGE, 0, "--size and --count exclude each other");
	if (p->sweep.steps && (p->count || p->bytes || p->buffer))
		return hp_fail(e, HP_USAGE, 0, "--sweep says the size: no %s", p->bytes ? "--size" :
			       p->count ? "--count" : "--buffer");
	if (p->sweep.steps)
		p->bytes = p->sweep.hi;
	if (p->count && !packed_bytes(p->count, PACKED_WIDTH, &p->bytes))
		return hp_fail(e, HP_USAGE, EOVERFLOW,
			       "--count %llu: %d bytes each do not fit 64 bits",
			       (unsigned long long)p->count, PACKED_WIDTH);
	if (p->bytes && p->bytes < PACKED_WIDTH)
		return hp_fail(e, HP_USAGE, 0, "size %llu: an element has %d bytes",
			       (unsigned long long)p->bytes, PACKED_WIDTH);
	return HP_OK;
}

static void set_buffer(struct plan *p)
{
	struct hp_error ignored;

	backing_parse("hpbuf-2m", &p->b[0], &ignored);
	p->nr_b = 1;
	p->explicit_b = true;
	p->b[0].buffer = p->buffer;
	snprintf(p->b[0].label, sizeof(p->b[0].label), "buffer %u", p->buffer);
}

int plan_finish(struct plan *p, const struct hp_ctx *ctx, const char *const *workloads,
		const char *const *backings, struct hp_error *e)
{
	bool named = p->explicit_b;
	int ret = check_size(p, e);

	if (!ret && p->buffer && p->nr_b)
		ret = hp_fail(e, HP_USAGE, 0, "--buffer and --backing exclude each other");
	for (bool none = !p->nr_w; workloads && !ret && none && *workloads; workloads++)
		ret = add_workload(p, *workloads, e);
	if (!ret)
		ret = add_controls(p, e);
	if (ret)
		return ret;
	if (workloads && !p->nr_w)
		return hp_fail(e, HP_USAGE, 0, "which workload?");
	if (p->buffer)
		set_buffer(p);
	for (bool none = !p->nr_b; !ret && none && *backings; backings++)
		ret = backing_parse(*backings, &p->b[p->nr_b++], e);
	p->explicit_b = p->buffer || named;
	p->device = ctx->device;
	for (unsigned int i = 0; i < p->nr_b; i++)
		p->b[i].device = p->device;
	for (unsigned int i = 0; i < p->nr_b && p->nodes_set; i++)
		p->b[i].nodes = p->nodes;
	return ret;
}

void plan_init(struct plan *p)
{
	struct timespec ts;

	memset(p, 0, sizeof(*p));
	clock_gettime(CLOCK_REALTIME, &ts);
	/* Short enough to be typed again. */
	p->seed = ((uint64_t)ts.tv_nsec ^ (uint64_t)ts.tv_sec) & 0xffffffff;
	p->runs = RUNS;
	p->threads = 1;
	p->limit_ns = LIMIT_NS;
}

int plan_parse(struct plan *p, struct hp_ctx *ctx, const struct hp_opt *opts, int argc,
	       char **argv, const char *const *workloads, const char *const *backings,
	       struct hp_error *e)
{
	int first;

	plan_init(p);
	first = hp_opts(ctx, opts, argc, argv, plan_take, p, e);
	if (!first)
		return 0;
	for (int i = first; i < argc && !e->code; i++)
		add_workload(p, argv[i], e);
	if (!e->code)
		plan_finish(p, ctx, workloads, backings, e);
	return !e->code;
}

/* 1 GiB where that is a small part of the memory, else 64 MiB to 512 MiB. */
static uint64_t default_size(uint64_t avail)
{
	uint64_t size = GIB;

	while (size > avail / 8 && size > 64 << 20)
		size /= 2;
	return size;
}

static uint64_t within_group(uint64_t avail)
{
	struct cgroup_limit l;

	return cgroup_memory(&l) && cgroup_room(&l) < avail ? cgroup_room(&l) : avail;
}

uint64_t plan_need(const struct plan *p, const struct backing *b)
{
	uint64_t bytes = 0;

	/* Pool pages, and those of an existing buffer, are not free memory. */
	if (b->ops->pool || b->buffer || !backing_round(b, p->bytes, &bytes))
		return 0;
	return bytes;
}

int plan_room(const struct plan *p, uint64_t need, const char *what, struct hp_error *e)
{
	uint64_t avail = 0;

	if (!need || !proc_field("/proc/meminfo", "MemAvailable:", &avail))
		return HP_OK;
	avail *= 1024;
	if (p->nodes_set && placement_available(p->nodes) < avail)
		avail = placement_available(p->nodes);
	if (avail >= p->spare && avail - p->spare >= need)
		return HP_OK;
	hp_fail(e, HP_RESOURCE, ENOMEM,
		"%s: needs %llu bytes of memory, %llu are available, %llu of them are to be left",
		what, (unsigned long long)need, (unsigned long long)avail,
		(unsigned long long)p->spare);
	return hp_hint(e, "take a smaller --size, or a smaller --spare");
}

int plan_fits(const struct plan *p, struct hp_error *e)
{
	struct shard *s = aligned_alloc(_Alignof(struct shard), p->threads * sizeof(*s));
	int ret = HP_OK;

	if (!s)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "out of memory");
	if (!shard_split(s, p->threads, NULL, p->n))
		ret = hp_fail(e, HP_USAGE, 0, "%llu elements are too few for %u threads",
			      (unsigned long long)p->n, p->threads);
	for (unsigned int w = 0; w < p->nr_w && !ret; w++)
		for (unsigned int i = 0; i < p->threads && !ret; i++)
			if (!p->w[w]->stages && !p->w[w]->ops(&s[i], 1))
				ret = hp_fail(e, HP_USAGE, 0,
					      "%s: %llu bytes are too few for %u threads",
					      p->w[w]->name, (unsigned long long)p->bytes,
					      p->threads);
	free(s);
	return ret;
}

void plan_at(struct plan *p, uint64_t bytes)
{
	p->bytes = bytes;
	p->n = bytes / PACKED_WIDTH;
}

int plan_size(struct plan *p, struct hp_error *e)
{
	uint64_t total = 0, avail = 0, need = 0;

	proc_field("/proc/meminfo", "MemTotal:", &total);
	proc_field("/proc/meminfo", "MemAvailable:", &avail);
	if (!p->spare_set)
		p->spare = total * 1024 / 10 < 16 * GIB ? total * 1024 / 10 : 16 * GIB;
	if (!p->bytes && p->buffer)
		p->bytes = p->b[0].buffer_bytes;
	if (!p->bytes)
		p->bytes = default_size(within_group(avail * 1024));
	plan_at(p, p->sweep.steps ? p->sweep.lo : p->bytes);
	if (plan_fits(p, e))
		return e->code;
	if (p->sweep.steps)
		plan_at(p, p->sweep.hi);
	for (unsigned int i = 0; i < p->nr_b; i++) {
		uint64_t bytes;

		if (!backing_round(&p->b[i], p->bytes, &bytes))
			return hp_fail(e, HP_RESOURCE, EOVERFLOW, "%s: %llu bytes: too large",
				       p->b[i].label, (unsigned long long)p->bytes);
		if (plan_need(p, &p->b[i]) > need)
			need = bytes;
	}
	/* Refused before anything is touched, for pool pages too. */
	if (p->bytes > total * 1024)
		return plan_room(p, p->bytes, "the array", e);
	return plan_room(p, need, "the array", e);
}
