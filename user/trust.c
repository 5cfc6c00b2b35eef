// SPDX-License-Identifier: GPL-2.0-or-later
#include "trust.h"

#include <stdio.h>
#include <string.h>

#include "array.h"
#include "timing.h"

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
	{ SAMPLE_IMPLAUSIBLE, HP_UNTRUSTED, "implausible",
	  "faster than any memory, or too short for the clock", "more operations (--ops)" },
	{ SAMPLE_UNVERIFIED, HP_UNTRUSTED, "unverified", "which pages it ran on is not known",
	  NULL },
	{ SAMPLE_LEAF_CHANGED, HP_UNTRUSTED, "leaf-changed",
	  "the pages behind it changed during the timed part", NULL },
	{ SAMPLE_MAJOR, HP_UNTRUSTED, "major-faults", "major page faults", NULL },
	{ SAMPLE_SWAP, HP_UNTRUSTED, "swap", "the system swapped", "a smaller --size" },
	{ SAMPLE_FAULTS, HP_UNTRUSTED, "minor-faults", "page faults in the timed part", NULL },
	{ SAMPLE_PREEMPTED, HP_UNTRUSTED, "busy",
	  "the CPUs did something else for more than a fifth of the time", "a quieter machine" },
	{ ROW_SPREAD, HP_UNTRUSTED, "spread", "the runs differ by more than 15 % (MAD of the median)",
	  "more runs (-r), more operations (--ops), or a quieter machine" },
};

_Static_assert(ARRAY_SIZE(reasons) == NR_REASONS, "a reason has no tally");

void trust_row(struct tally *t, unsigned int flags, json_t *o)
{
	const char *label = json_string_value(json_object_get(o, "label"));
	const char *backing = json_string_value(json_object_get(o, "backing"));
	json_t *list = json_array();
	char size[40] = "";

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
	t->bad += json_array_size(list) > 0;
	json_object_set_new(o, "note", json_array_size(list) ?
			    json_incref(json_array_get(list, 0)) : json_null());
	json_object_set_new(o, "flags", list);
}

void trust_report(const struct tally *t, json_t *doc, struct hp_error *e)
{
	const char *why = NULL;
	int code = HP_OK;

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
