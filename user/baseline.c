// SPDX-License-Identifier: GPL-2.0-or-later
#include "baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hpbuf_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "measure/proc.h"
#include "measure/vm.h"
#include "module.h"

#define DIR_PATH	"/run/hpctl"
#define FILE_PATH	DIR_PATH "/reclaim"
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"

/* A busy machine never stands still. */
#define SETTLE_TRIES	16

static int add_stat(const struct hpbuf_nl_stat *s, void *arg)
{
	json_t *stats = arg;

	if (!s->has_begun)
		return 0;
	json_object_set_new(stats, hpbuf_nl_source_name(s->source),
			    json_pack("{s:I, s:I, s:I, s:I}",
				      "begun", (json_int_t)s->begun,
				      "count", (json_int_t)s->count,
				      "pages", (json_int_t)s->pages,
				      "failed", (json_int_t)s->failed));
	return 0;
}

static json_t *now_text(void)
{
	time_t t = time(NULL);
	char text[32];
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return json_null();
	return json_string(text);
}

static json_int_t boottime_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

json_t *mark_take(struct hpbuf_nl *nl, struct hp_error *e)
{
	json_t *mark = json_object(), *stats = NULL, *before, *after = vm_counters();
	bool settled = false;
	int err = 0;

	for (int i = 0; i < SETTLE_TRIES && !settled && !err; i++) {
		json_decref(stats);
		stats = json_object();
		before = after;
		err = hpbuf_nl_stats(nl, add_stat, stats);
		after = vm_counters();
		settled = before && after && json_equal(before, after);
		json_decref(before);
	}
	json_object_set_new(mark, "time", now_text());
	json_object_set_new(mark, "boottime_ns", json_integer(boottime_ns()));
	json_object_set_new(mark, "settled", json_boolean(settled));
	json_object_set_new(mark, "vmstat", after ? after : json_null());
	json_object_set_new(mark, "pressure", vm_pressure());
	json_object_set_new(mark, "stats", stats);
	if (!err)
		return mark;
	module_nl_failed(nl, err, "read the statistics", e);
	json_decref(mark);
	return NULL;
}

static json_t *boot_id(void)
{
	char text[64];

	return proc_text(BOOT_ID, text, sizeof(text)) ? json_string(text) : json_null();
}

/* Beside it and then renamed: a reader sees the old one or the new one. */
static int write_file(const json_t *o)
{
	char temp[] = FILE_PATH ".XXXXXX";
	int fd, err;

	if (mkdir(DIR_PATH, 0755) && errno != EEXIST)
		return errno;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return errno;
	err = fchmod(fd, 0644) || json_dumpfd(o, fd, JSON_COMPACT) ? EIO : 0;
	if (close(fd) && !err)
		err = errno;
	if (!err && rename(temp, FILE_PATH))
		err = errno;
	if (err)
		unlink(temp);
	return err;
}

int baseline_store(const json_t *on, const json_t *off)
{
	json_t *o = json_object();
	int err;

	json_object_set_new(o, "boot_id", boot_id());
	json_object_set(o, "on", (json_t *)on);
	json_object_set(o, "off", off ? (json_t *)off : json_null());
	err = write_file(o);
	json_decref(o);
	return err;
}

/* Only root's word is taken for it. */
static bool is_roots(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_uid;
}

json_t *baseline_load(void)
{
	int fd = open(FILE_PATH, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	json_t *o = NULL, *id = boot_id();

	if (fd >= 0 && is_roots(fd))
		o = json_loadfd(fd, 0, NULL);
	if (fd >= 0)
		close(fd);
	if (!json_is_string(id) || !json_equal(id, json_object_get(o, "boot_id")) ||
	    !json_is_object(json_object_get(o, "on"))) {
		json_decref(o);
		o = NULL;
	}
	json_decref(id);
	return o;
}

void baseline_drop(void)
{
	unlink(FILE_PATH);
}
