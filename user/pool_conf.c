// SPDX-License-Identifier: GPL-2.0-or-later
#include "pool_conf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "parse.h"
#include "pool_show.h"

#define WORDS_MAX	6

/* struct conf - a file while it is read; @line is 1 and up */
struct conf {
	const char *path;
	unsigned int line;
	struct pool_step *steps;
	size_t nr;
};

int pool_parse_pages(const char *text, uint64_t *count, struct hp_error *e)
{
	if (!strcmp(text, "0")) {
		*count = 0;
		return HP_OK;
	}
	return hp_parse_count(text, count, e);
}

/* @e, which describes what is wrong with a word, with the line in front. */
static int at_line(const struct conf *c, struct hp_error *e)
{
	struct hp_error inner = *e;

	hp_fail(e, HP_USAGE, 0, "%.100s:%u: %.200s", c->path, c->line, inner.message);
	return hp_hint(e, "%s", *inner.hint ? inner.hint :
		       "pool 2M|1G NODES COUNT [MIN], such as: pool 1G 0 4");
}

static int malformed(const struct conf *c, struct hp_error *e, const char *what, const char *word)
{
	hp_fail(e, HP_USAGE, 0, "%s \"%.40s\"", what, word);
	return at_line(c, e);
}

static int add(struct conf *c, const struct hpbuf_nl_pool_set *ask, struct hp_error *e)
{
	const char *name = strrchr(c->path, '/');
	struct pool_step *s;

	for (size_t i = 0; i < c->nr; i++) {
		s = &c->steps[i];
		if (s->ask.node != ask->node || s->ask.page_shift != ask->page_shift)
			continue;
		hp_fail(e, HP_USAGE, 0, "node %u has pages of %s already: %.60s", ask->node,
			pool_page(ask->page_shift), s->label);
		e->message[strlen(e->message) - 2] = '\0';
		return at_line(c, e);
	}
	s = reallocarray(c->steps, c->nr + 1, sizeof(*s));
	if (!s)
		return hp_fail(e, HP_RESOURCE, ENOMEM, "no memory for %.100s", c->path);
	c->steps = s;
	s = &c->steps[c->nr++];
	memset(s, 0, sizeof(*s));
	s->ask = *ask;
	snprintf(s->label, sizeof(s->label), "%.40s:%u: ", name ? name + 1 : c->path, c->line);
	return HP_OK;
}

static int take_nodes(const char *text, uint64_t mask[HP_NODE_WORDS])
{
	if (strcmp(text, "all"))
		return nodes_list(text, mask);
	nodes_with_memory(mask);
	return true;
}

static int take_pool(struct conf *c, char *const *word, int nr, struct hp_error *e)
{
	struct hpbuf_nl_pool_set ask = { .has_min = true, .partial = true };
	uint64_t mask[HP_NODE_WORDS];
	unsigned int shift;

	if (nr < 4 || nr > 5)
		return malformed(c, e, nr < 4 ? "too few words behind" : "too many words behind",
				 word[0]);
	if (hp_parse_page(word[1], &shift, e))
		return at_line(c, e);
	ask.page_shift = shift;
	if (!take_nodes(word[2], mask))
		return malformed(c, e, "no list of nodes:", word[2]);
	if (pool_parse_pages(word[3], &ask.want, e) ||
	    (nr == 5 && pool_parse_pages(word[4], &ask.min, e)))
		return at_line(c, e);
	if (ask.min > ask.want)
		return malformed(c, e, "more pages are kept than there are to be:", word[4]);
	for (ask.node = 0; ask.node < HP_NODES_MAX; ask.node++)
		if (nodes_has(mask, ask.node) && add(c, &ask, e))
			return e->code;
	return HP_OK;
}

static int take_line(struct conf *c, char *line, struct hp_error *e)
{
	char *word[WORDS_MAX], *at;
	int nr = 0;

	line[strcspn(line, "#\n")] = '\0';
	for (char *w = strtok_r(line, " \t", &at); w; w = strtok_r(NULL, " \t", &at)) {
		if (nr == WORDS_MAX)
			return malformed(c, e, "too many words behind", word[0]);
		word[nr++] = w;
	}
	if (!nr)
		return HP_OK;
	if (strcmp(word[0], "pool"))
		return malformed(c, e, "unknown word", word[0]);
	return take_pool(c, word, nr, e);
}

static int read_all(struct conf *c, FILE *f, struct hp_error *e)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while (!e->code && (len = getline(&line, &size, f)) > 0) {
		c->line++;
		if (strlen(line) != (size_t)len)
			malformed(c, e, "a zero byte behind", line);
		else
			take_line(c, line, e);
	}
	if (!e->code && ferror(f))
		hp_fail(e, HP_FAILED, errno, "cannot read %.100s: %s", c->path, strerror(errno));
	free(line);
	return e->code;
}

int pool_conf_read(const char *path, struct pool_step **steps, size_t *nr, struct hp_error *e)
{
	struct conf c = { .path = path };
	FILE *f = fopen(path, "re");
	int err = errno;

	*steps = NULL;
	*nr = 0;
	if (!f)
		return hp_fail(e, err == EACCES ? HP_PERMISSION : HP_FAILED, err,
			       "cannot open %.100s: %s", path, strerror(err));
	if (read_all(&c, f, e)) {
		free(c.steps);
	} else {
		*steps = c.steps;
		*nr = c.nr;
	}
	fclose(f);
	return e->code;
}
