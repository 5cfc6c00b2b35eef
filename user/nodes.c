// SPDX-License-Identifier: GPL-2.0-or-later
#include "nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/proc.h"

#define NODE_DIR	"/sys/devices/system/node"

/* A node's number at *@text, which is moved behind it; false when it is none. */
static bool number(const char **text, unsigned int *node)
{
	const char *p = *text;

	*node = 0;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		*node = *node * 10 + (unsigned int)(*p - '0');
		if (*node >= HP_NODES_MAX)
			return false;
	}
	*text = p;
	return true;
}

bool nodes_list(const char *text, uint64_t mask[HP_NODE_WORDS])
{
	unsigned int first, last;

	memset(mask, 0, HP_NODE_WORDS * sizeof(*mask));
	for (;; text++) {
		if (!number(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!number(&text, &last) || last < first)
				return false;
		}
		for (; first <= last; first++)
			mask[first / 64] |= UINT64_C(1) << (first % 64);
		if (!*text)
			return true;
		if (*text != ',')
			return false;
	}
}

void nodes_with_memory(uint64_t mask[HP_NODE_WORDS])
{
	uint64_t online[HP_NODE_WORDS];
	char text[512];

	if (!proc_text(NODE_DIR "/has_memory", text, sizeof(text)) ||
	    !nodes_list(text, mask)) {
		memset(mask, 0, HP_NODE_WORDS * sizeof(*mask));
		mask[0] = 1;
		return;
	}
	if (!proc_text(NODE_DIR "/online", text, sizeof(text)) ||
	    !nodes_list(text, online))
		return;
	for (int i = 0; i < HP_NODE_WORDS; i++)
		mask[i] &= online[i];
}

char *nodes_text(const uint64_t mask[HP_NODE_WORDS], char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned int n = 0; n < HP_NODES_MAX && len < size; n++) {
		unsigned int first = n;

		if (!nodes_has(mask, n))
			continue;
		while (n + 1 < HP_NODES_MAX && nodes_has(mask, n + 1))
			n++;
		len += (size_t)snprintf(buf + len, size - len, "%s%u", len ? "," : "", first);
		if (n > first && len < size)
			len += (size_t)snprintf(buf + len, size - len, "-%u", n);
	}
	return buf;
}

/* The columns of one line of buddyinfo: free blocks of order 0, 1, ... */
static void take_orders(const char *text, uint64_t page, struct node_mem *m)
{
	uint64_t count, block = page;
	char *end;

	for (;; block <<= 1, text = end) {
		count = strtoull(text, &end, 10);
		if (end == text)
			return;
		if (block >= UINT64_C(2) << 20)
			m->free_2m += count * block;
		if (count && block > m->largest)
			m->largest = block;
		if (block > m->ceiling)
			m->ceiling = block;
	}
}

static void read_buddyinfo(unsigned int node, struct node_mem *m)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	FILE *f = fopen("/proc/buddyinfo", "re");
	char *line = NULL, zone[32];
	size_t size = 0;
	unsigned int n;
	int at;

	if (!f)
		return;
	while (getline(&line, &size, f) > 0) {
		if (sscanf(line, "Node %u, zone %31s%n", &n, zone, &at) != 2 || n != node)
			continue;
		/* Kept for memory that can be unplugged: no buffers from there. */
		if (strcmp(zone, "Movable"))
			take_orders(line + at, page, m);
	}
	free(line);
	fclose(f);
}

void node_mem_read(unsigned int node, struct node_mem *m)
{
	char path[80], key[48];

	memset(m, 0, sizeof(*m));
	snprintf(path, sizeof(path), NODE_DIR "/node%u/meminfo", node);
	snprintf(key, sizeof(key), "Node %u MemTotal:", node);
	if (proc_field(path, key, &m->total)) {
		snprintf(key, sizeof(key), "Node %u MemFree:", node);
		proc_field(path, key, &m->free);
	} else if (!node) {
		proc_field("/proc/meminfo", "MemTotal:", &m->total);
		proc_field("/proc/meminfo", "MemFree:", &m->free);
	}
	m->total <<= 10;
	m->free <<= 10;
	read_buddyinfo(node, m);
}
