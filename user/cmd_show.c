// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hpctl show: everything about one buffer. Its own figures are read first, by
 * netlink. Then it is mapped read-only for a moment, to see which leaves this
 * kernel maps it by: that is asked of the page tables, not of the module's word;
 * and what page walks to them cost.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "array.h"
#include "buffer.h"
#include "cmd.h"
#include "module.h"
#include "walk.h"

static const struct out_col cols[] = {
	{ "ID", "id", OUT_COUNT, true },
	{ "NAME", "name", OUT_TEXT, true },
	{ "SIZE", "bytes", OUT_BYTES, true },
	{ "ASKED", "asked_bytes", OUT_BYTES, true },
	{ "PAGE", "page_bytes", OUT_BYTES, true },
	{ "NODES", "nodes", OUT_NODES, true },
	{ "OWNER", "owner", OUT_TEXT, true },
	{ "UID", "uid", OUT_COUNT, true },
	{ "PERSIST", "persistent", OUT_BOOL, true },
	{ "MAPPED", "mappings", OUT_COUNT, true },
	{ "OPENS", "opens", OUT_COUNT, true },
	{ "AGE", "age_ns", OUT_NS, true },
	{ "ALLOC", "alloc_ns", OUT_NS, true },
	{ "SCAN", "scan_ns", OUT_NS, true },
	{ "MIGRATE", "migrate_ns", OUT_NS, true },
	{ "ZERO", "zero_ns", OUT_NS, true },
	{ "ZERO-WHY", "zero_why", OUT_TEXT, false },
	{ "FAULTS", "faults", OUT_COUNT, true },
	{ "FAULT", "fault_ns", OUT_NS, true },
	{ "FAULT-MAX", "fault_max_ns", OUT_NS, true },
	{ "POOLED", "pooled", OUT_COUNT, true },
	{ "UNMAPPED", "unmapped_age_ns", OUT_NS, true },
	{ "POISONED", "poisoned", OUT_COUNT, true },
	{ "LEAF", "leaf", OUT_LEAF, true },
	{ "HIT", "walk.hit_ns", OUT_NS, true },
	{ "WARM", "walk.warm_ns", OUT_NS, true },
	{ "WALK", "walk.cost_ns", OUT_NS, true },
	{ "WALK-IN-VM", "walk.hypervisor", OUT_BOOL, true },
	{ "DIRECT-IO", "direct_io", OUT_BOOL, true },
	{ NULL, NULL, OUT_TEXT, false }
};

static int look_up(const char *text, struct hpbuf_nl_buf *buf, struct hp_error *e)
{
	struct hpbuf_nl *nl;
	int ret;

	ret = module_nl_open(&nl, e);
	if (ret)
		return ret;
	ret = module_buffer(nl, text, buf, e);
	hpbuf_nl_close(nl);
	return ret;
}

static json_t *walk_of(const void *addr, const struct hpbuf_nl_buf *buf)
{
	struct hpbuf_nl_walk_req req = { .samples = WALK_FEW };
	struct hp_error ignored = { 0 };
	struct hpbuf_nl *nl;
	json_t *walk = NULL;

	/* In another network namespace there is none. */
	if (hpbuf_nl_open(&nl))
		return NULL;
	walk_run(nl, addr, buf->size, &req, &walk, &ignored);
	hpbuf_nl_close(nl);
	return walk;
}

/*
 * How a mapping of all of @fd comes out; null when it cannot be mapped here.
 * @walk: set to what page walks cost there, or left alone
 */
static json_t *leaf_of(int fd, const struct hpbuf_nl_buf *buf, json_t **walk)
{
	struct hpbuf_info info = { 0 };
	json_t *leaf = NULL;
	void *p;

	p = mmap(NULL, buf->size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return json_null();
	if (!hpbuf_populate(fd, p, buf->size, NULL) && !hpbuf_info(fd, &info))
		leaf = json_pack("{s:I,s:I,s:I,s:I}",
				 "pte", (json_int_t)info.leaf_bytes_pte,
				 "pmd", (json_int_t)info.leaf_bytes_pmd,
				 "pud", (json_int_t)info.leaf_bytes_pud,
				 "none", (json_int_t)info.leaf_bytes_none);
	if (leaf)
		*walk = walk_of(p, buf);
	munmap(p, buf->size);
	return leaf ? leaf : json_null();
}

/* What needs the device; null without it, or for somebody else's buffer. */
static void put_device(json_t *row, const struct hp_ctx *ctx, const struct hpbuf_nl_buf *buf)
{
	struct hpbuf_caps caps;
	int dev = hpbuf_open_device(ctx->device, &caps), fd;
	json_t *leaf = NULL, *walk = NULL;

	json_object_set_new(row, "direct_io",
			    dev < 0 ? json_null() : json_boolean(caps.flags & HPBUF_CAP_GUP));
	if (dev >= 0) {
		fd = hpbuf_open_id(dev, buf->id, true);
		if (fd >= 0) {
			leaf = leaf_of(fd, buf, &walk);
			close(fd);
		}
		close(dev);
	}
	json_object_set_new(row, "leaf", leaf ? leaf : json_null());
	json_object_set_new(row, "walk", walk ? walk : json_null());
}

/* The reason for a missing figure is shown where there is one. */
static int print(const struct out_opts *o, const json_t *row, struct hp_error *e)
{
	struct out_col c[ARRAY_SIZE(cols)];

	memcpy(c, cols, sizeof(c));
	for (size_t i = 0; c[i].name; i++)
		if (!strcmp(c[i].path, "zero_why"))
			c[i].shown = !json_is_null(json_object_get(row, "zero_why"));
	return out_record(o, row, c, e);
}

int cmd_show(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 };
	struct buffer_owner owner = { 0 };
	struct hpbuf_nl_buf buf;
	json_t *doc, *row;
	int first;

	first = hp_opts(ctx, NULL, argc, argv, NULL, NULL, &e);
	if (first && first == argc) {
		hp_fail(&e, HP_USAGE, 0, "which buffer?");
		hp_hint(&e, "hpctl show ID|NAME; hpctl list shows them");
		first = 0;
	}
	if (!first || hp_opts_none(argc, argv, first + 1, &e) ||
	    module_buffer_check(argv[first], &e))
		return hp_opts_end(ctx, argv[0], &e);

	doc = out_doc(argv[0]);
	if (out_check_columns(&ctx->out, cols, &e) || look_up(argv[first], &buf, &e))
		return out_finish(&ctx->out, doc, &e);
	row = buffer_json(&buf, &owner);
	json_array_append_new(json_object_get(doc, "results"), row);
	json_object_set_new(row, "zero_why", buf.has_zero_ns ? json_null() :
		json_string("part of MIGRATE: the kernel zeroes in its allocator (init_on_alloc)"));
	put_device(row, ctx, &buf);
	print(&ctx->out, row, &e);
	return out_finish(&ctx->out, doc, &e);
}
