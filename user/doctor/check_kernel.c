// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel: its version, its headers, who builds and who may load the module. */
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "array.h"
#include "doctor/doctor.h"
#include "measure/proc.h"

#define OLDEST_MAJOR	6
#define OLDEST_MINOR	1

#define SECURE_BOOT	\
	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

void check_kernel(const struct doctor *d, struct finding *f)
{
	unsigned int major, minor;
	struct utsname u;

	if (sscanf(d->release, "%u.%u", &major, &minor) != 2) {
		doctor_warn(f, "version unknown: /proc/sys/kernel/osrelease cannot be read");
		return;
	}
	if (!uname(&u) && strcmp(u.machine, "x86_64")) {
		doctor_fail(f, "%s on %s", d->release, u.machine);
		doctor_fix(f, "the module is for x86-64 only");
	} else if (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR)) {
		doctor_fail(f, "%s is too old", d->release);
		doctor_fix(f, "boot %d.%d or newer", OLDEST_MAJOR, OLDEST_MINOR);
	} else {
		doctor_ok(f, "%s", d->release);
	}
}

/* Only to build: who has a module already can do without. */
void check_headers(const struct doctor *d, struct finding *f)
{
	char path[200];

	if (!*d->release) {
		doctor_warn(f, "which kernel's is not known");
		doctor_fix(f, "apt-get install linux-headers-VERSION");
		return;
	}
	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", d->release);
	if (doctor_exists(d, path)) {
		doctor_ok(f, "/lib/modules/%s/build", d->release);
		return;
	}
	if (*d->module || *d->ko)
		doctor_warn(f, "none for %s: the module cannot be built again", d->release);
	else
		doctor_fail(f, "none for %s: the module cannot be built", d->release);
	doctor_fix(f, "apt-get install linux-headers-%s", d->release);
}

/* The newest version that dkms has, into @version. */
static bool dkms_version(const struct doctor *d, char *version, size_t size)
{
	char path[600];
	struct dirent *e;
	DIR *dir;

	*version = '\0';
	dir = opendir(doctor_path(d, path, sizeof(path), "/var/lib/dkms/hpbuf"));
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9' &&
		    strverscmp(e->d_name, version) > 0)
			snprintf(version, size, "%.60s", e->d_name);
	if (dir)
		closedir(dir);
	return *version;
}

static bool any(const struct doctor *d, const char *pattern)
{
	char full[1024];
	glob_t g;

	if (glob(doctor_path(d, full, sizeof(full), "%s", pattern), 0, NULL, &g))
		return false;
	globfree(&g);
	return true;
}

/* Built by dkms but not installed, failed, or only known to it. */
static void dkms_incomplete(const struct doctor *d, const char *version, struct finding *f)
{
	void (*say)(struct finding *f, const char *fmt, ...) =
		*d->module ? doctor_warn : doctor_fail;
	char built[400], log[200];

	snprintf(built, sizeof(built), "/var/lib/dkms/hpbuf/%s/%s/x86_64/module/hpbuf.ko*",
		 version, d->release);
	snprintf(log, sizeof(log), "/var/lib/dkms/hpbuf/%s/build/make.log", version);
	doctor_fix(f, "dkms install hpbuf/%s -k %s", version, d->release);
	if (any(d, built)) {
		say(f, "%s is built for %s, not installed", version, d->release);
	} else if (doctor_exists(d, log)) {
		say(f, "building %s failed", version);
		doctor_fix(f, "read %s, then: dkms install hpbuf/%s -k %s", log, version,
			   d->release);
	} else {
		say(f, "%s is not built for %s", version, d->release);
	}
}

void check_dkms(const struct doctor *d, struct finding *f)
{
	char version[64], path[400];

	if (!dkms_version(d, version, sizeof(version))) {
		doctor_warn(f, "hpbuf is not among its modules: no build for the next kernel");
		doctor_fix(f, "install the package hpbuf-dkms, or: make dkms-install");
		return;
	}
	snprintf(path, sizeof(path), "/lib/modules/%s/updates/dkms/hpbuf.ko*", d->release);
	if (!*d->release || !any(d, path)) {
		dkms_incomplete(d, version, f);
	} else if (strcmp(version, HPBUF_MODULE_VERSION)) {
		doctor_warn(f, "%s is installed, hpctl is %s", version, HPBUF_MODULE_VERSION);
		doctor_fix(f, "install hpbuf-dkms and hpctl of one version");
	} else {
		doctor_ok(f, "%s is installed for %s", version, d->release);
	}
}

/* The fifth byte of the variable; the first four are its attributes. */
static bool secure_boot(const struct doctor *d)
{
	char path[700], v[5] = { 0 };
	size_t n = 0;
	FILE *file;

	file = fopen(doctor_path(d, path, sizeof(path), SECURE_BOOT), "re");
	if (file) {
		n = fread(v, 1, sizeof(v), file);
		fclose(file);
	}
	return n == sizeof(v) && v[4] == 1;
}

