// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers of /proc and /sys. The first byte chooses the reader, a letter of the table
 * below. What follows are the files that it opens, one after the other, each up to a byte
 * 0xff; when there are no more, it begins anew. fopen() and pread() are ours by --wrap.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "doctor/doctor.h"
#include "measure/cache.h"
#include "measure/cgroup.h"
#include "measure/guard.h"
#include "measure/host.h"
#include "measure/perf_events.h"
#include "measure/placement.h"
#include "measure/proc.h"
#include "measure/vm.h"
#include "nodes.h"
#include "out/env.h"
#include "walk_model.h"
#include "wrap.h"

#define END	0xff

/* All of the input, NULL while the fuzzer itself reads; where the next file begins. */
static const uint8_t *input;
static size_t length, next;

/* Up to the END, or to the end of all. */
static size_t next_file(const uint8_t **start)
{
	const uint8_t *end;
	size_t size;

	if (next >= length)
		next = 0;
	*start = input + next;
	end = memchr(*start, END, length - next);
	size = end ? (size_t)(end - *start) : length - next;
	next += size + 1;
	return size;
}

/* ---- a file of any bytes, zeros too, which fmemopen() would end at ---- */

struct cookie {
	const uint8_t *start;
	size_t size, at;
};

static ssize_t cookie_read(void *arg, char *buf, size_t len)
{
	struct cookie *c = arg;
	size_t left = c->size - c->at;

	len = len < left ? len : left;
	memcpy(buf, c->start + c->at, len);
	c->at += len;
	return (ssize_t)len;
}

static int cookie_seek(void *arg, off64_t *to, int whence)
{
	struct cookie *c = arg;
	off64_t at = whence == SEEK_SET ? 0 : (off64_t)(whence == SEEK_CUR ? c->at : c->size);

	at += *to;
	if (at < 0 || at > (off64_t)c->size) {
		errno = EINVAL;
		return -1;
	}
	*to = at;
	c->at = (size_t)at;
	return 0;
}

static int cookie_close(void *arg)
{
	free(arg);
	return 0;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	static const cookie_io_functions_t io = {
		.read = cookie_read, .seek = cookie_seek, .close = cookie_close,
	};
	struct cookie *c;

	if (!input)
		return __real_fopen(path, mode);
	c = calloc(1, sizeof(*c));
	MUST(c);
	c->size = next_file(&c->start);
	return fopencookie(c, "r", io);
}

ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t at)
{
	const uint8_t *start;
	size_t size;

	if (!input)
		return __real_pread(fd, buf, len, at);
	size = next_file(&start);
	size = size < len ? size : len;
	memcpy(buf, start, size);
	return (ssize_t)size;
}

/* ---- the readers ---- */

static void smaps(void)
{
	struct proc_smaps s;

	MUST(proc_smaps((void *)0x200000, 0x40000000, &s));
}

static void status(void)
{
	struct proc_status s;

	proc_status(&s);
}

static void words(void)
{
	char word[32];
	uint64_t v;

	if (proc_bracketed("", word, sizeof(word)))
		MUST(strlen(word) < sizeof(word));
	proc_u64("", &v);
}

static void node_memory(void)
{
	uint64_t mask[HP_NODE_WORDS];
	struct node_mem m;
	bool any = false;

	nodes_with_memory(mask);
	node_mem_read(0, &m);
	MUST(m.largest <= m.ceiling);
	for (int i = 0; i < HP_NODE_WORDS; i++)
		any = any || mask[i];
	if (any)
		placement_available(mask);
}

static void vmstat(void)
{
	json_t *then = vm_counters(), *now = vm_counters(), *since = vm_since(now, then);

	vm_sum(since, "pgscan");
	json_decref(then);
	json_decref(now);
	json_decref(since);
}

static void pressure(void)
{
	json_t *p = vm_pressure();
	char *text;

	MUST(p);
	text = json_dumps(p, JSON_ENCODE_ANY);
	MUST(text);
	free(text);
	json_decref(p);
}

static void cgroup(void)
{
	struct cgroup_limit l;

	if (cgroup_memory(&l))
		MUST(strnlen(l.dir, sizeof(l.dir)) < sizeof(l.dir));
	if (cgroup_hugetlb(21, &l))
		MUST(strnlen(l.dir, sizeof(l.dir)) < sizeof(l.dir));
}

static void cpus(void)
{
	static const unsigned int cpu[] = { 0, 1 };

	host_steal_ns(cpu, 2);
	host_khz(0);
	cache_bytes(2);
	perf_cpu_here();
	MUST(walk_levels_here() - 4 <= 1);
}

static void memory_guard(void)
{
	struct hp_error e = { 0 };
	struct guard *g = NULL;

	if (guard_start(&g, 0, &e))
		return;
	guard_least(g, 1 << 20);
	guard_end(g);
}

static void environment(void)
{
	json_t *env = env_json();
	char *text = json_dumps(env, 0);

	/* Whatever the files say, the document is one. */
	MUST(text);
	free(text);
	json_decref(env);
}

/* Those that read files of their own. */
static void doctor(void)
{
	static void (*const checks[])(const struct doctor *d, struct finding *f) = {
		check_memlock, check_cgroup, check_thp, check_pages_1g, check_cmdline,
		check_signing, check_group, check_hypervisor, check_governor, check_hugetlb,
		check_kernel,
	};
	struct doctor d = { .root = "/fuzz", .ko = "/fuzz/hpbuf.ko" };

	doctor_text(&d, "/proc/sys/kernel/osrelease", d.release, sizeof(d.release));
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct finding f = { 0 };
		size_t from = next;

		checks[i](&d, &f);
		MUST(f.state < DOCTOR_STATES && *f.found);
		json_decref(f.value);
		/* Each from the same file on, or the last ones would get none. */
		next = from;
	}
}

static const struct {
	uint8_t letter;
	void (*run)(void);
} readers[] = {
	{ 's', smaps }, { 't', status }, { 'w', words }, { 'n', node_memory },
	{ 'v', vmstat }, { 'p', pressure }, { 'c', cgroup }, { 'u', cpus },
	{ 'g', memory_guard }, { 'e', environment }, { 'd', doctor },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	input = data + 1;
	length = size - 1;
	next = 0;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i].letter == *data)
			readers[i].run();
	input = NULL;
	return 0;
}
