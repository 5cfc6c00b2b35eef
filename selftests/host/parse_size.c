// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sizes, counts, times, pages and nodes as people write them, and as they
 * mistype them: each text is taken whole or refused with what was read.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/parse.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)
#define GIB	(1024 * MIB)
#define TIB	(1024 * GIB)

struct accepted {
	const char *text;
	uint64_t value;
};

typedef int parse_fn(const char *text, uint64_t *value, struct hp_error *e);

static void check_accepted(struct __test_metadata *_metadata, parse_fn *parse,
			   const struct accepted *t)
{
	struct hp_error e = { 0 };
	uint64_t value = 0;

	for (; t->text; t++) {
		EXPECT_EQ(HP_OK, parse(t->text, &value, &e)) {
			TH_LOG("\"%s\": %s", t->text, e.message);
		}
		EXPECT_EQ(t->value, value) {
			TH_LOG("\"%s\"", t->text);
		}
	}
}

/* Refused: as usage, on one line that shows what was read, value untouched. */
static void check_refused(struct __test_metadata *_metadata, parse_fn *parse,
			  const char *const *text)
{
	const uint64_t before = 0x5a5a5a5a5a5a5a5a;

	for (; *text; text++) {
		struct hp_error e = { 0 };
		uint64_t value = before;

		EXPECT_EQ(HP_USAGE, parse(*text, &value, &e)) {
			TH_LOG("\"%s\" was taken as %llu", *text, (unsigned long long)value);
		}
		EXPECT_EQ(HP_USAGE, e.code);
		EXPECT_EQ(before, value);
		EXPECT_NE(0, strlen(e.message));
		EXPECT_EQ(NULL, strpbrk(e.message, "\n\r\033"));
		EXPECT_EQ(NULL, strpbrk(e.hint, "\n\r\033"));
		/* Plain text is shown as it was typed. */
		if (strlen(*text) < 40 && !strpbrk(*text, "\n\t\033\xef")) {
			EXPECT_NE(NULL, strstr(e.message, *text)) {
				TH_LOG("\"%s\": %s", *text, e.message);
			}
		}
	}
}

static const struct accepted sizes[] = {
	{ "1", 1 }, { "4096", 4096 }, { "4096B", 4096 }, { "0010", 10 },
	{ "64K", 64 * KIB }, { "64k", 64 * KIB }, { "64KiB", 64 * KIB },
	{ "2M", 2 * MIB }, { "2m", 2 * MIB }, { "2mib", 2 * MIB }, { "2MIB", 2 * MIB },
	{ "1GiB", GIB }, { "1073741824", GIB },
	{ "160G", 171798691840 }, { "160GiB", 171798691840 }, { "160g", 171798691840 },
	{ "1025M", 1025 * MIB }, { "4G", 4 * GIB }, { "4294967297", 4 * GIB + 1 },
	{ "8G", 8 * GIB }, { "3T", 3 * TIB }, { "3TiB", 3 * TIB },
	{ "9223372036854775807", INT64_MAX }, { "8589934591G", 8589934591 * GIB },
	{ NULL, 0 }
};

static const char *const no_sizes[] = {
	"", " ", "0", "0G", "00", "-1", "-160G", "+5", "+ 5", " 5", "5 ", "G", "B",
	"12junk", "4kb b", "1e3", "1E3", "nan", "inf", "1GB", "1gb", "64KB", "2MB", "3TB",
	"0x40000000", "0x", "1.5G", "1,5G", "1,000", "1_000", "1GG", "1GiBs", "1iB", "1Gi",
	"17179869184G", "17179869185g", "18446744073709551616", "9223372036854775808",
	"8589934592G", "99999999999999999999999999", "16777216T",
	"1\xef\xbc\x96G", "\xef\xbc\x91\xef\xbc\x96G",
	"1G\n", "\n1G", "1\tG", "1G\033[2J", "1P", "1E",
	"1GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG",
	NULL
};

TEST(sizes_accepted)
{
	check_accepted(_metadata, hp_parse_size, sizes);
}

TEST(sizes_refused)
{
	check_refused(_metadata, hp_parse_size, no_sizes);
}

/* A GB is refused with the way to say what was meant. */
TEST(decimal_units_have_a_hint)
{
	struct hp_error e = { 0 };
	uint64_t value;

	EXPECT_EQ(HP_USAGE, hp_parse_size("160GB", &value, &e));
	EXPECT_NE(NULL, strstr(e.hint, "GiB"));
}

