// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/hpbuf_netlink.h>
#include <string.h>

#include "baseline.h"
#include "measure/hist.h"
#include "measure/vm.h"
#include "module.h"
#include "nodes.h"
#include "reclaim.h"

static json_t *u64_if(bool has, uint64_t v)
{
	return has ? json_integer((json_int_t)v) : json_null();
}

/* Nobody's reclaim is left out. Whose it is otherwise, the unprivileged are not told. */
static bool of_all(const struct hpbuf_nl_trace *t)
{
	return t->has_pid && !t->pid && t->has_cgroup && !t->cgroup;
}

json_t *reclaim_trace(const struct hpbuf_nl_trace *t)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}",
			 "enabled", t->has_enabled ? json_boolean(t->enabled) : json_null(),
			 "threshold_ns", u64_if(t->has_threshold_ns, t->threshold_ns),
			 "pid", u64_if(t->has_pid && t->pid, t->pid),
			 "cgroup", u64_if(t->has_cgroup && t->cgroup, t->cgroup),
			 "untracked", u64_if(t->has_untracked, t->untracked),
			 "lost", u64_if(t->has_lost, t->lost),
			 "all", of_all(t));
}

/* ---- histograms ---- */

static json_t *octaves_json(const struct hpbuf_nl_stat *s)
{
	uint64_t octave[HIST_OCTAVES];
	json_t *list = json_array();

	hist_octaves(s->bucket, s->nr_buckets, octave);
	for (unsigned int k = 0; k < HIST_OCTAVES; k++)
		if (octave[k])
			json_array_append_new(list, json_pack("{s:I, s:I}",
				"from_ns", (json_int_t)hist_octave_low(k),
				"count", (json_int_t)octave[k]));
	return list;
}

static json_t *buckets_json(const struct hpbuf_nl_stat *s)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < s->nr_buckets; i++)
		if (s->bucket[i])
			json_array_append_new(list, json_pack("{s:I, s:o, s:I}",
				"from_ns", (json_int_t)hist_low(i),
				"to_ns", u64_if(i + 1 < HIST_BUCKETS, hist_high(i)),
				"count", (json_int_t)s->bucket[i]));
	return list;
}

static void put_times(const struct hpbuf_nl_stat *s, json_t *o)
{
	static const struct {
		const char *name;
		double q;
	} points[] = { { "p50_ns", 0.5 }, { "p90_ns", 0.9 }, { "p99_ns", 0.99 } };
	uint64_t max = s->has_max_ns ? s->max_ns : UINT64_MAX;

	json_object_set_new(o, "sum_ns", u64_if(s->has_sum_ns, s->sum_ns));
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		json_object_set_new(o, points[i].name,
				    u64_if(s->count && s->nr_buckets,
					   hist_percentile(s->bucket, s->nr_buckets,
							   points[i].q, max)));
	json_object_set_new(o, "max_ns", u64_if(s->count && s->has_max_ns, s->max_ns));
}

static json_t *stat_json(const struct hpbuf_nl_stat *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "source", json_string(hpbuf_nl_source_name(s->source)));
	json_object_set_new(o, "by", json_string(s->has_begun ? "kernel" : "module"));
	json_object_set_new(o, "page_bytes", u64_if(s->has_page_shift && s->page_shift < 63,
						    UINT64_C(1) << (s->page_shift & 63)));
	json_object_set_new(o, "node", u64_if(s->has_node, s->node));
	json_object_set_new(o, "count", json_integer((json_int_t)s->count));
	json_object_set_new(o, "begun", u64_if(s->has_begun, s->begun));
	put_times(s, o);
	json_object_set_new(o, "pages", u64_if(s->has_pages, s->pages));
	json_object_set_new(o, "failed", u64_if(s->has_failed, s->failed));
	json_object_set_new(o, "octaves", octaves_json(s));
	json_object_set_new(o, "buckets", buckets_json(s));
	return o;
}

