/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module's tests have in common: the module is loaded, the device is
 * opened, buffers are made, and a bad line in the kernel log is a failure.
 *
 * A test program ends with HPBUF_TEST_MAIN. It loads $HPBUF_KO (or "modprobe
 * hpbuf") when /dev/hpbuf is not there, and leaves the module loaded.
 */
#ifndef HPBUF_TEST_H
#define HPBUF_TEST_H

#include <kselftest_harness.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/hpbuf.h>

#include "freemem.h"
#include "klog.h"

#define SZ_4K		(4UL << 10)
#define SZ_2M		(2UL << 20)
#define SZ_1G		(1UL << 30)

#define HPT_NOBODY	65534
#define HPT_OTHER	65533

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

/* ---- numbers from outside ---- */

static inline unsigned long hpt_env(const char *name, unsigned long dflt)
{
	const char *text = getenv(name);
	unsigned long val = text ? strtoul(text, NULL, 0) : 0;

	return val ? val : dflt;
}

/*
 * Emulated and debug kernels are slow: a test that hangs is all this finds. It
 * grows with what the caller asks for.
 */
static inline int hpt_timeout(int seconds)
{
	unsigned long rounds = hpt_env("HPBUF_ROUNDS", 50);

	return seconds * hpt_env("HPBUF_TIMEOUT_SCALE", 1) * (rounds < 50 ? 1 : rounds / 50);
}

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	hpt_timeout(240)

/* A small repeatable generator; the seed is a constant, so is every run. */
static inline uint32_t hpt_rand(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static inline int hpt_read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -EIO;
	buf[n] = '\0';
	return 0;
}

static inline int hpt_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* What a system call returned, with -1 replaced by the errno, negative. */
static inline long hpt_errno(long ret)
{
	return ret == -1 ? -errno : ret;
}

/* A structure's name field from text; the rest of it is zero already. */
static inline void hpt_name(char name[HPBUF_NAME_LEN], const char *text)
{
	memcpy(name, text, strnlen(text, HPBUF_NAME_LEN));
}

/* ---- the module ---- */

static inline int hpt_unload(void)
{
	int i;

	/* a descriptor's last reference may still be on its way */
	for (i = 0; i < 100; i++) {
		if (!syscall(SYS_delete_module, "hpbuf", O_NONBLOCK))
			return 0;
		if (errno != EAGAIN && errno != EBUSY)
			break;
		usleep(20000);
	}
	return -errno;
}

/* Load $HPBUF_KO. -ENOENT: not set. */
static inline int hpt_load(const char *params)
{
	const char *ko = getenv("HPBUF_KO");
	int fd, ret = 0;

	if (!ko || !*ko)
		return -ENOENT;
	fd = open(ko, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		ksft_exit_fail_msg("HPBUF_KO=%s: %s\n", ko, strerror(errno));
	if (syscall(SYS_finit_module, fd, params, 0))
		ret = -errno;
	close(fd);
	return ret;
}

static inline int hpt_reload(const char *params)
{
	int ret = hpt_unload();

	if (ret && ret != -ENOENT)
		return ret;
	return hpt_load(params);
}

static inline void hpt_need_module(void)
{
	int ret;

	if (!access(HPBUF_DEVICE, F_OK))
		return;
	if (geteuid())
		ksft_exit_skip("no %s, and only root can load the module\n", HPBUF_DEVICE);
	ret = hpt_load("");
	if (ret == -ENOENT && system("modprobe -q hpbuf"))
		ksft_exit_skip("no %s: HPBUF_KO is not set and modprobe does not know hpbuf\n",
			       HPBUF_DEVICE);
	if (ret && ret != -ENOENT)
		ksft_exit_fail_msg("loading the module: %s\n", strerror(-ret));
	if (access(HPBUF_DEVICE, F_OK))
		ksft_exit_fail_msg("the module is loaded, %s is not there\n", HPBUF_DEVICE);
}

/* ---- the device ---- */

static inline int hpt_caps(int dev, struct hpbuf_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
	return ioctl(dev, HPBUF_IOC_CAPS, caps) ? -errno : 0;
}

/* An open device that speaks our version of the contract, or -errno. */
static inline int hpt_open(struct hpbuf_caps *caps)
{
	struct hpbuf_caps c;
	int dev = open(HPBUF_DEVICE, O_RDWR | O_CLOEXEC), ret;

	if (dev < 0)
		return -errno;
	ret = hpt_caps(dev, &c);
	if (!ret && c.uapi_version != HPBUF_UAPI_VERSION)
		ret = -EPROTO;
	if (ret) {
		close(dev);
		return ret;
	}
	if (caps)
		*caps = c;
	return dev;
}

static inline uint64_t hpt_used(int dev)
{
	struct hpbuf_caps c;

	return hpt_caps(dev, &c) ? ~0ULL : c.used_bytes;
}

/* The last reference of a buffer may go a moment after close() or exit. */
static inline bool hpt_used_becomes(int dev, uint64_t want)
{
	int i;

	for (i = 0; i < FREEMEM_TRIES; i++) {
		if (hpt_used(dev) == want)
			return true;
		usleep(FREEMEM_PAUSE);
	}
	fprintf(stderr, "# used_bytes is %llu, not %llu\n",
		(unsigned long long)hpt_used(dev), (unsigned long long)want);
	return false;
}

/* HPBUF_IOC_ALLOC. Returns the descriptor or -errno; *a is filled. */
static inline int hpt_alloc_req(int dev, struct hpbuf_alloc *a)
{
	return ioctl(dev, HPBUF_IOC_ALLOC, a) ? -errno : a->fd;
}

static inline int hpt_alloc(int dev, uint64_t bytes, unsigned int shift,
			    struct hpbuf_alloc *a)
{
	memset(a, 0, sizeof(*a));
	a->bytes = bytes;
	a->page_shift = shift;
	return hpt_alloc_req(dev, a);
}

/*
 * 1 GiB pages for a test that needs some but is not about getting them. Where
 * tests before it left caches in every gigabyte, those are dropped and it is
 * tried once more.
 */
static inline int hpt_alloc_1g(int dev, unsigned int pages, struct hpbuf_alloc *a)
{
	int fd = hpt_alloc(dev, pages * SZ_1G, HPBUF_SHIFT_1G, a);

	if (fd != -EBUSY || hpt_write_text("/proc/sys/vm/drop_caches", "3"))
		return fd;
	fprintf(stderr, "# no 1 GiB page at first: caches dropped\n");
	return hpt_alloc(dev, pages * SZ_1G, HPBUF_SHIFT_1G, a);
}

static inline int hpt_open_id(int dev, uint32_t id, uint32_t flags)
{
	struct hpbuf_open o = { .id = id, .flags = flags };

	return ioctl(dev, HPBUF_IOC_OPEN, &o) ? -errno : o.fd;
}

static inline int hpt_free(int dev, uint32_t id, uint32_t *busy)
{
	struct hpbuf_free f = { .id = id };

	if (ioctl(dev, HPBUF_IOC_FREE, &f))
		return -errno;
	if (busy)
		*busy = f.busy;
	return 0;
}

static inline int hpt_info(int fd, struct hpbuf_info *info)
{
	memset(info, 0, sizeof(*info));
	return ioctl(fd, HPBUF_IOC_INFO, info) ? -errno : 0;
}

static inline void *hpt_map(int fd, size_t len)
{
	return mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* ---- patterns: eight bytes in every 4 KiB, the edges always among them ---- */

static inline uint64_t hpt_mark(size_t off, uint64_t salt)
{
	return (off + 1) * 0x9e3779b97f4a7c15ULL ^ salt;
}

/*
 * Bytes of the mapping [@p, @p + @size) that one fault at @at maps: a 1 GiB page, or
 * the 2 MiB pages that share its table, which covers an aligned gigabyte.
 */
static inline uint64_t hpt_one_fault(const void *p, uint64_t size, const void *at,
				     uint64_t page)
{
	uint64_t first = (uintptr_t)p, last = first + size;
	uint64_t from = (uintptr_t)at & ~(SZ_1G - 1), to = from + SZ_1G;

	if (page == SZ_1G)
		return page;
	return (to < last ? to : last) - (from > first ? from : first);
}

/* Faults that it takes to map all of it. */
static inline uint64_t hpt_faults(const void *p, uint64_t size, uint64_t page)
{
	uint64_t first = (uintptr_t)p / SZ_1G, last = ((uintptr_t)p + size - 1) / SZ_1G;

	return page == SZ_1G ? size / page : last - first + 1;
}

static inline void hpt_stamp(volatile unsigned char *p, size_t size, uint64_t salt)
{
	size_t off;

	for (off = 0; off < size; off += SZ_4K) {
		*(volatile uint64_t *)(p + off) = hpt_mark(off, salt);
		*(volatile uint64_t *)(p + off + SZ_4K - 8) = hpt_mark(~off, salt);
	}
}

/* A write that changes nothing; p[0] = p[0] is none, compilers leave it out. */
static inline void hpt_write_back(volatile unsigned char *p)
{
	unsigned char was = *p;

	*p = was;
}

/* -1 when all is as stamped, else the offset of the first difference. */
static inline long hpt_check(volatile unsigned char *p, size_t size, uint64_t salt)
{
	size_t off;

	for (off = 0; off < size; off += SZ_4K) {
		if (*(volatile uint64_t *)(p + off) != hpt_mark(off, salt))
			return off;
		if (*(volatile uint64_t *)(p + off + SZ_4K - 8) != hpt_mark(~off, salt))
			return off + SZ_4K - 8;
	}
	return -1;
}

/* -1 when zero at every stride-th word (8: all of them), else the offset. */
static inline long hpt_nonzero(const volatile unsigned char *p, size_t size, size_t stride)
{
	size_t off;

	for (off = 0; off < size; off += stride)
		if (*(const volatile uint64_t *)(p + off))
			return off;
	if (*(const volatile uint64_t *)(p + size - 8))
		return size - 8;
	return -1;
}

/* ---- touching what may not be there ---- */

static __thread sigjmp_buf hpt_jmp;
static __thread volatile sig_atomic_t hpt_armed;

static inline void hpt_on_fault(int sig)
{
	if (hpt_armed)
		siglongjmp(hpt_jmp, sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

static inline void hpt_catch_faults(void)
{
	struct sigaction sa = { .sa_handler = hpt_on_fault, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
}

/* Read (or write) one byte: 0, or the signal that came. */
static inline int hpt_peek(const volatile void *addr, unsigned char *val)
{
	int sig;

	hpt_catch_faults();
	sig = sigsetjmp(hpt_jmp, 1);
	if (!sig) {
		hpt_armed = 1;
		*val = *(const volatile unsigned char *)addr;
	}
	hpt_armed = 0;
	return sig;
}

static inline int hpt_poke(volatile void *addr, unsigned char val)
{
	int sig;

	hpt_catch_faults();
	sig = sigsetjmp(hpt_jmp, 1);
	if (!sig) {
		hpt_armed = 1;
		*(volatile unsigned char *)addr = val;
	}
	hpt_armed = 0;
	return sig;
}

/* ---- children ---- */

/* A wait status as a shell would say it: the exit code, or 128 + signal. */
static inline int hpt_wait(pid_t pid)
{
	int status;

	if (pid < 0 || TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) != pid)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* fork() with nothing left in the buffers that both would print. */
static inline pid_t hpt_fork(void)
{
	fflush(stdout);
	fflush(stderr);
	return fork();
}

/* Run fn(arg) in a child and return what it returned, as hpt_wait() does. */
static inline int hpt_in_child(int (*fn)(void *arg), void *arg)
{
	pid_t pid = hpt_fork();

	if (!pid)
		_exit(fn(arg));
	return hpt_wait(pid);
}

/* Become that user for good: no capability is left, /proc/self stays ours. */
static inline int hpt_become(uid_t uid)
{
	if (syscall(SYS_setgroups, 0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	return prctl(PR_SET_DUMPABLE, 1) ? -errno : 0;
}

static inline bool hpt_pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static inline int hpt_count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* ---- a program's start and end ---- */

/*
 * An emulator runs shells and tools a good deal faster at addresses that are always
 * the same ("setarch -R"). A test of mappings is to have them where they fall.
 */
static inline void hpt_random_addresses(char **argv)
{
	int persona = personality(0xffffffff);

	if (persona == -1 || !(persona & ADDR_NO_RANDOMIZE))
		return;
	if (personality(persona & ~ADDR_NO_RANDOMIZE) != -1)
		execv("/proc/self/exe", argv);
}

static inline void hpt_begin(void)
{
	int dev;

	if (geteuid()) {
		ksft_print_header();
		ksft_exit_skip("needs root, found uid %d\n", (int)geteuid());
	}
	klog_begin();
	if (access(HPBUF_DEVICE, F_OK))
		ksft_print_header();
	hpt_need_module();
	dev = hpt_open(NULL);
	if (dev < 0)
		ksft_exit_fail_msg("%s: %s\n", HPBUF_DEVICE, strerror(-dev));
	close(dev);
}

#define HPBUF_TEST_MAIN_WITH(prepare)					\
	FIXTURE(kernel_log) { };					\
	FIXTURE_SETUP(kernel_log) { }					\
	FIXTURE_TEARDOWN(kernel_log) { }				\
	TEST_F(kernel_log, clean)					\
	{								\
		EXPECT_EQ(0, klog_bad());				\
	}								\
	int main(int argc, char **argv)					\
	{								\
		hpt_random_addresses(argv);				\
		hpt_begin();						\
		prepare;						\
		return test_harness_run(argc, argv);			\
	}

#define HPBUF_TEST_MAIN HPBUF_TEST_MAIN_WITH((void)0)

#endif
