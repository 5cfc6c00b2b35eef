// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK	65536

/* All strings below @v. The parser has limited the depth. */
static int clean(json_t *v)
{
	const char *text, *key;
	json_t *item;
	char *copy;
	size_t i;
	int ret = 0;

	if (json_is_string(v)) {
		text = json_string_value(v);
		copy = strdup(text);
		if (!copy)
			return -1;
		hp_clean(copy);
		if (strcmp(copy, text))
			ret = json_string_set(v, copy);
		free(copy);
	} else if (json_is_array(v)) {
		json_array_foreach(v, i, item)
			ret = ret || clean(item);
	} else if (json_is_object(v)) {
		json_object_foreach(v, key, item)
			ret = ret || clean(item);
	}
	return ret;
}

json_t *report_parse(const char *text, size_t len, const char *name, struct hp_error *e)
{
	json_error_t why;
	json_t *doc;

	if (!len) {
		hp_fail(e, HP_FAILED, 0, "%.100s: is empty", name);
		return NULL;
	}
	doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!doc) {
		hp_fail(e, HP_FAILED, 0, "%.100s: is no JSON document: line %d, column %d: %.100s",
			name, why.line, why.column, why.text);
		hp_hint(e, json_error_code(&why) == json_error_premature_end_of_input ?
			"it was cut off; save it again (hpctl compare -o FILE)" :
			"what hpctl compare -o FILE saved");
		return NULL;
	}
	if (clean(doc)) {
		hp_fail(e, HP_RESOURCE, ENOMEM, "%.100s: no memory", name);
		goto err;
	}
	if (report_check(doc, name, e))
		goto err;
	return doc;
err:
	json_decref(doc);
	return NULL;
}

/* To the end, or one byte beyond the limit. Returns a negative errno. */
static int slurp(int fd, char **text, size_t *len)
{
	size_t room = 0;
	char *more;
	ssize_t got;

	*text = NULL;
	*len = 0;
	do {
		if (room - *len < CHUNK) {
			room = room ? room * 2 : 2 * CHUNK;
			more = realloc(*text, room);
			if (!more)
				return -ENOMEM;
			*text = more;
		}
		got = read(fd, *text + *len, room - *len);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			*len += (size_t)got;
	} while (got && *len <= REPORT_FILE_MAX);
	return 0;
}

static int open_file(const char *path, struct hp_error *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		goto err;
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
		close(fd);
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		goto err;
	}
	return fd;
err:
	hp_fail(e, errno == EACCES ? HP_PERMISSION : HP_FAILED, errno, "cannot read %.200s: %s",
		path, strerror(errno));
	return -1;
}

json_t *report_load(const char *path, struct hp_error *e)
{
	json_t *doc = NULL;
	char *text;
	size_t len;
	int fd, ret;

	fd = open_file(path, e);
	if (fd < 0)
		return NULL;
	ret = slurp(fd, &text, &len);
	close(fd);
	if (ret) {
		hp_fail(e, HP_FAILED, -ret, "cannot read %.200s: %s", path, strerror(-ret));
	} else if (len > REPORT_FILE_MAX) {
		hp_fail(e, HP_FAILED, EFBIG, "%.200s: is larger than %u MiB", path,
			REPORT_FILE_MAX >> 20);
		hp_hint(e, "a saved result has some kilobytes");
	} else {
		doc = report_parse(text, len, path, e);
	}
	free(text);
	return doc;
}
