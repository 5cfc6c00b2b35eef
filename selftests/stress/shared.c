// SPDX-License-Identifier: GPL-2.0-only
/* What all processes see: counts, and what was wrong. */
#include "stress.h"

#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <kselftest.h>

struct shared *shared;

static const char * const op_names[OP_NR] = {
	[OP_ALLOC_2M] = "alloc 2M",	[OP_ALLOC_1G] = "alloc 1G",
	[OP_CLOSE] = "close",		[OP_PERSIST] = "persist",
	[OP_OPEN] = "open",		[OP_FREE] = "free",
	[OP_INFO] = "info",		[OP_LIST] = "list",
	[OP_MAP] = "map",		[OP_TOUCH] = "touch",
	[OP_UNMAP] = "unmap",		[OP_PROTECT] = "protect",
	[OP_REMAP] = "remap",		[OP_POPULATE] = "populate",
	[OP_ADVISE] = "advise",		[OP_FORK] = "fork",
	[OP_WALK] = "walk",		[OP_PROC] = "read own /proc",
	[OP_READV] = "readv",		[OP_PIN] = "pin",
	[OP_UNPIN] = "unpin",		[OP_KILL] = "kill",
	[OP_WORKER] = "worker begun",	[OP_HOG] = "hog",
	[OP_HOG_GROUP] = "hog in cgroup", [OP_COMPACT] = "compact",
	[OP_DROP] = "drop caches",	[OP_THP] = "THP",
	[OP_MIGRATE] = "migrate",	[OP_READERS] = "read others' /proc",
	[OP_OFFLINE] = "memory offline", [OP_ONLINE] = "memory online",
	[OP_CPU] = "CPU off and on",	[OP_POOL] = "pool set",
	[OP_LIMITS] = "limits",		[OP_TRACE] = "trace",
	[OP_LISTEN] = "listen",		[OP_UNLOAD] = "unload in use",
	[OP_FREEZE] = "freeze",		[OP_POISON] = "poison",
};

int shared_make(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? -errno : 0;
}

const char *op_name(enum op op)
{
	return op_names[op];
}

void wrong(const char *fmt, ...)
{
	unsigned int i = atomic_fetch_add(&shared->nr_wrong, 1);
	va_list args;

	if (i >= WRONG_NR)
		return;
	va_start(args, fmt);
	vsnprintf(shared->wrong[i], WRONG_LEN, fmt, args);
	va_end(args);
}

unsigned int wrong_print(void)
{
	unsigned int nr = atomic_exchange(&shared->nr_wrong, 0), i;

	for (i = 0; i < nr && i < WRONG_NR; i++)
		ksft_print_msg("wrong: %s\n", shared->wrong[i]);
	if (nr > WRONG_NR)
		ksft_print_msg("wrong: and %u more\n", nr - WRONG_NR);
	memset(shared->wrong, 0, sizeof(shared->wrong));
	return nr;
}

long op_counted(enum op op, long ret)
{
	struct op_count *c = &shared->op[op];

	if (ret >= 0)
		atomic_fetch_add(&c->done, 1);
	else
		atomic_fetch_add(&c->failed[-ret < ERRNO_NR ? -ret : 0], 1);
	return ret;
}

long op_ended(enum op op, long ret, const int *may)
{
	op_counted(op, ret);
	if (ret >= 0 || ret == -ENOMEM)
		return ret;
	for (; may && *may; may++)
		if (ret == -*may)
			return ret;
	wrong("%s: %s", op_name(op), strerror(-ret));
	return ret;
}

static void op_print(enum op op)
{
	struct op_count *c = &shared->op[op];
	char line[400];
	size_t at = 0;
	int i;

	line[0] = '\0';
	for (i = 0; i < ERRNO_NR && at < sizeof(line); i++)
		if (c->failed[i])
			at += snprintf(line + at, sizeof(line) - at, "%s%s %lu", at ? ", " : "",
				       strerrorname_np(i), (unsigned long)c->failed[i]);
	ksft_print_msg("%-20s %9lu %s\n", op_name(op), (unsigned long)c->done, line);
}

void op_summary(void)
{
	int i;

	ksft_print_msg("%-20s %9s %s\n", "operation", "done", "failed by errno");
	for (i = 0; i < OP_NR; i++)
		op_print(i);
}