/* @seen: a bit for each source, so that what did not happen can be told as 0. */
struct lists {
	json_t *stats, *failures;
	uint32_t seen;
};

static int add_stat(const struct hpbuf_nl_stat *s, void *arg)
{
	struct lists *l = arg;

	l->seen |= 1U << (s->source & 31);
	if (s->source != HPBUF_STAT_SOURCE_FAIL)
		json_array_append_new(l->stats, stat_json(s));
	else
		json_array_append_new(l->failures, json_pack("{s:s, s:I}",
			"cause", hpbuf_nl_cause_name(s->cause), "count", (json_int_t)s->count));
	return 0;
}

/* The kernel's that are traced and did not come up. */
static void add_missing(struct lists *l)
{
	for (uint32_t i = HPBUF_STAT_SOURCE_DIRECT_RECLAIM; i <= HPBUF_STAT_SOURCE_KSWAPD; i++) {
		struct hpbuf_nl_stat s = { .source = i, .has_begun = true, .has_sum_ns = true };

		s.has_pages = i != HPBUF_STAT_SOURCE_COMPACTION && i != HPBUF_STAT_SOURCE_KSWAPD;
		s.has_failed = i != HPBUF_STAT_SOURCE_KSWAPD;
		if (!(l->seen & 1U << i))
			json_array_append_new(l->stats, stat_json(&s));
	}
}

static int put_stats(struct hpbuf_nl *nl, bool enabled, json_t *report, struct hp_error *e)
{
	struct lists l = { .stats = json_array(), .failures = json_array() };
	int err = hpbuf_nl_stats(nl, add_stat, &l);

	if (!err && enabled)
		add_missing(&l);
	json_object_set_new(report, "stats", l.stats);
	json_object_set_new(report, "failures", l.failures);
	return err ? module_nl_failed(nl, err, "read the statistics", e) : HP_OK;
}

/* ---- the kernel's own counters ---- */

static const struct {
	const char *what, *source, *field;
	const char *counter[3];
	/* the module's, or the kernel's, may be the higher one */
	bool more, less;
	const char *rule;
} pairs[] = {
	{ "direct reclaims", "direct-reclaim", "begun", { "allocstall" }, false, true,
	  "equal; the kernel's is higher when a round was repeated, as before an OOM kill" },
	{ "kswapd runs", "kswapd", "begun", { "pageoutrun" }, false, false, "equal" },
	{ "pages reclaimed directly", "direct-reclaim", "pages",
	  { "pgsteal_direct", "pgsteal_khugepaged" }, true, false,
	  "equal; the module's is higher by pages of slabs, which the kernel's leaves out" },
	{ "pages migrated", "migration", "pages", { "pgmigrate_success" }, false, false,
	  "equal" },
};

static json_int_t field_of(const json_t *mark, const char *source, const char *field)
{
	return json_integer_value(json_object_get(json_object_get(json_object_get(mark, "stats"),
								  source), field));
}

static json_t *pair_json(size_t i, const json_t *base, const json_t *end, const json_t *vm,
			 bool comparable)
{
	json_int_t module = field_of(end, pairs[i].source, pairs[i].field) -
			    field_of(base, pairs[i].source, pairs[i].field), kernel = -1;
	json_t *counters = json_array(), *holds = json_null();

	for (size_t k = 0; pairs[i].counter[k]; k++) {
		int64_t v = vm_sum(vm, pairs[i].counter[k]);

		if (v < 0)
			continue;
		kernel = (kernel < 0 ? 0 : kernel) + v;
		json_array_append_new(counters, json_string(pairs[i].counter[k]));
	}
	if (comparable && kernel >= 0)
		holds = json_boolean(module == kernel || (module > kernel && pairs[i].more) ||
				     (module < kernel && pairs[i].less));
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:o}",
			 "what", pairs[i].what, "source", pairs[i].source,
			 "field", pairs[i].field, "module", u64_if(comparable, (uint64_t)module),
			 "counters", counters, "kernel", u64_if(kernel >= 0, (uint64_t)kernel),
			 "rule", pairs[i].rule, "holds", holds);
}