/* Whole bytes, as machine output has them, read back as themselves. */
TEST(round_trip)
{
	uint64_t x = 0x123456789abcdef, value;
	struct hp_error e = { 0 };
	char text[32];

	for (int i = 0; i < 100000; i++) {
		uint64_t want;

		/* xorshift: any sizes, of any number of bits */
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		want = x >> (1 + i % 63);
		if (!want)
			continue;
		snprintf(text, sizeof(text), "%llu", (unsigned long long)want);
		ASSERT_EQ(HP_OK, hp_parse_size(text, &value, &e));
		ASSERT_EQ(want, value);
	}
}

TEST(locale_plays_no_part)
{
	static const char *const names[] = { "de_DE.UTF-8", "tr_TR.UTF-8", "C.UTF-8", NULL };

	for (int i = 0; names[i]; i++) {
		if (!setlocale(LC_ALL, names[i]))
			continue;
		check_accepted(_metadata, hp_parse_size, sizes);
		check_refused(_metadata, hp_parse_size, no_sizes);
	}
	setlocale(LC_ALL, "C");
}

TEST(counts)
{
	static const struct accepted good[] = {
		{ "1", 1 }, { "3k", 3000 }, { "2M", 2000000 }, { "1G", 1000000000 },
		{ "34359738368", 1ULL << 35 }, { "3689348814741910323", 3689348814741910323 },
		{ NULL, 0 }
	};
	static const char *const bad[] = {
		"", "0", "-1", "1.5", "1KiB", "18446744073709551615", "18446744073709551616",
		"9223372036854775808", "9223373T", NULL
	};

	check_accepted(_metadata, hp_parse_count, good);
	check_refused(_metadata, hp_parse_count, bad);
}

TEST(times)
{
	static const struct accepted good[] = {
		{ "1ns", 1 }, { "500ms", 500000000 }, { "30s", 30000000000 },
		{ "30", 30000000000 }, { "2m", 120000000000 }, { "1h", 3600000000000 },
		{ "7us", 7000 }, { NULL, 0 }
	};
	static const char *const bad[] = {
		"", "0", "0s", "-1s", "2M", "1.5s", "1d", "1min", "99999999999h", "s", NULL
	};

	check_accepted(_metadata, hp_parse_time, good);
	check_refused(_metadata, hp_parse_time, bad);
}

TEST(pages)
{
	static const char *const bad[] = {
		"", "2", "4M", "1M", "2MB", "1GB", "1T", "2097152", "2M ", NULL
	};
	unsigned int shift = 0;
	struct hp_error e;

	EXPECT_EQ(HP_OK, hp_parse_page("2M", &shift, &e));
	EXPECT_EQ(21, shift);
	EXPECT_EQ(HP_OK, hp_parse_page("1gib", &shift, &e));
	EXPECT_EQ(30, shift);
	EXPECT_EQ(HP_OK, hp_parse_page("2mib", &shift, &e));
	EXPECT_EQ(21, shift);
	for (int i = 0; bad[i]; i++)
		EXPECT_EQ(HP_USAGE, hp_parse_page(bad[i], &shift, &e));
}

/* Node 0 is there and has memory on every machine this was tried on. */
TEST(nodes)
{
	static const char *const bad[] = {
		"", "x", "-1", "0-", "-", "0,", ",0", "0,,0", "1-0", "0x0", "1023", "1024",
		"4294967296", "0-1023", "!", "!0-1023", "!x", "ALL", "0 ", "0\n", "0-0-0", NULL
	};
	uint64_t mask[HP_NODE_WORDS], all[HP_NODE_WORDS];
	struct hp_error e;

	if (access("/sys/devices/system/node/node0", F_OK))
		SKIP(return, "no /sys/devices/system/node/node0");
	EXPECT_EQ(HP_OK, hp_parse_nodes("0", mask, &e));
	EXPECT_EQ(1, mask[0]);
	for (int i = 1; i < HP_NODE_WORDS; i++)
		EXPECT_EQ(0, mask[i]);
	EXPECT_EQ(HP_OK, hp_parse_nodes("0,0-0", mask, &e));
	EXPECT_EQ(1, mask[0]);
	EXPECT_EQ(HP_OK, hp_parse_nodes("all", all, &e));
	EXPECT_EQ(1, all[0] & 1);
	for (int i = 0; bad[i]; i++) {
		EXPECT_EQ(HP_USAGE, hp_parse_nodes(bad[i], mask, &e)) {
			TH_LOG("\"%s\" was taken", bad[i]);
		}
		EXPECT_EQ(NULL, strpbrk(e.message, "\n"));
	}
	/* All but node 0: none is left on a machine that has no other. */
	EXPECT_EQ(all[0] == 1 ? HP_USAGE : HP_OK, hp_parse_nodes("!0", mask, &e));
}

TEST_HARNESS_MAIN
