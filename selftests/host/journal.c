// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal of --reserve, cut at every byte, and with every byte of it changed: it is
 * read back as it was written, or it is damaged; never as something else.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/backing/journal.h"

static const struct reserve_pool written[2] = {
	{ .page_shift = 30, .former = 1, .wanted = 5, .nr_nodes = 2,
	  .nodes = { { 0, 1, 3 }, { 1, 0, 2 } } },
	{ .page_shift = 21, .former = 12, .wanted = 1036, .nr_nodes = 2,
	  .nodes = { { 0, 12, 524 }, { 1, 0, 512 } } },
};

static int new_file(void)
{
	return memfd_create("journal", MFD_CLOEXEC);
}

/* Both pools, the first also with what it got; the text's length. */
static size_t write_all(int fd, char *text, size_t size)
{
	ssize_t n;

	if (journal_begun(fd, &written[0]) || journal_got(fd, &written[0]) ||
	    journal_begun(fd, &written[1]))
		return 0;
	n = pread(fd, text, size, 0);
	return n > 0 ? (size_t)n : 0;
}

static bool same(const struct reserve_pool *a, const struct reserve_pool *b)
{
	if (a->page_shift != b->page_shift || a->former != b->former ||
	    a->wanted != b->wanted || a->nr_nodes != b->nr_nodes)
		return false;
	for (unsigned int n = 0; n < a->nr_nodes; n++)
		if (a->nodes[n].node != b->nodes[n].node ||
		    a->nodes[n].former != b->nodes[n].former)
			return false;
	return true;
}

static enum journal_state read_text(const char *text, size_t len, struct reserve *r)
{
	enum journal_state state;
	int fd = new_file();

	memset(r, 0, sizeof(*r));
	if (write(fd, text, len) != (ssize_t)len)
		return JOURNAL_EMPTY;
	state = journal_read(fd, r);
	close(fd);
	return state;
}

TEST(read_back)
{
	struct reserve r;
	char text[1024];
	int fd = new_file();

	ASSERT_GT(write_all(fd, text, sizeof(text)), 0);
	EXPECT_EQ(JOURNAL_READ, journal_read(fd, &r));
	ASSERT_EQ(2, r.nr);
	EXPECT_TRUE(same(&r.pool[0], &written[0]) && same(&r.pool[1], &written[1]));
	EXPECT_TRUE(r.pool[0].known && !r.pool[1].known);
	EXPECT_EQ(3, r.pool[0].nodes[0].got);
	EXPECT_EQ(2, r.pool[0].nodes[1].got);
	close(fd);
}

TEST(cut_anywhere)
{
	struct reserve r;
	char text[1024];
	int fd = new_file(), whole = 0;
	size_t len = write_all(fd, text, sizeof(text));

	ASSERT_GT(len, 0);
	for (size_t n = 1; n < len; n++) {
		enum journal_state state = read_text(text, n, &r);

		if (state == JOURNAL_TORN)
			continue;
		ASSERT_EQ(JOURNAL_READ, state);
		whole++;
		EXPECT_EQ('\n', text[n - 1]);
		EXPECT_EQ(1, r.nr);
		EXPECT_TRUE(same(&r.pool[0], &written[0]));
	}
	/* Behind "end", and behind each of two lines of "got". */
	EXPECT_EQ(3, whole);
	EXPECT_EQ(JOURNAL_EMPTY, read_text(text, 0, &r));
	close(fd);
}

TEST(letters_changed)
{
	struct reserve r;
	char text[1024];
	int fd = new_file();
	size_t len = write_all(fd, text, sizeof(text));
	const char *body = memchr(text, '\n', len);

	ASSERT_NE(NULL, body);
	for (size_t n = (size_t)(body - text) + 1; n < len; n++) {
		char was = text[n];

		/* Other digits are other figures, and look as right. */
		if (was >= '0' && was <= '9')
			continue;
		text[n] = was == 'x' ? 'y' : 'x';
		EXPECT_EQ(JOURNAL_TORN, read_text(text, len, &r)) {
			TH_LOG("byte %zu", n);
		}
		text[n] = was;
	}
	close(fd);
}

TEST_HARNESS_MAIN