/* Of the stalled time; PSI counts from boot. */
static json_t *pressure_json(const json_t *end, const json_t *base)
{
	json_t *now = json_object_get(end, "pressure"), *o, *one, *v;
	const char *kind;

	if (!json_is_object(now))
		return json_null();
	o = json_deep_copy(now);
	json_object_foreach(o, kind, one) {
		const json_t *was = json_object_get(json_object_get(json_object_get(
			base, "pressure"), kind), "total_ns");

		v = json_object_get(one, "total_ns");
		json_object_set_new(one, "since_ns", base && !was ? json_null() :
				    json_integer(json_integer_value(v) - json_integer_value(was)));
	}
	return o;
}

static json_t *largest_free(void)
{
	uint64_t mask[HP_NODE_WORDS];
	json_t *list = json_array();

	nodes_with_memory(mask);
	for (unsigned int n = 0; n < HP_NODES_MAX; n++) {
		struct node_mem m;

		if (!nodes_has(mask, n))
			continue;
		node_mem_read(n, &m);
		json_array_append_new(list, json_pack("{s:i, s:o, s:o}", "node", (int)n,
			"order", u64_if(m.largest >= 4096, m.largest < 4096 ? 0 : (uint64_t)
					(63 - __builtin_clzll(m.largest) - 12)),
			"bytes", u64_if(m.largest, m.largest)));
	}
	return list;
}

/*
 * Whether the baseline is of the tracing that is now, or that was ended by "off":
 * not one from before the module was loaded anew or tracing switched otherwise.
 */
static bool is_current(const json_t *base, const json_t *end, bool enabled)
{
	const char *source;
	const json_t *one;

	if (!base || enabled != json_is_null(json_object_get(base, "off")))
		return false;
	json_object_foreach(json_object_get(json_object_get(base, "on"), "stats"), source, one)
		if (field_of(end, source, "begun") < json_integer_value(json_object_get(one,
										"begun")))
			return false;
	return true;
}

static void put_kernel(json_t *report, const json_t *on, const json_t *end,
		       const struct hpbuf_nl_trace *t)
{
	json_t *vm = vm_since(json_object_get(end, "vmstat"), json_object_get(on, "vmstat"));
	bool comparable = on && of_all(t);
	json_t *list = json_array();
	json_int_t ns = json_integer_value(json_object_get(end, "boottime_ns")) -
			json_integer_value(json_object_get(on, "boottime_ns"));

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		json_array_append_new(list, pair_json(i, on, end, vm, comparable));
	json_object_set_new(report, "since", json_pack("{s:s, s:O?, s:I, s:O?}",
		"what", on ? "on" : "boot", "time", json_object_get(on, "time"),
		"ns", ns, "settled", json_object_get(end, "settled")));
	json_object_set_new(report, "pressure", pressure_json(end, on));
	json_object_set_new(report, "vmstat", vm);
	json_object_set_new(report, "pairs", list);
	json_object_set_new(report, "largest_free", largest_free());
}

json_t *reclaim_report(struct hpbuf_nl *nl, struct hp_error *e)
{
	json_t *report = json_object(), *base = NULL, *now = NULL, *off;
	struct hpbuf_nl_trace t;
	bool known;
	int err = hpbuf_nl_trace_get(nl, &t);

	if (err)
		module_nl_failed(nl, err, "ask for the tracing", e);
	else if (!put_stats(nl, t.enabled, report, e))
		now = mark_take(nl, e);
	if (!now) {
		json_decref(report);
		return NULL;
	}
	base = baseline_load();
	off = json_object_get(base, "off");
	if (!json_is_object(off))
		off = NULL;
	known = is_current(base, off ? off : now, t.enabled);
	json_object_set_new(report, "trace", reclaim_trace(&t));
	put_kernel(report, known ? json_object_get(base, "on") : NULL,
		   known && off ? off : now, &t);
	json_decref(base);
	json_decref(now);
	return report;
}
