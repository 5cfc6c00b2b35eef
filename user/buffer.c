// SPDX-License-Identifier: GPL-2.0-or-later
#include "buffer.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const struct out_col buffer_cols[] = {
	{ "ID", "id", OUT_COUNT, true },
	{ "NAME", "name", OUT_TEXT, true },
	{ "SIZE", "bytes", OUT_BYTES, true },
	{ "PAGE", "page_bytes", OUT_BYTES, true },
	{ "NODES", "nodes", OUT_NODES, true },
	{ "OWNER", "owner", OUT_TEXT, true },
	{ "MAPPED", "mappings", OUT_COUNT, true },
	{ "AGE", "age_ns", OUT_NS, true },
	{ "ASKED", "asked_bytes", OUT_BYTES, false },
	{ "UID", "uid", OUT_COUNT, false },
	{ "PERSIST", "persistent", OUT_BOOL, false },
	{ "OPENS", "opens", OUT_COUNT, false },
	{ "CREATED", "created_ns", OUT_NS, false },
	{ "ALLOC", "alloc_ns", OUT_NS, false },
	{ "SCAN", "scan_ns", OUT_NS, false },
	{ "MIGRATE", "migrate_ns", OUT_NS, false },
	{ "ZERO", "zero_ns", OUT_NS, false },
	{ "FAULTS", "faults", OUT_COUNT, false },
	{ "FAULT", "fault_ns", OUT_NS, false },
	{ "FAULT-MAX", "fault_max_ns", OUT_NS, false },
	{ "POOLED", "pooled", OUT_COUNT, false },
	{ "UNMAPPED", "unmapped_age_ns", OUT_NS, false },
	{ "POISONED", "poisoned", OUT_COUNT, false },
	{ NULL, NULL, OUT_TEXT, false }
};

static void from_info(struct hpbuf_nl_buf *buf, const struct hpbuf_info *info)
{
	memset(buf, 0, sizeof(*buf));
	buf->id = info->id;
	buf->page_shift = info->page_shift;
	buf->uid = info->uid;
	buf->mappings = (uint32_t)info->mappings;
	buf->opens = (uint32_t)info->opens;
	buf->persist = info->flags & HPBUF_INFO_PERSIST;
	memcpy(buf->name, info->name, sizeof(buf->name));
	buf->size = info->size;
	buf->asked = info->asked;
	buf->created_ns = info->created_ns;
	buf->alloc_ns = info->alloc_ns;
	buf->scan_ns = info->scan_ns;
	buf->migrate_ns = info->migrate_ns;
	buf->zero_ns = info->zero_ns;
	buf->has_zero_ns = info->flags & HPBUF_INFO_ZERO_NS;
	buf->faults = info->faults;
	buf->fault_ns = info->fault_ns;
	buf->fault_max_ns = info->fault_max_ns;
	buf->has_fault_ns = info->faults;
	for (uint32_t n = 0; n < HPBUF_INFO_NODES; n++) {
		if (!info->node_pages[n])
			continue;
		buf->nodes[buf->nr_nodes].node = n;
		buf->nodes[buf->nr_nodes++].pages = info->node_pages[n];
	}
}

static uint64_t boottime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int buffer_info(int dev, uint32_t id, struct hpbuf_nl_buf *buf)
{
	struct hpbuf_info info;
	int fd, ret;

	fd = hpbuf_open_id(dev, id, true);
	if (fd < 0)
		return fd;
	ret = hpbuf_info(fd, &info);
	close(fd);
	if (ret)
		return ret;
	from_info(buf, &info);
	/* The look itself does not count. */
	buf->opens -= buf->opens > 0;
	buf->age_ns = boottime_ns() - buf->created_ns;
	return 0;
}

static json_t *integer(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *integer_if(bool has, uint64_t v)
{
	return has ? integer(v) : json_null();
}

/* The module tells when; how long ago that is, as the age, is easier to read. */
static json_t *unmapped_age(const struct hpbuf_nl_buf *buf)
{
	uint64_t now = boottime_ns();

	return integer_if(buf->has_unmapped_ns,
			  now > buf->unmapped_ns ? now - buf->unmapped_ns : 0);
}

static json_t *owner_name(uint32_t uid, struct buffer_owner *owner)
{
	const struct passwd *pw;

	if (!owner->known || owner->uid != uid) {
		pw = getpwuid(uid);
		owner->known = true;
		owner->uid = uid;
		snprintf(owner->name, sizeof(owner->name), "%s", pw ? pw->pw_name : "");
	}
	return out_string(*owner->name ? owner->name : NULL);
}

static json_t *nodes(const struct hpbuf_nl_buf *buf)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < buf->nr_nodes; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "node", integer(buf->nodes[i].node));
		json_object_set_new(o, "pages", integer(buf->nodes[i].pages));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *buffer_json(const struct hpbuf_nl_buf *buf, struct buffer_owner *owner)
{
	json_t *o = json_object();

	json_object_set_new(o, "id", integer(buf->id));
	json_object_set_new(o, "name", out_string(*buf->name ? buf->name : NULL));
	json_object_set_new(o, "bytes", integer(buf->size));
	json_object_set_new(o, "asked_bytes", integer(buf->asked));
	json_object_set_new(o, "page_bytes",
			    buf->page_shift < 63 ? integer(UINT64_C(1) << buf->page_shift) :
						   json_null());
	json_object_set_new(o, "nodes", nodes(buf));
	json_object_set_new(o, "uid", integer(buf->uid));
	json_object_set_new(o, "owner", owner_name(buf->uid, owner));
	json_object_set_new(o, "persistent", json_boolean(buf->persist));
	json_object_set_new(o, "mappings", integer(buf->mappings));
	json_object_set_new(o, "opens", integer(buf->opens));
	json_object_set_new(o, "created_ns", integer(buf->created_ns));
	json_object_set_new(o, "age_ns", integer(buf->age_ns));
	json_object_set_new(o, "alloc_ns", integer(buf->alloc_ns));
	json_object_set_new(o, "scan_ns", integer(buf->scan_ns));
	json_object_set_new(o, "migrate_ns", integer(buf->migrate_ns));
	json_object_set_new(o, "zero_ns",
			    integer_if(buf->has_zero_ns, buf->zero_ns));
	json_object_set_new(o, "faults", integer(buf->faults));
	json_object_set_new(o, "fault_ns",
			    integer_if(buf->has_fault_ns, buf->fault_ns));
	json_object_set_new(o, "fault_max_ns",
			    integer_if(buf->has_fault_ns, buf->fault_max_ns));
	json_object_set_new(o, "pooled", integer_if(buf->has_pooled, buf->pooled));
	json_object_set_new(o, "unmapped_ns",
			    integer_if(buf->has_unmapped_ns, buf->unmapped_ns));
	json_object_set_new(o, "unmapped_age_ns", unmapped_age(buf));
	json_object_set_new(o, "poisoned", integer_if(buf->has_poisoned, buf->poisoned));
	return o;
}
