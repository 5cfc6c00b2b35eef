// SPDX-License-Identifier: GPL-2.0-or-later
#include "pool_show.h"

#include <linux/hpbuf_netlink.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "backing/pool.h"
#include "measure/proc.h"
#include "module.h"
#include "nodes.h"

static const struct out_col cols[] = {
	{ "PAGE", "page_bytes", OUT_BYTES, true },
	{ "NODE", "node", OUT_COUNT, true },
	{ "WANT", "want", OUT_COUNT, true },
	{ "MIN", "min", OUT_COUNT, true },
	{ "READY", "ready", OUT_COUNT, true },
	{ "DIRTY", "dirty", OUT_COUNT, true },
	{ "LENT", "lent", OUT_COUNT, true },
	{ "USED", "used", OUT_COUNT, true },
	{ "TAKEN", "taken", OUT_COUNT, true },
	{ "SHRUNK", "shrunk", OUT_COUNT, true },
	{ "STATE", "state", OUT_TEXT, true },
	{ "ERROR", "error", OUT_TEXT, false },
	{ "GOT", "got", OUT_COUNT, false },
	{ "ALLOCATED", "allocated", OUT_COUNT, false },
	{ "FREED", "freed", OUT_COUNT, false },
	{ "ALLOC", "alloc_ns", OUT_NS, false },
	{ "FREE", "free_ns", OUT_NS, false },
	{ "POISONED", "poisoned", OUT_COUNT, false },
	{ NULL, NULL, OUT_TEXT, false }
};

static const struct out_col hugetlb_cols[] = {
	{ "HUGETLB", "page_bytes", OUT_BYTES, true },
	{ "NODE", "where", OUT_TEXT, true },
	{ "PAGES", "pages", OUT_COUNT, true },
	{ "FREE", "free", OUT_COUNT, true },
	{ "SURPLUS", "surplus", OUT_COUNT, true },
	{ "RESERVED", "reserved", OUT_COUNT, true },
	{ NULL, NULL, OUT_TEXT, false }
};

const char *pool_page(unsigned int page_shift)
{
	return page_shift == HPBUF_SHIFT_1G ? "1 GiB" : "2 MiB";
}

int pool_show_check(const struct out_opts *o, struct hp_error *e)
{
	return out_check_columns(o, cols, e);
}

static json_t *integer_if(bool has, uint64_t v)
{
	return has ? json_integer((json_int_t)v) : json_null();
}

/* ---- the module's ---- */

static const char *state_of(const struct hpbuf_nl_pool *p)
{
	if (!p->has_want)
		return "no pool";
	if (p->filling)
		return "filling";
	return p->has_error ? "short" : "settled";
}

static json_t *pool_json(const struct hpbuf_nl_pool *p)
{
	const char *error = p->has_error ? strerrorname_np((int)p->error) : NULL;
	json_t *o = json_pack("{s:s, s:I, s:o}", "pool", "hpbuf", "node", (json_int_t)p->node,
			      "page_bytes", integer_if(p->page_shift < 63,
						       UINT64_C(1) << (p->page_shift & 63)));

	json_object_set_new(o, "want", integer_if(p->has_want, p->want));
	json_object_set_new(o, "min", integer_if(p->has_min, p->min));
	json_object_set_new(o, "ready", integer_if(true, p->ready));
	json_object_set_new(o, "dirty", integer_if(p->has_dirty, p->dirty));
	json_object_set_new(o, "lent", integer_if(p->has_lent, p->lent));
	json_object_set_new(o, "used", integer_if(true, p->used));
	json_object_set_new(o, "taken", integer_if(p->has_taken, p->taken));
	json_object_set_new(o, "shrunk", integer_if(p->has_shrunk, p->shrunk));
	json_object_set_new(o, "state", json_string(state_of(p)));
	json_object_set_new(o, "error", error ? json_string(error) : json_null());
	json_object_set_new(o, "got", integer_if(p->has_got, p->got));
	json_object_set_new(o, "allocated", integer_if(true, p->allocated));
	json_object_set_new(o, "freed", integer_if(true, p->freed));
	json_object_set_new(o, "alloc_ns", integer_if(true, p->alloc_ns));
	json_object_set_new(o, "free_ns", integer_if(true, p->free_ns));
	json_object_set_new(o, "poisoned", integer_if(p->has_poisoned, p->poisoned));
	json_object_set_new(o, "max_bytes", integer_if(true, p->max_bytes));
	json_object_set_new(o, "used_bytes", integer_if(true, p->used_bytes));
	json_object_set_new(o, "floor_bytes", integer_if(true, p->floor_bytes));
	return o;
}

static int add_pool(const struct hpbuf_nl_pool *p, void *rows)
{
	json_array_append_new(rows, pool_json(p));
	return 0;
}

