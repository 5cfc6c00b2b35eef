// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What somebody else has named, such as a thread that was held up, does not command
 * the terminal of who reads it, as text or as JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

#include "../../user/error.h"
#include "../../user/notice.h"

static const char * const names[] = {
	"\033[2J", "a\nb", "\r\b\t", "\x7f", "\2332J", "\xc2\2332J", "\xc2\x80", "a\205b",
	"\xff\x9c", "\xe2\x82\xac\xc2\x90", "\xc2",
};

/* Bytes that a terminal obeys, in UTF-8 or not: all that is no text. */
static const char *commands(const char *text)
{
	unsigned char before = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c == 0x7f)
			return text;
		if (c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2))
			return text;
		before = c;
	}
	return NULL;
}

static json_t *stall_named(const char *name)
{
	struct hpbuf_nl_stall st = { .pid = 1, .tid = 1 };

	snprintf(st.comm, sizeof(st.comm), "%s", name);
	return notice_stall(&st);
}

TEST(a_stall_as_text)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		json_t *n = stall_named(names[i]);
		char *text = NULL;
		size_t len = 0;
		FILE *f = open_memstream(&text, &len);

		ASSERT_NE(NULL, f);
		notice_text(f, n);
		fclose(f);
		EXPECT_EQ(NULL, commands(text))
			TH_LOG("name %u: %s", i, text);
		EXPECT_NE(NULL, strstr(text, "process 1"));
		free(text);
		json_decref(n);
	}
}

TEST(text_stays)
{
	static const char * const good[] = { "kworker/0:1", "caf\xc3\xa9", "\xe2\x82\xac\xe2\x80\x99" };
	char text[32];

	for (unsigned int i = 0; i < ARRAY_SIZE(good); i++) {
		snprintf(text, sizeof(text), "%s", good[i]);
		hp_clean(text);
		EXPECT_STREQ(good[i], text);
	}
}

TEST(an_error)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		struct hp_error e;

		hp_fail(&e, 2, 0, "no buffer \"%s\"", names[i]);
		EXPECT_EQ(NULL, commands(e.message));
		hp_hint(&e, "did you mean %s?", names[i]);
		EXPECT_EQ(NULL, commands(e.hint));
	}
}

TEST_HARNESS_MAIN
