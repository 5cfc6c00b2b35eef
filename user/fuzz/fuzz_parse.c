// SPDX-License-Identifier: GPL-2.0-or-later
/* What a user types for sizes, counts, times, pages, nodes and sweeps. */
#include "fuzz.h"

#include <string.h>

#include "nodes.h"
#include "parse.h"
#include "sweep.h"

#define UNTOUCHED	0x5a5a5a5a5a5a5a5aULL

/* Refused: one line, no control character, and a code of its own. */
static void refused(const struct hp_error *e)
{
	MUST(e->code == HP_USAGE);
	MUST(*e->message && strlen(e->message) < sizeof(e->message));
	for (const char *p = e->message; *p; p++)
		MUST((unsigned char)*p >= ' ' && *p != 0x7f);
	for (const char *p = e->hint; *p; p++)
		MUST((unsigned char)*p >= ' ' && *p != 0x7f);
}

static void number(const char *text, int (*parse)(const char *t, uint64_t *v, struct hp_error *e))
{
	struct hp_error e = { 0 };
	uint64_t v = UNTOUCHED, again = 0;
	char back[32];

	if (parse(text, &v, &e)) {
		refused(&e);
		MUST(v == UNTOUCHED);
		return;
	}
	MUST(!e.code && v && v <= INT64_MAX);
	MUST(*text >= '0' && *text <= '9');
	/* The same number without a unit; a time without one is in seconds. */
	snprintf(back, sizeof(back), "%llu%s", (unsigned long long)v,
		 parse == hp_parse_time ? "ns" : "");
	MUST(!parse(back, &again, &e) && again == v);
}

static void nodes(const char *text)
{
	uint64_t mask[HP_NODE_WORDS] = { 0 }, again[HP_NODE_WORDS] = { 0 };
	struct hp_error e = { 0 };
	char names[8192];
	bool any = false;

	if (nodes_list(text, mask)) {
		nodes_text(mask, names, sizeof(names));
		MUST(!*names || (nodes_list(names, again) && !memcmp(mask, again, sizeof(mask))));
	}
	if (hp_parse_nodes(text, mask, &e)) {
		refused(&e);
		return;
	}
	for (int i = 0; i < HP_NODE_WORDS; i++)
		any = any || mask[i];
	MUST(any);
}

static void sweep(const char *text)
{
	uint64_t sizes[SWEEP_MAX];
	struct hp_error e = { 0 };
	struct sweep s = { 0 };
	unsigned int nr;

	if (sweep_parse(text, &s, &e)) {
		refused(&e);
		MUST(!s.steps);
		return;
	}
	nr = sweep_sizes(&s, NULL);
	MUST(nr >= 2 && nr <= SWEEP_MAX && sweep_sizes(&s, sizes) == nr);
	MUST(sizes[0] == s.lo && sizes[nr - 1] == s.hi);
	for (unsigned int i = 1; i < nr; i++)
		MUST(sizes[i] > sizes[i - 1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_error e = { 0 };
	unsigned int shift = 0;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	number(text, hp_parse_size);
	number(text, hp_parse_count);
	number(text, hp_parse_time);
	if (hp_parse_page(text, &shift, &e))
		refused(&e);
	else
		MUST(shift == 21 || shift == 30);
	nodes(text);
	sweep(text);
	free(text);
	return 0;
}
