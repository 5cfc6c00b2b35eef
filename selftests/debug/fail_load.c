// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading the module with each allocation failing in turn: what failed to
 * load has left nothing, and loads the next time; what failed to unload is there.
 */
#include "failnth.h"

#include <dirent.h>

/* Only what is allocated beneath it fails: the kernel's own loader does a thousand times. */
#define INIT_FUNCTION	"do_init_module"

struct load {
	int ko, nth;
	struct fail_count count;
};

/* The addresses of a function of the kernel. */
static bool function_range(const char *name, unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[256], sym[128], type;
	unsigned long addr;

	*start = 0;
	*end = ULONG_MAX;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %c %127s", &addr, &type, sym) == 3 && !strcmp(sym, name))
			*start = addr;
	}
	if (!f || !*start)
		goto out;
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %c %127s", &addr, &type, sym) == 3 &&
		    addr > *start && addr < *end)
			*end = addr;
	}
out:
	if (f)
		fclose(f);
	return *start != 0;
}

/* Is anything of the module there? */
static bool trace_of_it(void)
{
	struct dirent *e;
	char comm[32], path[300];
	bool found = false;
	DIR *proc;

	if (!access("/sys/module/hpbuf", F_OK) || !access(HPBUF_DEVICE, F_OK))
		return true;
	proc = opendir("/proc");
	while (proc && (e = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		if (!hpt_read_text(path, comm, sizeof(comm)) && !strncmp(comm, "hpbuf-", 6))
			found = true;
	}
	if (proc)
		closedir(proc);
	return found;
}

static bool gone(void)
{
	int i;

	for (i = 0; i < FAIL_TRIES; i++) {
		if (!trace_of_it())
			return true;
		usleep(FAIL_PAUSE);
	}
	return false;
}

static int load(const struct load *l)
{
	return syscall(SYS_finit_module, l->ko, "pool_2m=2 max_bytes=1G", 0) ? -errno : 0;
}

static bool works(void)
{
	struct hpbuf_alloc a;
	int dev = hpt_open(NULL), fd;

	if (dev < 0)
		return false;
	fd = hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &a);
	close(fd);
	close(dev);
	return fd >= 0;
}

FIXTURE(load) {
	struct load l;
	struct freemem memory;
};

FIXTURE_SETUP(load)
{
	const char *ko = getenv("HPBUF_KO");

	if (!ko || !*ko)
		SKIP(return, "needs a module to load, found no HPBUF_KO");
	self->l.ko = open(ko, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->l.ko);
	self->l.nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->l.nth);
	/* caches are warm then */
	ASSERT_EQ(0, hpt_unload());
	ASSERT_EQ(0, load(&self->l));
	ASSERT_EQ(0, hpt_unload());
	ASSERT_TRUE(gone());
	freemem_read(&self->memory);
}

FIXTURE_TEARDOWN(load)
{
	if (self->l.ko < 0)
		return;
	EXPECT_TRUE(freemem_is_back(&self->memory));
	close(self->l.ko);
	close(self->l.nth);
	hpt_reload("");
}

static bool load_once(struct __test_metadata *_metadata, struct load *l, unsigned int n)
{
	bool hit;
	int ret;

	ASSERT_TRUE(fail_arm(l->nth, n));
	ret = load(l);
	hit = fail_disarm(l->nth);
	if (hit)
		fail_note(&l->count, ret);
	EXPECT_TRUE(!ret || (hit && (ret == -ENOMEM || ret == -EFAULT)))
		TH_LOG("fault %u (%s): %s", n, hit ? "met" : "not met", strerror(-ret));
	if (!ret) {
		EXPECT_TRUE(works());
		EXPECT_EQ(0, hpt_unload());
	}
	EXPECT_TRUE(gone())
		TH_LOG("fault %u: something is left after %s", n, strerror(-ret));
	return hit;
}

TEST_F(load, loading)
{
	unsigned long start, end;
	unsigned int n;

	if (fail_filter(0, ULONG_MAX))
		SKIP(return, "needs CONFIG_FAULT_INJECTION_STACKTRACE_FILTER, found no require-start");
	ASSERT_TRUE(function_range(INIT_FUNCTION, &start, &end));
	ASSERT_EQ(0, fail_filter(start, end));
	for (n = 1; n < FAIL_MAX && load_once(_metadata, &self->l, n); n++)
		if (_metadata->exit_code)
			break;
	fail_filter(0, ULONG_MAX);
	EXPECT_LT(n, FAIL_MAX);
	EXPECT_LT(0, self->l.count.faults);
	fail_print("load", &self->l.count);
}

static bool unload_once(struct __test_metadata *_metadata, struct load *l, unsigned int n)
{
	int ret, i;
	bool hit;

	ASSERT_EQ(0, load(l));
	ASSERT_TRUE(works());
	/* the last buffer's inode system goes a moment later */
	for (i = 0; i < FAIL_TRIES; i++) {
		char refs[16] = "";

		if (!hpt_read_text(FAIL_REFCNT, refs, sizeof(refs)) && !atoi(refs))
			break;
		usleep(FAIL_PAUSE);
	}
	ASSERT_TRUE(fail_arm(l->nth, n));
	ret = hpt_errno(syscall(SYS_delete_module, "hpbuf", O_NONBLOCK));
	hit = fail_disarm(l->nth);
	if (hit)
		fail_note(&l->count, ret);
	EXPECT_TRUE(!ret || (hit && (ret == -ENOMEM || ret == -EFAULT)))
		TH_LOG("fault %u (%s): %s", n, hit ? "met" : "not met", strerror(-ret));
	if (ret) {
		EXPECT_TRUE(works());
		EXPECT_EQ(0, hpt_unload());
	}
	EXPECT_TRUE(gone())
		TH_LOG("fault %u: something is left after %s", n, strerror(-ret));
	return hit;
}

TEST_F(load, unloading)
{
	unsigned int n;

	for (n = 1; n < FAIL_MAX && unload_once(_metadata, &self->l, n); n++)
		if (_metadata->exit_code)
			break;
	EXPECT_LT(n, FAIL_MAX);
	EXPECT_LT(0, self->l.count.faults);
	fail_print("unload", &self->l.count);
}

FAIL_TEST_MAIN
