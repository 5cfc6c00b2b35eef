// SPDX-License-Identifier: GPL-2.0-or-later
#include "trust.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "measure/stats.h"
#include "measure/trend.h"
#include "timing.h"

/* MAD over median from which a median of few samples says little. */
#define SPREAD		0.15
/* One in fifty such orders is chance; below a part of the median it does not matter. */
#define DRIFT_P		0.02
#define DRIFT		0.05
#define FIRST		0.15
#define CLOCK		0.1

/* The worst first: it decides the exit code. */
static const struct {
	unsigned int flag;
	int code;
	const char *name, *text, *hint;
} reasons[] = {
	{ SAMPLE_CHECKSUM, HP_NOT_AS_ASKED, "checksum", "the data read is not what was written",
	  NULL },
	{ SAMPLE_SHARE, HP_NOT_AS_ASKED, "page-size",
	  "less than 95 % is mapped by the page size asked; not compared", NULL },
	{ SAMPLE_NODE, HP_NOT_AS_ASKED, "node",
	  "less than 95 % of the pages are on the nodes asked for; not compared", NULL },
	{ SAMPLE_IMPLAUSIBLE, HP_UNTRUSTED, "implausible",
	  "faster than any memory, or too short for the clock", "more operations (--ops)" },
	{ SAMPLE_UNVERIFIED, HP_UNTRUSTED, "unverified", "which pages it ran on is not known",
	  NULL },
	{ SAMPLE_LEAF_CHANGED, HP_UNTRUSTED, "leaf-changed",
	  "the pages behind it changed during the timed part", NULL },
	{ SAMPLE_MAJOR, HP_UNTRUSTED, "major-faults", "major page faults", NULL },
	{ SAMPLE_SWAP, HP_UNTRUSTED, "swap", "the system swapped", "a smaller --size" },
	{ SAMPLE_FAULTS, HP_UNTRUSTED, "minor-faults", "page faults in the timed part", NULL },
	{ SAMPLE_MIGRATED, HP_UNTRUSTED, "migrated", "a thread was not on the CPU it is pinned to",
	  "see what moves threads here (cpusets, taskset)" },
	{ SAMPLE_STEAL, HP_UNTRUSTED, "steal",
	  "the hypervisor gave more than 5 % of the CPUs' time to others", "a quieter host" },
	{ SAMPLE_PREEMPTED, HP_UNTRUSTED, "busy",
	  "the CPUs did something else for more than a fifth of the time", "a quieter machine" },
	{ ROW_SPREAD, HP_UNTRUSTED, "spread", "the runs differ by more than 15 % (MAD of the median)",
	  "more runs (-r), more operations (--ops), or a quieter machine" },
	{ ROW_CLOCK, HP_OK, "clock-rate", "the CPU's clock rate differs by more than 10 % between runs",
	  "a fixed rate: cpupower frequency-set -g performance, turbo off" },
	{ ROW_DRIFT, HP_OK, "drift", "the runs get slower or faster one after the other",
	  "more runs (-r) show whether it settles; ratios are of runs side by side" },
	{ ROW_FIRST, HP_OK, "first-run", "the first counted run differs from all others",
	  "more runs (-r), so that it weighs less" },
	{ ROW_PART, HP_OK, "part-of-page",
	  "a first pass makes whole pages, and the array is less than half of them",
	  "an array of whole pages (-s)" },
};

_Static_assert(ARRAY_SIZE(reasons) == NR_REASONS, "a reason has no tally");

unsigned int trust_series(const double *ns, size_t n)
{
	unsigned int flags = 0;
	struct stats s;
	struct trend t;

	if (n < 3 || !stats_of(ns, n, 0, &s))
		return 0;
	if (s.mad > SPREAD * s.median)
		flags |= ROW_SPREAD;
	if (trend_of(ns, n, &t) && t.p < DRIFT_P && fabs(t.change) > DRIFT * s.median)
		flags |= ROW_DRIFT;
	if (trend_first_apart(ns, n, FIRST))
		flags |= ROW_FIRST;
	return flags;
}

unsigned int trust_clock_rate(const uint64_t *khz, size_t n)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		if (!khz[i])
			continue;
		least = khz[i] < least ? khz[i] : least;
		most = khz[i] > most ? khz[i] : most;
	}
	return most && (double)(most - least) > CLOCK * (double)most ? ROW_CLOCK : 0;
}

unsigned int trust_first_pass(uint64_t mapped, uint64_t bytes)
{
	return mapped / 2 > bytes ? ROW_PART : 0;
}

void trust_row(struct tally *t, unsigned int flags, json_t *o)
{
	const char *label = json_string_value(json_object_get(o, "label"));
	const char *backing = json_string_value(json_object_get(o, "backing"));
	json_t *list = json_array();
	char size[40] = "";
	int worst = HP_OK;

	if (t->sizes) {
		memcpy(size, " at ", 5);
		out_bytes(size + 4, (unsigned long long)json_integer_value(
				json_object_get(o, "bytes_asked")));
	}
	t->rows++;
	for (size_t i = 0; i < NR_REASONS; i++) {
		struct names *n = &t->names[i];

		if (!(flags & reasons[i].flag))
			continue;
		worst = worst ? worst : reasons[i].code;
		json_array_append_new(list, json_string(reasons[i].name));
		/* One line a reason, with as many names as it holds. */
		if (n->len < sizeof(n->text) - 80)
			n->len += (size_t)snprintf(n->text + n->len, sizeof(n->text) - n->len,
						   "%s%.20s on %.32s%s", n->nr ? ", " : "",
						   label, backing, size);
		else
			n->more++;
		n->nr++;
	}
	t->bad += worst != HP_OK;
	json_object_set_new(o, "note", json_array_size(list) ?
			    json_incref(json_array_get(list, 0)) : json_null());
	json_object_set_new(o, "flags", list);
}

/* An interval that is called one of 95 % and is none. */
static void few_runs(unsigned int runs, json_t *doc)
{
	double level = stats_level(runs);

	if (level > 0 && level < 0.95)
		out_warn(doc, "few-runs", "-r 6 or more",
			 "%u runs: an interval of them is their whole range, and holds the median with %.0f %%, not 95 %%",
			 runs, 100 * level);
}

void trust_report(const struct tally *t, json_t *doc, struct hp_error *e)
{
	const char *why = NULL;
	int code = HP_OK;

	few_runs(t->runs, doc);
	for (size_t i = 0; i < NR_REASONS; i++) {
		const struct names *n = &t->names[i];
		char more[32] = "";

		if (!n->nr)
			continue;
		if (n->more)
			snprintf(more, sizeof(more), " and %u more", n->more);
		out_warn(doc, reasons[i].name, reasons[i].hint, "%s%s: %s", n->text, more,
			 reasons[i].text);
		if (!code) {
			code = reasons[i].code;
			why = reasons[i].name;
		}
	}
	if (code)
		hp_fail(e, code, 0, "%u of %u rows: %s (first: %s)", t->bad, t->rows,
			code == HP_UNTRUSTED ? "the figures are not to be trusted" :
			"the memory or the data is not what was asked for", why);
}
