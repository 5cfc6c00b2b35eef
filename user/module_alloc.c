// SPDX-License-Identifier: GPL-2.0-or-later
/* Why an allocation failed: one message for each errno of HPBUF_IOC_ALLOC. */
#include "module.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "array.h"
#include "measure/proc.h"
#include "nodes.h"

#define PARAM_DIR	"/sys/module/hpbuf/parameters"

/* "asked 3.00 GiB in 1 GiB pages on node 0" */
static void describe(char *buf, size_t size, const struct hpbuf_alloc *req)
{
	uint64_t mask[HP_NODE_WORDS];
	char bytes[32], list[64];

	memcpy(mask, req->nodes, sizeof(mask));
	nodes_text(mask, list, sizeof(list));
	snprintf(buf, size, "asked %s in %s pages%s%s", out_bytes(bytes, req->bytes),
		 req->page_shift == HPBUF_SHIFT_1G ? "1 GiB" : "2 MiB",
		 *list ? " on node " : "", list);
}

static int over_max(const char *path, const char *asked, struct hp_error *e)
{
	struct hpbuf_caps caps;
	char max[32], used[32];
	int fd = hpbuf_open_device(path, &caps);

	hp_fail(e, HP_RESOURCE, ENOSPC, "%s, the module's limit max_bytes would be exceeded",
		asked);
	if (fd >= 0) {
		close(fd);
		hp_fail(e, HP_RESOURCE, ENOSPC, "%s, of max_bytes %s the module uses %s", asked,
			out_bytes(max, caps.max_bytes), out_bytes(used, caps.used_bytes));
	}
	return hp_hint(e, "free buffers (hpctl list), or raise " PARAM_DIR "/max_bytes");
}

static int over_memlock(const char *asked, struct hp_error *e)
{
	char text[32] = "unknown";
	struct rlimit lim;

	if (!getrlimit(RLIMIT_MEMLOCK, &lim))
		out_bytes(text, lim.rlim_cur);
	hp_fail(e, HP_RESOURCE, EDQUOT, "%s, the limit RLIMIT_MEMLOCK is %s", asked, text);
	return hp_hint(e, "raise it (ulimit -l, memlock in limits.conf), or have CAP_IPC_LOCK");
}

static int no_memory(const char *path, const char *asked, struct hp_error *e)
{
	uint64_t available = 0;
	struct hpbuf_caps caps;
	char have[32], floor[32];
	int fd = hpbuf_open_device(path, &caps);

	if (fd >= 0)
		close(fd);
	proc_field("/proc/meminfo", "MemAvailable:", &available);
	hp_fail(e, HP_RESOURCE, ENOMEM, "%s, available %s, %s of it must be left (floor_bytes)",
		asked, out_bytes(have, available << 10),
		fd >= 0 ? out_bytes(floor, caps.floor_bytes) : "some");
	return hp_hint(e, "ask for less, or end what uses the memory");
}

static int timed_out(const struct hpbuf_alloc *req, const char *asked, struct hp_error *e)
{
	char text[32];

	out_ns(text, (req->timeout_ms ? req->timeout_ms : HPBUF_TIMEOUT_MS) * 1e6);
	hp_fail(e, HP_RESOURCE, ETIMEDOUT, "%s, not had within %s", asked, text);
	return hp_hint(e, "a longer time limit (--timeout), less, or 2 MiB pages");
}

static int other(const char *asked, int err, struct hp_error *e)
{
	static const struct {
		int err, code;
		const char *text, *hint;
	} why[] = {
		{ EBUSY, HP_RESOURCE,
		  "there is memory enough, but no contiguous piece can be made free",
		  "2 MiB pages are easier to find; 1 GiB pages are, soon after boot" },
		{ EOPNOTSUPP, HP_UNSUPPORTED, "this CPU has no 1 GiB pages",
		  "use 2 MiB pages; a virtual machine needs the CPU flag pdpe1gb" },
		{ EEXIST, HP_USAGE, "the name is taken", "hpctl list" },
		{ ENXIO, HP_USAGE, "a node has no memory or is outside this task's cpuset",
		  "grep Mems_allowed_list /proc/self/status" },
		{ EOVERFLOW, HP_USAGE, "too large for any machine", "" },
		{ EINVAL, HP_USAGE, "the module finds the request malformed", "" },
		{ E2BIG, HP_UNSUPPORTED, "the module is older than this hpctl",
		  "reload the module: rmmod hpbuf && modprobe hpbuf" },
		{ ENOTTY, HP_UNSUPPORTED, "the module knows no such request",
		  "reload the module: rmmod hpbuf && modprobe hpbuf" },
		{ EMFILE, HP_RESOURCE, "no file descriptor is left", "ulimit -n" },
		{ ENFILE, HP_RESOURCE, "no file descriptor is left", "sysctl fs.file-max" },
		{ EACCES, HP_PERMISSION, "not permitted", "be in the group " HPBUF_GROUP },
		{ EPERM, HP_PERMISSION, "not permitted", "be in the group " HPBUF_GROUP },
		{ EINTR, 128 + SIGKILL, "killed", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(why); i++) {
		if (why[i].err != err)
			continue;
		hp_fail(e, why[i].code, err, "%s, %s", asked, why[i].text);
		return hp_hint(e, "%s", why[i].hint);
	}
	return hp_fail(e, HP_FAILED, err, "%s: %s", asked, strerror(err));
}

int module_alloc_failed(const char *path, const struct hpbuf_alloc *req, int err,
			struct hp_error *e)
{
	char asked[160] = "cannot allocate: ";
	size_t len = strlen(asked);

	describe(asked + len, sizeof(asked) - len, req);
	switch (-err) {
	case ENOSPC:
		return over_max(path, asked, e);
	case EDQUOT:
		return over_memlock(asked, e);
	case ENOMEM:
		return no_memory(path, asked, e);
	case ETIMEDOUT:
		return timed_out(req, asked, e);
	default:
		return other(asked, -err, e);
	}
}

void module_alloc_nodes(json_t *doc, const struct hpbuf_alloc *req)
{
	uint64_t mask[HP_NODE_WORDS], any = 0;
	char free[32], free_2m[32], largest[32];
	struct node_mem m;

	for (int i = 0; i < HP_NODE_WORDS; i++)
		any |= mask[i] = req->nodes[i];
	if (!any)
		nodes_with_memory(mask);
	for (unsigned int n = 0; n < HP_NODES_MAX; n++) {
		if (!nodes_has(mask, n))
			continue;
		node_mem_read(n, &m);
		out_warn(doc, "node-memory", "",
			 "node %u: %s free, of that %s in blocks of 2 MiB or more, largest free block %s%s",
			 n, out_bytes(free, m.free), out_bytes(free_2m, m.free_2m),
			 out_bytes(largest, m.largest),
			 m.largest == m.ceiling ? " (the kernel tells no larger ones apart)" : "");
	}
}
