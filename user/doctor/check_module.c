// SPDX-License-Identifier: GPL-2.0-or-later
/* The module as it is loaded, and who may use it. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/doctor.h"

#define RELOAD	"rmmod hpbuf && modprobe hpbuf"

void check_module(const struct doctor *d, struct finding *f)
{
	if (*d->module) {
		doctor_ok(f, "%s is loaded", d->module);
	} else if (*d->ko) {
		doctor_fail(f, "not loaded");
		doctor_fix(f, "modprobe hpbuf");
	} else {
		doctor_fail(f, "not loaded, and there is none for %s",
			    *d->release ? d->release : "this kernel");
		doctor_fix(f, "install the package hpbuf-dkms, or: make && insmod ./hpbuf.ko");
	}
}

/* The device spoke, in an interface that is not ours. */
static void other_interface(const struct hpbuf_caps *caps, struct finding *f)
{
	doctor_fail(f, "module %s speaks interface %u, hpctl %s speaks %u",
		    caps->module_version, caps->uapi_version, HPBUF_MODULE_VERSION,
		    HPBUF_UAPI_VERSION);
	if (caps->uapi_version > HPBUF_UAPI_VERSION)
		doctor_fix(f, "update hpctl to %s", caps->module_version);
	else
		doctor_fix(f, "update hpbuf-dkms to %s, then: " RELOAD, HPBUF_MODULE_VERSION);
}

void check_versions(const struct doctor *d, struct finding *f)
{
	bool told = d->caps.uapi_version;
	const char *module = told ? d->caps.module_version : d->module;

	f->value = json_pack("{s:s, s:i, s:s?, s:o}", "tool", HPBUF_MODULE_VERSION,
			     "tool_uapi", HPBUF_UAPI_VERSION, "module", *module ? module : NULL,
			     "module_uapi", told ? json_integer(d->caps.uapi_version) :
						   json_null());
	if (d->open_err == -EPROTO) {
		other_interface(&d->caps, f);
	} else if (!*module) {
		doctor_warn(f, "hpctl %s, interface %d; no module to compare with",
			    HPBUF_MODULE_VERSION, HPBUF_UAPI_VERSION);
		doctor_fix(f, "load the module");
	} else if (strcmp(module, HPBUF_MODULE_VERSION)) {
		doctor_warn(f, "module %s, hpctl %s%s", module, HPBUF_MODULE_VERSION,
			    told ? ", same interface" : "");
		if (strverscmp(module, HPBUF_MODULE_VERSION) > 0)
			doctor_fix(f, "update hpctl to %s", module);
		else
			doctor_fix(f, "update hpbuf-dkms to %s, then: " RELOAD,
				   HPBUF_MODULE_VERSION);
	} else {
		doctor_ok(f, "module and hpctl %s%s", module, told ? ", same interface" : "");
	}
}

void check_netlink(const struct doctor *d, struct finding *f)
{
	struct hpbuf_nl *nl;
	int err;

	if (!*d->module) {
		doctor_warn(f, "not there: the module is not loaded");
		doctor_fix(f, "load the module");
		return;
	}
	err = hpbuf_nl_open(&nl);
	if (!err) {
		hpbuf_nl_close(nl);
		doctor_ok(f, "the family answers");
	} else if (err == -ENOENT) {
		doctor_fail(f, "the family is not in this network namespace");
		doctor_fix(f, "run in the host's network namespace (containers: --network host)");
	} else {
		doctor_fail(f, "cannot open generic netlink: %s", strerror(-err));
	}
}

/* "root:hpbuf 0660" */
static void describe(const struct stat *st, char *text, size_t size)
{
	const struct passwd *pw = getpwuid(st->st_uid);
	char user[40], group[40];
	const struct group *gr;

	snprintf(user, sizeof(user), "%u", st->st_uid);
	snprintf(group, sizeof(group), "%u", st->st_gid);
	if (pw)
		snprintf(user, sizeof(user), "%s", pw->pw_name);
	gr = getgrgid(st->st_gid);
	if (gr)
		snprintf(group, sizeof(group), "%s", gr->gr_name);
	snprintf(text, size, "%s:%s %04o", user, group, st->st_mode & 07777);
}

