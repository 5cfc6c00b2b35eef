// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/perf_events.h"
#include "measure/proc.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define DTLB_LOAD(what)	(PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
			 PERF_COUNT_HW_CACHE_RESULT_##what << 16)

/*
 * The order of the ids is the order within the groups. Page faults are not among
 * them: the kernel counts them for getrusage() at the same place, and its
 * software event would switch on, by patching the running kernel, accounting in
 * every context switch, on machines that could count nothing else.
 */
static const enum perf_group group_of[PERF_PAGE_FAULTS] = {
	[PERF_USER_CYCLES] = PERF_GROUP_CYCLES, [PERF_KERNEL_CYCLES] = PERF_GROUP_CYCLES,
	[PERF_DTLB_LOADS] = PERF_GROUP_TLB, [PERF_DTLB_MISSES] = PERF_GROUP_TLB,
	[PERF_WALKS] = PERF_GROUP_TLB, [PERF_WALK_CYCLES] = PERF_GROUP_TLB,
};

/* What read() gives of a group. */
struct reading {
	uint64_t nr, enabled, running;
	uint64_t v[PERF_IDS];
};

/**
 * struct perf
 * @fd: by id, -1: there is none
 * @leader: by group, the descriptor that stands for it, -1
 * @begin: by group, as it stood at perf_start()
 * @faults: page faults at perf_start()
 * @user_only: the kernel's part may not be counted
 * @err: of the first hardware counter that could not be had
 */
struct perf {
	int fd[PERF_PAGE_FAULTS];
	int leader[PERF_GROUPS];
	struct reading begin[PERF_GROUPS];
	int64_t faults;
	bool user_only;
	int err;
	char why[240];
};

/* Type and config of @id. False: this CPU has no event for it. */
static bool describe(enum perf_id id, const struct perf_cpu *cpu, struct pfm *pfm,
		     struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_HARDWARE;
	switch (id) {
	case PERF_USER_CYCLES:
		attr->exclude_kernel = 1;
		attr->config = PERF_COUNT_HW_CPU_CYCLES;
		return true;
	case PERF_KERNEL_CYCLES:
		attr->exclude_user = 1;
		attr->config = PERF_COUNT_HW_CPU_CYCLES;
		return true;
	case PERF_DTLB_LOADS:
	case PERF_DTLB_MISSES:
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = id == PERF_DTLB_LOADS ? DTLB_LOAD(ACCESS) : DTLB_LOAD(MISS);
		return true;
	case PERF_WALKS:
		return cpu && pfm_encode(pfm, cpu->walks, attr);
	case PERF_WALK_CYCLES:
		return cpu && pfm_encode(pfm, cpu->walk_cycles, attr);
	default:
		return false;
	}
}

static int sys_open(struct perf_event_attr *attr, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void open_one(struct perf *p, enum perf_id id, const struct perf_cpu *cpu,
		     struct pfm *pfm)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int *leader = &p->leader[group_of[id]];

	if (!describe(id, cpu, pfm, &attr))
		return;
	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = *leader < 0;
	attr.inherit = 1;
	attr.exclude_hv = 1;
	p->fd[id] = sys_open(&attr, *leader);
	if (p->fd[id] < 0 && (errno == EACCES || errno == EPERM) && !attr.exclude_kernel &&
	    !attr.exclude_user) {
		attr.exclude_kernel = 1;
		p->fd[id] = sys_open(&attr, *leader);
		p->user_only = p->user_only || p->fd[id] >= 0;
	} else if (p->fd[id] < 0 && id == PERF_KERNEL_CYCLES && errno != ENOENT) {
		p->user_only = perf_hardware(p);
	}
	if (p->fd[id] < 0 && !p->err)
		p->err = errno;
	if (*leader < 0)
		*leader = p->fd[id];
}