/* 1: signed, 0: not, -1: cannot be told (compressed, unreadable). */
static int is_signed(const char *ko)
{
	static const char magic[] = "~Module signature appended~\n";
	char tail[sizeof(magic)] = "";
	FILE *file;
	size_t n = 0;

	if (!*ko || strcmp(ko + strlen(ko) - 3, ".ko"))
		return -1;
	file = fopen(ko, "re");
	if (file && !fseek(file, -(long)(sizeof(magic) - 1), SEEK_END))
		n = fread(tail, 1, sizeof(magic) - 1, file);
	if (file)
		fclose(file);
	return n == sizeof(magic) - 1 ? !memcmp(tail, magic, n) : -1;
}

static void only_signed(const struct doctor *d, const char *why, struct finding *f)
{
	int yes = is_signed(d->ko);

	if (*d->module) {
		doctor_ok(f, "%s; the loaded module passed", why);
	} else if (yes) {
		doctor_warn(f, "%s; %s loads only if the key is enrolled", why,
			    yes > 0 ? "the module is signed, and" : "the module");
		doctor_fix(f, "mokutil --import /var/lib/dkms/mok.pub, reboot and enrol it there");
	} else {
		doctor_fail(f, "%s, and the module is not signed", why);
		doctor_fix(f, "make sign; mokutil --import /var/lib/dkms/mok.pub, reboot and enrol it there");
	}
}

void check_signing(const struct doctor *d, struct finding *f)
{
	bool told = doctor_exists(d, "/sys/kernel/security/lsm");
	char lockdown[32] = "none", enforce[8] = "N", disabled[8] = "0", path[600], why[120];

	/* A kernel without lockdown has no such file, but then the other one. */
	told |= proc_bracketed(doctor_path(d, path, sizeof(path),
					   "/sys/kernel/security/lockdown"),
			       lockdown, sizeof(lockdown));
	doctor_text(d, "/sys/module/module/parameters/sig_enforce", enforce, sizeof(enforce));
	doctor_text(d, "/proc/sys/kernel/modules_disabled", disabled, sizeof(disabled));
	if (!strcmp(disabled, "1") && !*d->module) {
		doctor_fail(f, "no module can be loaded any more: kernel.modules_disabled is 1");
		doctor_fix(f, "reboot, and load hpbuf before it is set");
		return;
	}
	snprintf(why, sizeof(why), "%s%s%s",
		 *enforce == 'Y' ? "signatures are enforced" : "",
		 *enforce == 'Y' && strcmp(lockdown, "none") ? ", " : "",
		 strcmp(lockdown, "none") ? "the kernel is locked down" : "");
	if (*why) {
		only_signed(d, why, f);
	} else if (!told && !*d->module) {
		doctor_warn(f, "not enforced; lockdown is not known: no securityfs");
		doctor_fix(f, "mount -t securityfs none /sys/kernel/security");
	} else {
		doctor_ok(f, "not enforced, %s%s", told ? "no lockdown" : "and the module is loaded",
			  secure_boot(d) ? ", secure boot" : "");
	}
}

/* Words that bear on huge pages, and those that slow every allocation down. */
static const struct {
	const char *word;
	bool slow;
} words[] = {
	{ "hugepages", false }, { "hugepagesz", false }, { "default_hugepagesz", false },
	{ "hugetlb_cma", false }, { "transparent_hugepage", false }, { "thp_anon", false },
	{ "cma", false }, { "movablecore", false }, { "kernelcore", false },
	{ "init_on_alloc", false }, { "isolcpus", false }, { "nohz_full", false },
	{ "mitigations", false }, { "numa", false }, { "numa_balancing", false },
	{ "hugetlb_free_vmemmap", false }, { "nogbpages", true }, { "init_on_free", true },
	{ "debug_pagealloc", true }, { "page_poison", true }, { "slub_debug", true },
	{ "slab_debug", true }, { "kmemleak", true }, { "page_owner", true },
};

/* 0: none of them, 1: bears on huge pages, 2: slows down. */
static int weigh(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strncmp(word, words[i].word, len) || words[i].word[len])
			continue;
		if (!words[i].slow || !strcmp(word + len, "=0") || !strcmp(word + len, "=off"))
			return 1;
		return 2;
	}
	return 0;
}

void check_cmdline(const struct doctor *d, struct finding *f)
{
	char line[4096], found[200] = "", slow[120] = "", *rest = line, *word;

	if (!doctor_text(d, "/proc/cmdline", line, sizeof(line))) {
		doctor_warn(f, "/proc/cmdline cannot be read");
		return;
	}
	f->value = json_array();
	while ((word = strsep(&rest, " "))) {
		int w = weigh(word);

		if (!w)
			continue;
		json_array_append_new(f->value, json_string(word));
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s",
			 *found ? " " : "", word);
		if (w == 2)
			snprintf(slow + strlen(slow), sizeof(slow) - strlen(slow), " %s", word);
	}
	doctor_ok(f, "%s", *found ? found : "nothing about huge pages");
	if (*slow) {
		doctor_warn(f, "%s", found);
		doctor_fix(f, "measure without%s", slow);
	}
}
