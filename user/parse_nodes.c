// SPDX-License-Identifier: GPL-2.0-or-later
#include "parse.h"

#include <string.h>

#include "nodes.h"

static bool any(const uint64_t mask[HP_NODE_WORDS])
{
	for (int i = 0; i < HP_NODE_WORDS; i++)
		if (mask[i])
			return true;
	return false;
}

int hp_parse_nodes(const char *text, uint64_t mask[HP_NODE_WORDS], struct hp_error *e)
{
	uint64_t have[HP_NODE_WORDS], missing[HP_NODE_WORDS];
	bool but = *text == '!';
	char list[128], names[128];

	nodes_with_memory(have);
	nodes_text(have, list, sizeof(list));
	if (!strcmp(text, "all")) {
		memcpy(mask, have, sizeof(have));
		return HP_OK;
	}
	if (!nodes_list(text + but, mask)) {
		hp_fail(e, HP_USAGE, 0, "nodes \"%.40s\": is not a list of nodes", text);
		return hp_hint(e, "0 or 0-1 or 0,2 or all or !1; here: %s", list);
	}
	for (int i = 0; i < HP_NODE_WORDS; i++) {
		missing[i] = mask[i] & ~have[i];
		if (but)
			mask[i] = have[i] & ~mask[i];
	}
	if (any(missing)) {
		hp_fail(e, HP_USAGE, 0, "nodes \"%.40s\": no memory on node %s", text,
			nodes_text(missing, names, sizeof(names)));
		return hp_hint(e, "nodes with memory: %s", list);
	}
	if (!any(mask)) {
		hp_fail(e, HP_USAGE, 0, "nodes \"%.40s\": leaves no node", text);
		return hp_hint(e, "nodes with memory: %s", list);
	}
	return HP_OK;
}
