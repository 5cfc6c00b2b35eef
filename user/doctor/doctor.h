/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hpbuf and hpctl need of a machine, checked row by row. A check is one
 * function and one row of the table in doctor.c; it reads and never changes.
 */
#ifndef HPCTL_DOCTOR_H
#define HPCTL_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/libhpbuf.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_WARN,		/* works, or a part does; the figures may suffer */
	DOCTOR_FAIL,		/* buffers cannot be had */
	DOCTOR_STATES
};

/**
 * struct doctor - the machine that is looked at, and what several checks ask of it
 * @root: tree to look in, "" for the running system's own
 * @device: path of the device node
 * @release: of the kernel, as uname -r; "" when unknown
 * @module: version of the loaded module; "" when none is loaded
 * @open_err: 0, or what hpbuf_open_device() returned
 * @caps: what the device told; uapi_version is 0 when it told nothing
 * @ko: the module's file for @release, "" when there is none
 */
struct doctor {
	const char *root;
	char device[512];
	char release[96];
	char module[32];
	int open_err;
	struct hpbuf_caps caps;
	char ko[512];
};

/**
 * struct finding - what a check says
 * @state: enum doctor_state
 * @found: one line
 * @fix: one line: a command or what to change; empty when there is nothing to do
 * @value: the same for programs, or NULL; taken over by the document
 */
struct finding {
	enum doctor_state state;
	char found[240];
	char fix[240];
	json_t *value;
};

/**
 * struct doctor_check - a row of the table
 * @name: as in the output
 * @since: the kernel that first has what is checked; NULL: no matter of the kernel
 * @run: fills a zeroed finding
 */
struct doctor_check {
	const char *name;
	const char *since;
	void (*run)(const struct doctor *d, struct finding *f);
};

/** The table, in the order of the output; ends with a NULL name. */
extern const struct doctor_check doctor_checks[];

/** doctor_init - look at what several checks need; @root "" or a directory */
void doctor_init(struct doctor *d, const char *root, const char *device);

/** doctor_run - all checks: an array of {check, state, found, since, fix, value} */
json_t *doctor_run(const struct doctor *d);

/* ---- for checks ---- */

/** State and line in one; the states only ever get worse. */
void doctor_ok(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void doctor_warn(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void doctor_fail(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void doctor_fix(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** doctor_path - "/proc/..." below the root; returns @buf */
char *doctor_path(const struct doctor *d, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** doctor_text - first line of a file below the root; false: unreadable */
bool doctor_text(const struct doctor *d, const char *path, char *buf, size_t size);

/** doctor_exists - whether a path below the root is there */
bool doctor_exists(const struct doctor *d, const char *path);

/** doctor_cpu_flag - whether /proc/cpuinfo has @flag; -1: it cannot be read */
int doctor_cpu_flag(const struct doctor *d, const char *flag);

/** doctor_effective - whether capability @bit is effective for this process */
bool doctor_effective(const struct doctor *d, unsigned int bit);

/* check_kernel.c */
void check_kernel(const struct doctor *d, struct finding *f);
void check_headers(const struct doctor *d, struct finding *f);
void check_dkms(const struct doctor *d, struct finding *f);
void check_signing(const struct doctor *d, struct finding *f);
void check_cmdline(const struct doctor *d, struct finding *f);

/* check_module.c */
void check_module(const struct doctor *d, struct finding *f);
void check_versions(const struct doctor *d, struct finding *f);
void check_netlink(const struct doctor *d, struct finding *f);
void check_device(const struct doctor *d, struct finding *f);
void check_group(const struct doctor *d, struct finding *f);

/* check_memory.c */
void check_pages_1g(const struct doctor *d, struct finding *f);
void check_hugetlb(const struct doctor *d, struct finding *f);
void check_thp(const struct doctor *d, struct finding *f);
void check_thp_process(const struct doctor *d, struct finding *f);

/* check_limits.c */
void check_memlock(const struct doctor *d, struct finding *f);
void check_cgroup(const struct doctor *d, struct finding *f);

/* check_machine.c */
void check_pmu(const struct doctor *d, struct finding *f);
void check_hypervisor(const struct doctor *d, struct finding *f);
void check_governor(const struct doctor *d, struct finding *f);

#endif