static void no_device(const struct doctor *d, struct finding *f)
{
	doctor_fail(f, "no %s", d->device);
	if (*d->module)
		doctor_fix(f, "udev makes it; in a container: --device " HPBUF_DEVICE);
	else
		doctor_fix(f, "load the module");
}

void check_device(const struct doctor *d, struct finding *f)
{
	char who[100];
	struct stat st;

	if (stat(d->device, &st)) {
		no_device(d, f);
		return;
	}
	describe(&st, who, sizeof(who));
	if (d->open_err == -EACCES || d->open_err == -EPERM) {
		doctor_fail(f, "%s is %s: no permission", d->device, who);
		doctor_fix(f, "be in the group %s, which owns the node with mode 0660",
			   HPBUF_GROUP);
	} else if (d->open_err == -ENODEV) {
		doctor_fail(f, "%s is there, its driver is not", d->device);
		doctor_fix(f, "load the module");
	} else if (d->open_err && d->open_err != -EPROTO) {
		doctor_fail(f, "%s: %s", d->device, strerror(-d->open_err));
		doctor_fix(f, "the module's node is " HPBUF_DEVICE);
	} else if (!geteuid() && (st.st_mode & 07777) != 0660) {
		doctor_warn(f, "%s is %s: nobody else can use it as meant", d->device, who);
		doctor_fix(f, "chgrp %s %s; chmod 660 %s; the udev rule does it at each start",
			   HPBUF_GROUP, HPBUF_DEVICE, HPBUF_DEVICE);
	} else {
		doctor_ok(f, "%s is %s", d->device, who);
	}
}

/* The group's id and whether @user is in its list; below the root, by its file. */
static bool find_group(const struct doctor *d, const char *user, gid_t *gid, bool *listed)
{
	const struct group *g = NULL;
	char path[600];
	FILE *file = NULL;

	*listed = false;
	if (*d->root) {
		file = fopen(doctor_path(d, path, sizeof(path), "/etc/group"), "re");
		while (file && (g = fgetgrent(file)) && strcmp(g->gr_name, HPBUF_GROUP))
			;
	} else {
		g = getgrnam(HPBUF_GROUP);
	}
	if (g) {
		*gid = g->gr_gid;
		for (char **m = g->gr_mem; user && *m; m++)
			*listed = *listed || !strcmp(*m, user);
	}
	if (file)
		fclose(file);
	return g;
}

static bool has_gid(gid_t gid)
{
	int n = getgroups(0, NULL);
	gid_t *list = n > 0 ? calloc((size_t)n, sizeof(*list)) : NULL;
	bool has = getegid() == gid;

	n = list ? getgroups(n, list) : 0;
	for (int i = 0; i < n; i++)
		has = has || list[i] == gid;
	free(list);
	return has;
}

void check_group(const struct doctor *d, struct finding *f)
{
	const struct passwd *pw = getpwuid(geteuid());
	char user[64] = "USER";
	bool listed;
	gid_t gid;

	if (pw)
		snprintf(user, sizeof(user), "%s", pw->pw_name);
	if (!find_group(d, pw ? user : NULL, &gid, &listed)) {
		if (geteuid())
			doctor_fail(f, "there is no group %s: only root can use the device",
				    HPBUF_GROUP);
		else
			doctor_warn(f, "there is no group %s: only root can use the device",
				    HPBUF_GROUP);
		doctor_fix(f, "groupadd -r %s; usermod -aG %s %s", HPBUF_GROUP, HPBUF_GROUP,
			   geteuid() ? user : "USER");
	} else if (!geteuid()) {
		doctor_ok(f, "%s is there; root needs no group", HPBUF_GROUP);
	} else if (has_gid(gid)) {
		doctor_ok(f, "%s is in %s", user, HPBUF_GROUP);
	} else if (listed) {
		doctor_fail(f, "%s is in %s, but this session is older than that", user,
			    HPBUF_GROUP);
		doctor_fix(f, "log in again, or: newgrp %s", HPBUF_GROUP);
	} else {
		doctor_fail(f, "%s is not in %s", user, HPBUF_GROUP);
		doctor_fix(f, "usermod -aG %s %s, then log in again", HPBUF_GROUP, user);
	}
}
