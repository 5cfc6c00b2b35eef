// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/vm.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_wanted(const char *name)
{
	static const char *const prefixes[] = {
		"allocstall", "compact_", "pgscan", "pgsteal", "pgmigrate_",
		"thp_fault_fallback", "thp_fault_alloc", "thp_migration_", "pageoutrun",
		"kswapd_", "slabs_scanned", "oom_kill", "pswp", "workingset_refault",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

json_t *vm_counters(void)
{
	FILE *f = fopen("/proc/vmstat", "re");
	char line[128], name[96];
	json_t *o;
	uint64_t v;

	if (!f)
		return NULL;
	o = json_object();
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%95s %" SCNu64, name, &v) == 2 && is_wanted(name))
			json_object_set_new(o, name, json_integer((json_int_t)v));
	fclose(f);
	return o;
}

json_t *vm_since(const json_t *now, const json_t *then)
{
	json_t *o = json_object(), *v;
	const char *name;

	json_object_foreach((json_t *)now, name, v) {
		const json_t *was = json_object_get(then, name);
		json_int_t d = (json_int_t)((uint64_t)json_integer_value(v) -
					    (uint64_t)json_integer_value(was));

		json_object_set_new(o, name, (then && !was) || d < 0 ? json_null() :
				    json_integer(d));
	}
	return o;
}

int64_t vm_sum(const json_t *vm, const char *prefix)
{
	size_t len = strlen(prefix);
	int64_t sum = -1;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)vm, name, v) {
		if (strncmp(name, prefix, len))
			continue;
		if (!json_is_integer(v))
			return -1;
		sum = (int64_t)((sum < 0 ? 0 : (uint64_t)sum) + (uint64_t)json_integer_value(v));
	}
	return sum;
}

json_t *vm_pressure(void)
{
	FILE *f = fopen("/proc/pressure/memory", "re");
	json_t *o = json_object();
	char line[160], kind[8];
	double a, b, c;
	uint64_t us;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%7s avg10=%lf avg60=%lf avg300=%lf total=%" SCNu64, kind, &a,
			   &b, &c, &us) == 5)
			json_object_set_new(o, kind, json_pack("{s:f, s:f, s:f, s:I}",
				"avg10", a, "avg60", b, "avg300", c,
				"total_ns", (json_int_t)(us * 1000)));
	}
	if (f)
		fclose(f);
	if (json_object_size(o))
		return o;
	json_decref(o);
	return json_null();
}
