// SPDX-License-Identifier: GPL-2.0-or-later
#include "env.h"

#include <dirent.h>
#include <linux/hpbuf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "measure/proc.h"
#include "nodes.h"
#include "out.h"

#define THP_DIR	"/sys/kernel/mm/transparent_hugepage"

static json_t *text_file(const char *path)
{
	char text[4096];

	return proc_text(path, text, sizeof(text)) ? out_string(text) : json_null();
}

static json_t *switch_file(const char *path)
{
	char word[32];

	return proc_bracketed(path, word, sizeof(word)) ? out_string(word) : json_null();
}

/* The name of the CPU, and whether a hypervisor shows itself to it. */
static void put_cpu(json_t *env)
{
	json_t *model = json_null(), *vm = json_null();
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL, *value;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 1) {
		value = strstr(line, ": ");
		if (!value)
			continue;
		value += 2;
		value[strcspn(value, "\n")] = '\0';
		if (!strncmp(line, "model name", 10)) {
			json_decref(model);
			model = out_string(value);
		} else if (!strncmp(line, "flags", 5)) {
			/* The others are alike. */
			vm = json_boolean(strstr(value, " hypervisor"));
			break;
		}
	}
	free(line);
	if (f)
		fclose(f);
	json_object_set_new(env, "cpu", model);
	json_object_set_new(env, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(env, "vm", vm);
}

static json_t *bytes_or_null(uint64_t bytes)
{
	return bytes ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *number_file(const char *path)
{
	uint64_t v;

	return proc_u64(path, &v) ? json_integer((json_int_t)v) : json_null();
}

static json_t *meminfo(const char *key)
{
	uint64_t kb;

	return proc_field("/proc/meminfo", key, &kb) ? json_integer((json_int_t)(kb * 1024)) :
	       json_null();
}

/* Whether the CPUs may run above their nominal rate. */
static json_t *turbo(void)
{
	uint64_t v;

	if (proc_u64("/sys/devices/system/cpu/intel_pstate/no_turbo", &v))
		return json_boolean(!v);
	if (proc_u64("/sys/devices/system/cpu/cpufreq/boost", &v))
		return json_boolean(v);
	return json_null();
}

static json_t *nodes(void)
{
	uint64_t mask[HP_NODE_WORDS];
	json_t *list = json_array();
	char path[80];

	nodes_with_memory(mask);
	for (unsigned int n = 0; n < HP_NODES_MAX; n++) {
		json_t *o;
		struct node_mem m;

		if (!nodes_has(mask, n))
			continue;
		node_mem_read(n, &m);
		o = json_object();
		json_object_set_new(o, "node", json_integer(n));
		json_object_set_new(o, "memory_bytes", bytes_or_null(m.total));
		json_object_set_new(o, "free_bytes", bytes_or_null(m.free));
		json_object_set_new(o, "free_2m_bytes", json_integer((json_int_t)m.free_2m));
		json_object_set_new(o, "largest_free_bytes", bytes_or_null(m.largest));
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", n);
		json_object_set_new(o, "cpus", text_file(path));
		json_array_append_new(list, o);
	}
	return list;
}

/* "hugepages-64kB" but not 2048kB as 64, for the sort. */
static long size_of(const struct dirent *d)
{
	return strncmp(d->d_name, "hugepages-", 10) ? 0 : strtol(d->d_name + 10, NULL, 10);
}

static int is_size(const struct dirent *d)
{
	return size_of(d) > 0;
}

static int by_size(const struct dirent **a, const struct dirent **b)
{
	return (size_of(*a) > size_of(*b)) - (size_of(*a) < size_of(*b));
}

/* The switch of every size (kernel 6.8 and later): {"64kB": "never", ...} */
static json_t *thp_sizes(void)
{
	json_t *sizes = json_object();
	struct dirent **list;
	char path[400], word[32];
	int n;

	n = scandir(THP_DIR, &list, is_size, by_size);
	if (n < 0)
		return sizes;
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), THP_DIR "/%s/enabled", list[i]->d_name);
		/* 8kB and 4kB are there for shmem only. */
		if (proc_bracketed(path, word, sizeof(word)))
			json_object_set_new(sizes, list[i]->d_name + 10, out_string(word));
		free(list[i]);
	}
	free(list);
	return sizes;
}

static json_t *thp(void)
{
	json_t *o = json_object();

	json_object_set_new(o, "enabled", switch_file(THP_DIR "/enabled"));
	json_object_set_new(o, "defrag", switch_file(THP_DIR "/defrag"));
	json_object_set_new(o, "sizes", thp_sizes());
	return o;
}

/* What was typed: the results say by themselves how they came about. */
static json_t *own_argv(void)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	json_t *list = json_array();
	char *arg = NULL;
	size_t size = 0;

	while (f && getdelim(&arg, &size, '\0', f) > 0)
		json_array_append_new(list, out_string(arg));
	free(arg);
	if (f)
		fclose(f);
	return list;
}

static json_t *now(void)
{
	time_t t = time(NULL);
	char text[32];
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return json_null();
	return json_string(text);
}

json_t *env_json(void)
{
	json_t *env = json_object();
	struct utsname u;
	bool named = !uname(&u);

	json_object_set_new(env, "tool", json_string(HPBUF_MODULE_VERSION));
	json_object_set_new(env, "module", text_file("/sys/module/hpbuf/version"));
	/* The tool's; a module of another one is refused. */
	json_object_set_new(env, "uapi", json_integer(HPBUF_UAPI_VERSION));
	json_object_set_new(env, "host", named ? out_string(u.nodename) : json_null());
	json_object_set_new(env, "kernel", named ? out_string(u.release) : json_null());
	put_cpu(env);
	json_object_set_new(env, "governor",
			    text_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
	json_object_set_new(env, "turbo", turbo());
	json_object_set_new(env, "swap_bytes", meminfo("SwapTotal:"));
	json_object_set_new(env, "overcommit", number_file("/proc/sys/vm/overcommit_memory"));
	json_object_set_new(env, "numa_balancing",
			    number_file("/proc/sys/kernel/numa_balancing"));
	json_object_set_new(env, "nodes", nodes());
	json_object_set_new(env, "thp", thp());
	json_object_set_new(env, "cmdline", text_file("/proc/cmdline"));
	json_object_set_new(env, "argv", own_argv());
	json_object_set_new(env, "seed", json_null());
	json_object_set_new(env, "time", now());
	return env;
}
