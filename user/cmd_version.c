// SPDX-License-Identifier: GPL-2.0-or-later
/* hpctl version: what is installed and what is loaded, and whether they match. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cmd.h"
#include "module.h"

static json_t *flags_json(uint64_t flags)
{
	static const struct {
		const char *name;
		uint64_t bit;
	} names[] = {
		{ "gup", HPBUF_CAP_GUP },
		{ "populate", HPBUF_CAP_POPULATE },
		{ "map_populate", HPBUF_CAP_MAP_POPULATE },
		{ "mprotect_2m", HPBUF_CAP_MPROTECT_2M },
		{ "walk", HPBUF_CAP_WALK },
		{ "walk_timing", HPBUF_CAP_WALK_TIMING },
		{ "init_on_alloc", HPBUF_CAP_INIT_ON_ALLOC },
	};
	json_t *o = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		json_object_set_new(o, names[i].name, json_boolean(flags & names[i].bit));
	return o;
}

/* What the device tells; null where it cannot be opened. */
static void put_caps(json_t *row, const char *device)
{
	struct hpbuf_caps caps;
	int fd = hpbuf_open_device(device, &caps);

	if (fd >= 0)
		close(fd);
	if (caps.uapi_version) {
		json_object_set_new(row, "module", out_string(caps.module_version));
		json_object_set_new(row, "module_uapi", json_integer(caps.uapi_version));
	}
	if (fd < 0)
		return;
	json_object_set_new(row, "pages_1g",
			    json_boolean(caps.page_shifts >> HPBUF_SHIFT_1G & 1));
	json_object_set_new(row, "capabilities", flags_json(caps.flags));
	json_object_set_new(row, "max_bytes", json_integer((json_int_t)caps.max_bytes));
	json_object_set_new(row, "used_bytes", json_integer((json_int_t)caps.used_bytes));
	json_object_set_new(row, "floor_bytes", json_integer((json_int_t)caps.floor_bytes));
}

static json_t *versions(const char *device)
{
	json_t *row = json_object();
	char version[32];
	bool loaded = module_version(version, sizeof(version));

	json_object_set_new(row, "tool", json_string(HPBUF_MODULE_VERSION));
	json_object_set_new(row, "tool_uapi", json_integer(HPBUF_UAPI_VERSION));
	json_object_set_new(row, "loaded", json_boolean(loaded));
	json_object_set_new(row, "module", loaded ? out_string(version) : json_null());
	json_object_set_new(row, "module_uapi", json_null());
	json_object_set_new(row, "pages_1g", json_null());
	json_object_set_new(row, "capabilities", json_null());
	json_object_set_new(row, "max_bytes", json_null());
	json_object_set_new(row, "used_bytes", json_null());
	json_object_set_new(row, "floor_bytes", json_null());
	put_caps(row, device);
	return row;
}

static void print(const json_t *row, int verbose)
{
	const json_t *module = json_object_get(row, "module");
	const json_t *uapi = json_object_get(row, "module_uapi");
	const char *name;
	json_t *on;

	printf("hpctl %s, interface %d\n", HPBUF_MODULE_VERSION, HPBUF_UAPI_VERSION);
	if (!json_is_string(module))
		puts("module not loaded");
	else if (!json_is_integer(uapi))
		printf("module %s\n", json_string_value(module));
	else
		printf("module %s, interface %" JSON_INTEGER_FORMAT "\n",
		       json_string_value(module), json_integer_value(uapi));
	if (!verbose)
		return;
	json_object_foreach(json_object_get(row, "capabilities"), name, on)
		printf("  %-14s %s\n", name, json_is_true(on) ? "yes" : "no");
}

/* After an upgrade of the package the old module is still the loaded one. */
static void compare(json_t *doc, const json_t *row)
{
	const char *module = json_string_value(json_object_get(row, "module"));

	if (module && strcmp(module, HPBUF_MODULE_VERSION))
		out_warn(doc, "version", "reload the module: rmmod hpbuf && modprobe hpbuf",
			 "module %s is loaded, hpctl is %s", module, HPBUF_MODULE_VERSION);
}

int cmd_version(struct hp_ctx *ctx, int argc, char **argv)
{
	struct hp_error e = { 0 };
	json_t *doc, *row;
	int first;

	first = hp_opts(ctx, NULL, argc, argv, NULL, NULL, &e);
	if (!first || hp_opts_none(argc, argv, first, &e))
		return hp_opts_end(ctx, argv[0], &e);
	doc = out_doc(argv[0]);
	row = versions(ctx->device);
	json_array_append_new(json_object_get(doc, "results"), row);
	compare(doc, row);
	if (!ctx->out.json)
		print(row, ctx->out.verbose);
	return out_finish(&ctx->out, doc, &e);
}