/* Why there are none is a warning: the other pools are an answer as well. */
static json_t *module_rows(json_t *doc)
{
	json_t *rows = json_array();
	struct hp_error e = { 0 };
	struct hpbuf_nl *nl;
	int err;

	if (!module_nl_open(&nl, &e)) {
		err = hpbuf_nl_pools(nl, add_pool, rows);
		if (err)
			module_nl_failed(nl, err, "read the pools", &e);
		hpbuf_nl_close(nl);
	}
	if (e.code)
		out_warn(doc, "no-module-pool", e.hint, "the module's pool is not shown: %s",
			 e.message);
	return rows;
}

static void print_limits(const json_t *row)
{
	static const char *const keys[] = { "used_bytes", "max_bytes", "floor_bytes" };
	char text[ARRAY_SIZE(keys)][32];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		out_bytes(text[i], (unsigned long long)json_integer_value(
				  json_object_get(row, keys[i])));
	printf("the module holds %s of max_bytes %s, and leaves floor_bytes %s\n", text[0],
	       text[1], text[2]);
}

/* ---- hugetlb ---- */

static json_t *hugetlb_file(unsigned int node, unsigned int page_shift, const char *name)
{
	char path[160];
	uint64_t v = 0;
	bool ok;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/node/node%u/hugepages/hugepages-%lukB/%s", node,
		 1UL << (page_shift - 10), name);
	/* Not in one line: arguments are evaluated in any order. */
	ok = proc_u64(path, &v);
	return integer_if(ok, v);
}

static json_t *hugetlb_json(json_t *node, unsigned int page_shift, json_t *pages, json_t *free,
			    json_t *surplus, json_t *reserved)
{
	return json_pack("{s:s, s:o, s:I, s:o, s:o, s:o, s:o}", "pool", "hugetlb", "node", node,
			 "page_bytes", (json_int_t)1 << page_shift, "pages", pages,
			 "free", free, "surplus", surplus, "reserved", reserved);
}

/*
 * Promises to mappings are counted for the whole machine only: with one node they
 * are that node's, with more there is a row for all of them.
 */
static void add_hugetlb(json_t *rows, unsigned int page_shift)
{
	uint64_t mask[HP_NODE_WORDS];
	unsigned int nr = 0;
	struct pool all;

	if (!pool_read(page_shift, &all))
		return;
	nodes_with_memory(mask);
	for (int i = 0; i < HP_NODE_WORDS; i++)
		nr += (unsigned int)__builtin_popcountll(mask[i]);
	for (unsigned int n = 0; n < HP_NODES_MAX; n++) {
		if (!nodes_has(mask, n))
			continue;
		json_array_append_new(rows, hugetlb_json(json_integer(n), page_shift,
			hugetlb_file(n, page_shift, "nr_hugepages"),
			hugetlb_file(n, page_shift, "free_hugepages"),
			hugetlb_file(n, page_shift, "surplus_hugepages"),
			integer_if(nr == 1, all.resv)));
	}
	if (nr != 1)
		json_array_append_new(rows, hugetlb_json(json_null(), page_shift,
			integer_if(true, all.nr), integer_if(true, all.free),
			integer_if(true, all.surplus), integer_if(true, all.resv)));
}

static int print_hugetlb(const struct out_opts *o, const json_t *rows, struct hp_error *e)
{
	json_t *shown = json_deep_copy(rows), *row;
	struct out_opts plain = *o;
	size_t i;

	/* --columns are those of the first table. */
	plain.columns = NULL;
	json_array_foreach(shown, i, row) {
		json_t *node = json_object_get(row, "node");

		if (json_is_null(node))
			json_object_set_new(row, "where", json_string("all"));
		else
			json_object_set(row, "where", node);
	}
	out_table(&plain, shown, hugetlb_cols, e);
	json_decref(shown);
	return e->code;
}

int pool_show(const struct out_opts *o, json_t *doc, struct hp_error *e)
{
	json_t *results = json_object_get(doc, "results");
	json_t *module = module_rows(doc), *hugetlb = json_array();
	size_t nr = json_array_size(module);

	add_hugetlb(hugetlb, HPBUF_SHIFT_2M);
	add_hugetlb(hugetlb, HPBUF_SHIFT_1G);
	json_array_extend(results, module);
	json_array_extend(results, hugetlb);
	if (nr && !out_table(o, module, cols, e) && !o->json) {
		if (!o->quiet)
			print_limits(json_array_get(module, 0));
		putchar('\n');
	}
	if (!e->code && json_array_size(hugetlb))
		print_hugetlb(o, hugetlb, e);
	else if (!e->code)
		out_warn(doc, "no-hugetlb", "", "this kernel has no hugetlb pools");
	json_decref(module);
	json_decref(hugetlb);
	return e->code;
}