static void explain(struct perf *p, const struct perf_cpu *cpu, const struct pfm *pfm)
{
	char paranoid[32] = "unknown";
	bool any = perf_hardware(p);

	proc_text(PARANOID, paranoid, sizeof(paranoid));
	if (any && p->user_only)
		snprintf(p->why, sizeof(p->why),
			 "user-only: the kernel's part may not be counted (kernel.perf_event_paranoid is %s)",
			 paranoid);
	else if (any && (p->fd[PERF_WALKS] < 0 || p->fd[PERF_DTLB_MISSES] < 0))
		snprintf(p->why, sizeof(p->why), "absent: %s",
			 p->fd[PERF_DTLB_MISSES] < 0 ? "the kernel knows no TLB events of this CPU" :
			 !cpu ? "page walks: which events of this CPU count them is not known" :
			 !pfm ? "page walks: libpfm.so.4 (libpfm4) is not installed" :
			 "page walks: neither libpfm4 nor the kernel takes this CPU's events");
	else if (any)
		p->why[0] = '\0';
	else if (p->err == EACCES || p->err == EPERM)
		snprintf(p->why, sizeof(p->why),
			 "forbidden: %s (kernel.perf_event_paranoid is %s)", strerror(p->err),
			 paranoid);
	else if (p->err == ENOENT || p->err == EOPNOTSUPP || p->err == ENODEV)
		snprintf(p->why, sizeof(p->why),
			 "absent: this CPU, or virtual machine, has no hardware counters (%s)",
			 strerror(p->err));
	else if (p->err == ENOSYS)
		snprintf(p->why, sizeof(p->why),
			 "absent: the kernel was built without perf events");
	else
		snprintf(p->why, sizeof(p->why), "unknown: perf_event_open: %s",
			 strerror(p->err));
}

struct perf *perf_open(void)
{
	struct perf *p = calloc(1, sizeof(*p));
	const struct perf_cpu *cpu = perf_cpu_here();
	struct pfm *pfm;

	if (!p)
		return NULL;
	for (int g = 0; g < PERF_GROUPS; g++)
		p->leader[g] = -1;
	for (int id = 0; id < PERF_PAGE_FAULTS; id++)
		p->fd[id] = -1;
	pfm = cpu ? pfm_open() : NULL;
	for (int id = 0; id < PERF_PAGE_FAULTS; id++)
		open_one(p, id, cpu, pfm);
	explain(p, cpu, pfm);
	pfm_close(pfm);
	return p;
}

void perf_close(struct perf *p)
{
	for (int id = 0; p && id < PERF_PAGE_FAULTS; id++)
		if (p->fd[id] >= 0)
			close(p->fd[id]);
	free(p);
}

bool perf_hardware(const struct perf *p)
{
	return p->leader[PERF_GROUP_CYCLES] >= 0 || p->leader[PERF_GROUP_TLB] >= 0;
}

const char *perf_why(const struct perf *p)
{
	return p->why;
}

static bool read_group(const struct perf *p, int group, struct reading *r)
{
	memset(r, 0, sizeof(*r));
	return read(p->leader[group], r, sizeof(*r)) >= (ssize_t)(3 * sizeof(r->nr));
}

static int64_t faults_now(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_minflt + ru.ru_majflt;
}

void perf_start(struct perf *p)
{
	if (p)
		p->faults = faults_now();
	for (int g = 0; p && g < PERF_GROUPS; g++)
		if (p->leader[g] >= 0)
			read_group(p, g, &p->begin[g]);
	for (int g = 0; p && g < PERF_GROUPS; g++)
		if (p->leader[g] >= 0)
			ioctl(p->leader[g], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void take_group(const struct perf *p, int group, struct perf_counts *c)
{
	const struct reading *a = &p->begin[group];
	uint64_t enabled, running, n = 0;
	struct reading b;

	if (!read_group(p, group, &b))
		return;
	enabled = b.enabled - a->enabled;
	running = b.running - a->running;
	/* It never had its turn: that is not a count of 0. */
	if (!running)
		return;
	c->running[group] = (double)running / (double)enabled;
	for (int id = 0; id < PERF_PAGE_FAULTS; id++) {
		if ((int)group_of[id] != group || p->fd[id] < 0)
			continue;
		c->v[id] = (int64_t)((double)(b.v[n] - a->v[n]) * (double)enabled /
				     (double)running + 0.5);
		n++;
	}
}

void perf_stop(struct perf *p, struct perf_counts *c)
{
	for (int g = PERF_GROUPS; p && g--;)
		if (p->leader[g] >= 0)
			ioctl(p->leader[g], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	memset(c, 0, sizeof(*c));
	c->taken = p;
	for (int id = 0; id < PERF_IDS; id++)
		c->v[id] = -1;
	if (p)
		c->v[PERF_PAGE_FAULTS] = faults_now() - p->faults;
	for (int g = 0; p && g < PERF_GROUPS; g++)
		if (p->leader[g] >= 0)
			take_group(p, g, c);
}
