// SPDX-License-Identifier: GPL-2.0-only
/* Children, limits, users, parameters, memory pressure. */
#define _GNU_SOURCE
#include "run.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB	(1ULL << 20)

/* The child goes on with what is left of the program, beside its parent. */
long fz_fork(struct fz_run *r, struct fz_cur *c)
{
	unsigned int slot = fz_one(c, FZ_CHILDREN);
	pid_t pid;

	if (__atomic_fetch_add(&r->sh->forks, 1, __ATOMIC_RELAXED) >= FZ_CHILDREN)
		return -EAGAIN;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		r->child = true;
		memset(r->children, 0, sizeof(r->children));
		return 0;
	}
	if (pid > 0)
		r->children[slot] = pid;
	return pid;
}

long fz_kill(struct fz_run *r, struct fz_cur *c)
{
	unsigned int slot = fz_one(c, FZ_CHILDREN);
	pid_t pid = r->children[slot];

	if (pid <= 0)
		return -ESRCH;
	switch (fz_one(c, 4)) {
	case 0:
		kill(pid, SIGKILL);
		break;
	case 1:
		return fz_ret(kill(pid, SIGSTOP));
	case 2:
		return fz_ret(kill(pid, SIGCONT));
	case 3:	/* in the middle of something, perhaps */
		usleep(fz_u8(c) * 16);
		kill(pid, SIGKILL);
		break;
	}
	r->children[slot] = 0;
	return fz_ret(waitpid(pid, NULL, 0));
}

long fz_limit(struct fz_run *r, struct fz_cur *c)
{
	static const uint64_t memlock[] = { 0, 2 * MIB, 4 * MIB, RLIM_INFINITY, 4 * MIB - 1 };
	static const uint64_t files[] = { 0, 4, 8, 16, 64 };
	struct rlimit l;

	if (fz_u8(c) & 1) {
		l.rlim_cur = l.rlim_max = memlock[fz_one(c, 5)];
		return fz_ret(setrlimit(RLIMIT_MEMLOCK, &l));
	}
	/* Can be taken back. */
	getrlimit(RLIMIT_NOFILE, &l);
	l.rlim_cur = files[fz_one(c, 5)];
	return fz_ret(setrlimit(RLIMIT_NOFILE, &l));
}

/* Of this thread alone, and without a way back. */
long fz_who(struct fz_run *r, struct fz_cur *c)
{
	uid_t uid = fz_u8(c) < 0x80 ? 65534 : fz_u16(c);

	if (fz_u8(c) >= 0xc0)
		return fz_ret(unshare(CLONE_NEWUSER));
	return fz_ret(syscall(SYS_setresuid, uid, uid, uid));
}

long fz_thp(struct fz_run *r, struct fz_cur *c)
{
	return fz_ret(prctl(PR_SET_THP_DISABLE, fz_one(c, 2) ? 0 : 1, 0, 0, 0));
}

static const char * const some_texts[] = {
	"0", FZ_CAP_1G, "1", "2", "4", "-1", "", "x", "2M", "8M\n", "64M", "1K", "1k ", "3", "0x10", "1P",
	"9223372036854775807", "18446744073709551616", "99999999999999999999999999", "1\n\n",
	"7T", "9999999T", "+1", " 1", "1 ", "4294967296", "4294967295",
};

long fz_param(struct fz_run *r, struct fz_cur *c)
{
	static const char * const files[] = {
		"module/hpbuf/parameters/pool_2m", "module/hpbuf/parameters/pool_1g",
		"module/hpbuf/parameters/max_bytes", "module/hpbuf/parameters/floor_bytes",
	};
	unsigned int nr = sizeof(some_texts) / sizeof(some_texts[0]), which = fz_one(c, 5);
	const char *text = some_texts[fz_one(c, nr)];
	char path[64], was[32];
	long ret;
	int fd;

	/* These would lift the limits that keep the machine alive. */
	if (which == 2 && (!strcmp(text, "0") || strlen(text) >= 10 || strchr(text, 'T')))
		text = FZ_CAP_1G;
	if (which == 3 && strlen(text) < 3)
		text = "1G";
	/* Memory pressure, by hand: shrinkers give back what they have. */
	if (which == 4)
		text = "2";
	snprintf(path, sizeof(path), "%s%s", which == 4 ? "/proc/sys/vm/drop_caches" : "/sys/",
		 which == 4 ? "" : files[which]);
	fd = open(path, (fz_u8(c) & 1 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	__atomic_fetch_or(&r->sh->dirty, FZ_DIRTY_POOL, __ATOMIC_RELAXED);
	ret = fz_ret(write(fd, text, strlen(text)));
	if (ret < 0)
		ret = fz_ret(read(fd, was, sizeof(was)));
	close(fd);
	return ret;
}
