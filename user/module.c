// SPDX-License-Identifier: GPL-2.0-or-later
#include "module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure/proc.h"

#define MODULE_DIR	"/sys/module/hpbuf"

bool module_version(char *buf, size_t size)
{
	if (proc_text(MODULE_DIR "/version", buf, size))
		return true;
	snprintf(buf, size, "of unknown version");
	return !access(MODULE_DIR "/parameters", F_OK);
}

static int not_loaded(struct hp_error *e, int err)
{
	hp_fail(e, HP_UNSUPPORTED, err, "the hpbuf module is not loaded");
	return hp_hint(e, "modprobe hpbuf; hpctl doctor says what is missing");
}

static int other_uapi(const struct hpbuf_caps *caps, struct hp_error *e)
{
	bool old = caps->uapi_version < HPBUF_UAPI_VERSION;

	hp_fail(e, HP_UNSUPPORTED, EPROTO,
		"module %s (interface %u) is loaded, hpctl %s needs interface %u",
		caps->module_version, caps->uapi_version, HPBUF_MODULE_VERSION,
		HPBUF_UAPI_VERSION);
	if (old)
		return hp_hint(e, "reload the module: rmmod hpbuf && modprobe hpbuf");
	return hp_hint(e, "update hpctl to %s", caps->module_version);
}

int module_open_failed(const char *path, int err, const struct hpbuf_caps *caps,
		       struct hp_error *e)
{
	char version[32];

	if (!path)
		path = HPBUF_DEVICE;
	switch (-err) {
	case ENOENT:
	case ENODEV:
		if (!module_version(version, sizeof(version)))
			return not_loaded(e, -err);
		hp_fail(e, HP_UNSUPPORTED, -err, "module %s is loaded, but there is no %s",
			version, path);
		return hp_hint(e, "udev makes the node; in a container, pass it in");
	case EACCES:
	case EPERM:
		hp_fail(e, HP_PERMISSION, -err, "no permission to open %s", path);
		return hp_hint(e, "be in the group %s: usermod -aG %s USER, then log in again",
			       HPBUF_GROUP, HPBUF_GROUP);
	case EPROTO:
		return other_uapi(caps, e);
	case ENOTTY:
	case EINVAL:
		hp_fail(e, HP_UNSUPPORTED, -err, "%s is not the hpbuf module's device", path);
		return hp_hint(e, "the module's node is " HPBUF_DEVICE);
	default:
		return hp_fail(e, HP_FAILED, -err, "cannot open %s: %s", path, strerror(-err));
	}
}

int module_open(const char *path, struct hpbuf_caps *caps, int *fd, struct hp_error *e)
{
	*fd = hpbuf_open_device(path, caps);
	return *fd < 0 ? module_open_failed(path, *fd, caps, e) : HP_OK;
}

int module_nl_open(struct hpbuf_nl **nl, struct hp_error *e)
{
	char version[32];
	int err;

	err = hpbuf_nl_open(nl);
	if (!err)
		return HP_OK;
	if (err != -ENOENT)
		return hp_fail(e, HP_FAILED, -err, "cannot open generic netlink: %s",
			       strerror(-err));
	if (!module_version(version, sizeof(version)))
		return not_loaded(e, ENOENT);
	hp_fail(e, HP_UNSUPPORTED, ENOENT,
		"module %s is loaded, but its netlink family is not here", version);
	return hp_hint(e, "it is in the host's network namespace only");
}

int module_nl_failed(const struct hpbuf_nl *nl, int err, const char *what,
		     struct hp_error *e)
{
	const char *words = hpbuf_nl_strerror(nl);
	int code = HP_FAILED;

	if (err == -EACCES || err == -EPERM)
		code = HP_PERMISSION;
	else if (err == -EOPNOTSUPP)
		code = HP_UNSUPPORTED;
	else if (err == -ETIMEDOUT || err == -ENOMEM)
		code = HP_RESOURCE;
	return hp_fail(e, code, -err, "cannot %s: %s%s%s", what, strerror(-err),
		       *words ? ": " : "", words);
}

/* An id: digits alone, which no name can be. 0 when it is none. */
static uint32_t to_id(const char *text)
{
	uint64_t id = 0;

	for (; *text >= '0' && *text <= '9' && id <= UINT32_MAX; text++)
		id = id * 10 + (uint64_t)(*text - '0');
	return *text || id > UINT32_MAX ? 0 : (uint32_t)id;
}

int module_name_check(const char *name, struct hp_error *e)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len = strlen(name);

	if (len && len < HPBUF_NAME_LEN && strspn(name, allowed) == len &&
	    strspn(name, "0123456789") < len)
		return HP_OK;
	hp_fail(e, HP_USAGE, 0, "name \"%.40s\" cannot be a buffer's", name);
	return hp_hint(e, "1 to %d of A-Z a-z 0-9 . _ -, and not digits alone",
		       HPBUF_NAME_LEN - 1);
}

int module_buffer_check(const char *text, struct hp_error *e)
{
	if (to_id(text) || !module_name_check(text, e))
		return HP_OK;
	hp_fail(e, HP_USAGE, 0, "\"%.40s\" is neither an id nor a name", text);
	return hp_hint(e, "hpctl list");
}

int module_buffer(struct hpbuf_nl *nl, const char *text, struct hpbuf_nl_buf *buf,
		  struct hp_error *e)
{
	uint32_t id = to_id(text);
	char what[80];
	int err;

	err = hpbuf_nl_buf_get(nl, id, text, buf);
	if (!err)
		return HP_OK;
	if (err == -ENOENT) {
		hp_fail(e, HP_FAILED, ENOENT, "there is no buffer \"%.40s\"", text);
		return hp_hint(e, "hpctl list");
	}
	snprintf(what, sizeof(what), "look up buffer \"%.40s\"", text);
	return module_nl_failed(nl, err, what, e);
}
