// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/doctor.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "measure/proc.h"
#include "out/out.h"

const struct doctor_check doctor_checks[] = {
	{ "kernel", "6.1", check_kernel },
	{ "headers", "6.1", check_headers },
	{ "dkms", NULL, check_dkms },
	{ "signing", "5.4", check_signing },
	{ "module", "6.1", check_module },
	{ "versions", NULL, check_versions },
	{ "netlink", "6.1", check_netlink },
	{ "device", NULL, check_device },
	{ "group", NULL, check_group },
	{ "memlock", "2.6.9", check_memlock },
	{ "pages-1g", "2.6.27", check_pages_1g },
	{ "thp", "2.6.38", check_thp },
	{ "thp-process", "3.15", check_thp_process },
	{ "hugetlb", "3.16", check_hugetlb },
	{ "cgroup", "4.5", check_cgroup },
	{ "pmu", "2.6.32", check_pmu },
	{ "hypervisor", NULL, check_hypervisor },
	{ "governor", "2.6.9", check_governor },
	{ "cmdline", NULL, check_cmdline },
	{ NULL, NULL, NULL }
};

__attribute__((format(printf, 3, 0)))
static void say(struct finding *f, enum doctor_state state, const char *fmt, va_list ap)
{
	if (state > f->state)
		f->state = state;
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	hp_clean(f->found);
}

void doctor_ok(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(f, DOCTOR_OK, fmt, ap);
	va_end(ap);
}

void doctor_warn(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(f, DOCTOR_WARN, fmt, ap);
	va_end(ap);
}

void doctor_fail(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(f, DOCTOR_FAIL, fmt, ap);
	va_end(ap);
}

void doctor_fix(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->fix, sizeof(f->fix), fmt, ap);
	va_end(ap);
	hp_clean(f->fix);
}

char *doctor_path(const struct doctor *d, char *buf, size_t size, const char *fmt, ...)
{
	int n = snprintf(buf, size, "%s", d->root);
	va_list ap;

	if (n < 0 || (size_t)n >= size)
		n = 0;
	va_start(ap, fmt);
	vsnprintf(buf + n, size - (size_t)n, fmt, ap);
	va_end(ap);
	return buf;
}

bool doctor_text(const struct doctor *d, const char *path, char *buf, size_t size)
{
	char full[1024];

	return proc_text(doctor_path(d, full, sizeof(full), "%s", path), buf, size);
}

bool doctor_exists(const struct doctor *d, const char *path)
{
	char full[1024];

	return !access(doctor_path(d, full, sizeof(full), "%s", path), F_OK);
}

int doctor_cpu_flag(const struct doctor *d, const char *flag)
{
	size_t size = 0, len = strlen(flag);
	char path[600], *line = NULL;
	int has = -1;
	FILE *f;

	f = fopen(doctor_path(d, path, sizeof(path), "/proc/cpuinfo"), "re");
	while (f && has < 0 && getline(&line, &size, f) > 0) {
		if (strncmp(line, "flags", 5))
			continue;
		has = 0;
		for (char *p = line; !has && (p = strstr(p + 1, flag)); )
			has = p[-1] == ' ' && (p[len] == ' ' || p[len] == '\n');
	}
	free(line);
	if (f)
		fclose(f);
	return has;
}

bool doctor_effective(const struct doctor *d, unsigned int bit)
{
	char path[600], line[256];
	uint64_t caps = 0;
	FILE *f;

	f = fopen(doctor_path(d, path, sizeof(path), "/proc/self/status"), "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "CapEff:", 7))
			caps = strtoull(line + 7, NULL, 16);
	if (f)
		fclose(f);
	return caps >> bit & 1;
}

/* Where dkms and "make modules_install" put it, compressed or not. */
static void find_ko(struct doctor *d)
{
	char pattern[1024];
	glob_t g;

	doctor_path(d, pattern, sizeof(pattern),
		    "/lib/modules/%s/{updates/dkms,updates,extra,kernel/extra}/hpbuf.ko*",
		    d->release);
	if (!*d->release || glob(pattern, GLOB_BRACE, NULL, &g))
		return;
	snprintf(d->ko, sizeof(d->ko), "%s", g.gl_pathv[0]);
	globfree(&g);
}

void doctor_init(struct doctor *d, const char *root, const char *device)
{
	int fd;

	memset(d, 0, sizeof(*d));
	d->root = strcmp(root, "/") ? root : "";
	if (device)
		snprintf(d->device, sizeof(d->device), "%s", device);
	else
		doctor_path(d, d->device, sizeof(d->device), "%s", HPBUF_DEVICE);
	if (!doctor_text(d, "/proc/sys/kernel/osrelease", d->release, sizeof(d->release)))
		d->release[0] = '\0';
	if (!doctor_text(d, "/sys/module/hpbuf/version", d->module, sizeof(d->module)))
		snprintf(d->module, sizeof(d->module), "%s",
			 doctor_exists(d, "/sys/module/hpbuf/parameters") ? "unknown" : "");
	find_ko(d);
	fd = hpbuf_open_device(d->device, &d->caps);
	d->open_err = fd < 0 ? fd : 0;
	if (fd >= 0)
		close(fd);
}

static json_t *text_or_null(const char *text)
{
	return out_string(text && *text ? text : NULL);
}

json_t *doctor_run(const struct doctor *d)
{
	static const char *const states[DOCTOR_STATES] = { "ok", "warn", "fail" };
	const struct doctor_check *c;
	json_t *rows = json_array();

	for (c = doctor_checks; c->name; c++) {
		struct finding f = { .state = DOCTOR_OK };
		json_t *row = json_object();

		c->run(d, &f);
		json_object_set_new(row, "check", json_string(c->name));
		json_object_set_new(row, "state", json_string(states[f.state]));
		json_object_set_new(row, "found", text_or_null(f.found));
		json_object_set_new(row, "since", text_or_null(c->since));
		json_object_set_new(row, "fix", text_or_null(f.fix));
		json_object_set_new(row, "value", f.value ? f.value : json_null());
		json_array_append_new(rows, row);
	}
	return rows;
}
