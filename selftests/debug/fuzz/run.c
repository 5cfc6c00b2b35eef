// SPDX-License-Identifier: GPL-2.0-only
#include "run.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kcov.h"

/* Calls 0 and 1 make a buffer and map it: see fz_random(). New ones go to the end. */
const struct fz_call fz_calls[] = {
	{ "alloc", fz_alloc }, { "mmap", fz_mmap }, { "touch", fz_access },
	{ "populate", fz_populate }, { "info", fz_info }, { "open", fz_open },
	{ "free", fz_free }, { "caps", fz_caps }, { "fresh", fz_fresh },
	{ "raw-ioctl", fz_raw_ioctl }, { "munmap", fz_munmap }, { "mremap", fz_mremap },
	{ "mprotect", fz_mprotect }, { "madvise", fz_madvise }, { "mlock", fz_mlock },
	{ "policy", fz_policy }, { "userfaultfd", fz_uffd }, { "copy", fz_copy },
	{ "proc", fz_proc }, { "splice", fz_splice }, { "close", fz_close },
	{ "dup", fz_dup }, { "pass", fz_pass }, { "file", fz_file },
	{ "fork", fz_fork }, { "kill", fz_kill }, { "rlimit", fz_limit },
	{ "user", fz_who }, { "thp", fz_thp }, { "param", fz_param },
	{ "netlink", fz_netlink }, { "netlink-bad", fz_netlink_bad },
	{ "netlink-socket", fz_netlink_socket },
};

unsigned int fz_nr_calls(void)
{
	return sizeof(fz_calls) / sizeof(fz_calls[0]);
}

void fz_broken(struct fz_run *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->sh->broken, sizeof(r->sh->broken), fmt, ap);
	va_end(ap);
	_exit(FZ_BROKEN);
}

/* ---- for actors ---- */

struct fz_buf *fz_buf(struct fz_run *r, struct fz_cur *c)
{
	return &r->buf[fz_one(c, FZ_BUFS)];
}

struct fz_map *fz_map(struct fz_run *r, struct fz_cur *c)
{
	return &r->map[fz_one(c, FZ_MAPS)];
}

/* Pages of the scratch memory: read-only, then writable, then none. */
static bool make_scratch(struct fz_run *r)
{
	size_t all = FZ_SCRATCH + 2 * 4096;
	char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, 4096, PROT_READ) ||
	    mprotect(p + 4096 + FZ_SCRATCH, 4096, PROT_NONE))
		return false;
	r->scratch = p + 4096;
	return true;
}

void *fz_room(struct fz_run *r, struct fz_cur *c, size_t size)
{
	struct fz_map *m;

	if (size > FZ_SCRATCH)
		size = FZ_SCRATCH;
	switch (fz_u8(c) / 16) {
	case 10:	/* ends where memory does */
		return r->scratch + FZ_SCRATCH - size;
	case 11:	/* goes over that end */
		return r->scratch + FZ_SCRATCH - size / 2;
	case 12:	/* can only be read */
		return r->scratch - 4096;
	case 13:	/* half of it can */
		return r->scratch - size / 2;
	case 14:	/* is one of the module's own pages */
		m = fz_map(r, c);
		return m->addr;
	case 15:
		return (void *)fz_u64(c);
	}
	/* Two threads, two places. */
	return r->scratch + fz_one(c, 2) * (FZ_SCRATCH / 2);
}

static __thread sigjmp_buf landing;
static __thread volatile sig_atomic_t armed;

static void on_fault(int sig)
{
	if (armed)
		siglongjmp(landing, sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

int fz_touch(volatile char *at, bool write)
{
	int sig = sigsetjmp(landing, 1);

	if (!sig) {
		armed = 1;
		if (write)
			*at = 'x';
		else
			(void)*at;
	}
	armed = 0;
	return sig;
}

/* ---- running ---- */

static void one_call(struct fz_run *r, const uint8_t *rec)
{
	unsigned int which = (rec[0] & ~FZ_OTHER_THREAD) % fz_nr_calls();
	struct fz_cur c = { .at = rec + 1, .left = FZ_REC - 1 };

	if (!r->child)
		r->sh->doing[rec[0] / FZ_OTHER_THREAD] = which;
	__atomic_fetch_add(&r->sh->called[which], 1, __ATOMIC_RELAXED);
	if (fz_calls[which].run(r, &c) >= 0)
		__atomic_fetch_add(&r->sh->worked[which], 1, __ATOMIC_RELAXED);
}

struct part {
	struct fz_run *r;
	const struct fz_input *in;
	uint8_t thread;
};

static void run_part(const struct part *p)
{
	unsigned int i;

	for (i = 0; i < p->in->nr; i++)
		if ((p->in->rec[i][0] & FZ_OTHER_THREAD) == p->thread)
			one_call(p->r, p->in->rec[i]);
	/* Children are done here, whichever thread made them. */
	if (p->r->child)
		_exit(0);
}

static void *other_thread(void *arg)
{
	fz_cover_begin(1);
	run_part(arg);
	return NULL;
}

static bool has_other(const struct fz_input *in)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->rec[i][0] & FZ_OTHER_THREAD)
			return true;
	return false;
}

static void begin(struct fz_run *r)
{
	struct sigaction sa = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	int i;

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < FZ_BUFS; i++)
		r->buf[i].fd = -1;
	for (i = 0; i < FZ_SOCKS; i++)
		r->sock[i] = -1;
	r->pair[0] = r->pair[1] = r->pipe[0] = r->pipe[1] = r->file = -1;
	r->dev = open("/dev/hpbuf", O_RDWR | O_CLOEXEC);
	if (r->dev < 0 || !make_scratch(r))
		fz_broken(r, "the device cannot be opened: %s", strerror(errno));
}

void fz_program(const struct fz_input *in, const struct fz_setup *setup,
		struct fz_shared *sh)
{
	struct fz_run r = { .setup = setup, .sh = sh };
	struct part part = { &r, in, FZ_OTHER_THREAD };
	pthread_t thread;

	begin(&r);
	r.two = has_other(in);
	if (r.two && pthread_create(&thread, NULL, other_thread, &part))
		r.two = false;
	fz_cover_begin(0);
	run_part(&(struct part){ &r, in, 0 });
	if (r.two)
		pthread_join(thread, NULL);
	_exit(0);
}
