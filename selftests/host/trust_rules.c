// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each thing that takes the trust out of a figure marks it: what a timed part says
 * about itself becomes a flag, a flag a warning with its code and the exit code.
 */
#include <jansson.h>
#include <string.h>

#include "kselftest_harness.h"

#include "../../user/timing.h"
#include "../../user/trust.h"

#define MS	INT64_C(1000000)

static const struct workload w = { .name = "made-up", .op_bytes = 5 };

/* Two threads for 300 ms, all of it on the CPU, on a quiet machine. */
static struct stage quiet(void)
{
	struct stage s = { .name = "timed" };

	s.v[STAGE_NS] = 300 * MS;
	s.v[STAGE_USER] = 598 * MS;
	return s;
}

static unsigned int judged(const struct stage *s, struct host_state host, uint64_t ops)
{
	struct bench bn = { .step_ns = 10, .host = host };

	return timing_judge(&bn, s, &w, ops, 2);
}

static const struct host_state calm = { .cpus = 2 };

TEST(quiet_run)
{
	struct stage s = quiet();

	EXPECT_EQ(0, judged(&s, calm, 10000000));
}

TEST(faults_in_the_timed_part)
{
	struct stage s = quiet();

	s.v[STAGE_MINFLT] = 1;
	EXPECT_EQ(SAMPLE_FAULTS, judged(&s, calm, 10000000));
	s.v[STAGE_MINFLT] = 0;
	s.v[STAGE_MAJFLT] = 1;
	EXPECT_EQ(SAMPLE_MAJOR, judged(&s, calm, 10000000));
	s.v[STAGE_MAJFLT] = 0;
	s.v[STAGE_SWAP] = 4096;
	EXPECT_EQ(SAMPLE_SWAP, judged(&s, calm, 10000000));
}

TEST(busy_cpus)
{
	struct stage s = quiet();

	s.v[STAGE_USER] = 450 * MS;
	EXPECT_EQ(SAMPLE_PREEMPTED, judged(&s, calm, 10000000));
	/* What was spent in the kernel is our own time too. */
	s.v[STAGE_SYSTEM] = 140 * MS;
	EXPECT_EQ(0, judged(&s, calm, 10000000));
}

TEST(stolen_time)
{
	struct host_state host = calm;
	struct stage s = quiet();

	host.steal_ns = 40 * MS;
	EXPECT_EQ(SAMPLE_STEAL, judged(&s, host, 10000000));
	/* 20 ms of 600. */
	host.steal_ns = 20 * MS;
	EXPECT_EQ(0, judged(&s, host, 10000000));
	host.steal_ns = -1;
	EXPECT_EQ(0, judged(&s, host, 10000000));
	/* One tick may be the rounding. */
	host.steal_ns = 10 * MS;
	s.v[STAGE_NS] = 20 * MS;
	s.v[STAGE_USER] = 40 * MS;
	EXPECT_EQ(0, judged(&s, host, 100000));
}

TEST(migration)
{
	struct host_state host = calm;
	struct stage s = quiet();

	host.moved = 1;
	EXPECT_EQ(SAMPLE_MIGRATED, judged(&s, host, 10000000));
}

TEST(implausible)
{
	struct stage s = quiet();

	/* 5 bytes each: 1.67 TB/s. */
	EXPECT_EQ(SAMPLE_IMPLAUSIBLE, judged(&s, calm, 100000000000));
	s.v[STAGE_NS] = 900;
	s.v[STAGE_USER] = 0;
	EXPECT_EQ(SAMPLE_IMPLAUSIBLE, judged(&s, calm, 10));
	s.v[STAGE_NS] = 1100;
	EXPECT_EQ(0, judged(&s, calm, 10));
}

TEST(share_on_nodes)
{
	struct placement p = { .pages = { 90, 6, 2 }, .unknown = 2, .by = "made up" };
	uint64_t nodes[HP_NODE_WORDS] = { 1 };

	EXPECT_TRUE(placement_share(&p, nodes) == 0.9);
	nodes[0] = 3;
	EXPECT_TRUE(placement_share(&p, nodes) == 0.96);
	/* What is not known is on none of them. */
	nodes[0] = 7;
	EXPECT_TRUE(placement_share(&p, nodes) == 0.98);
	p.by = NULL;
	EXPECT_TRUE(placement_share(&p, nodes) == 0);
}

/* What trust_report() makes of one row with @flags; the codes of its warnings in @codes. */
static int reported(unsigned int flags, char *codes, size_t size)
{
	json_t *doc = json_pack("{s:[]}", "warnings");
	json_t *row = json_pack("{s:s, s:s}", "label", "get", "backing", "anon-4k"), *warning;
	struct tally t = { 0 };
	struct hp_error e = { 0 };
	size_t i;

	trust_row(&t, flags, row);
	trust_report(&t, doc, &e);
	*codes = '\0';
	json_array_foreach(json_object_get(doc, "warnings"), i, warning) {
		strncat(codes, json_string_value(json_object_get(warning, "code")),
			size - strlen(codes) - 2);
		strcat(codes, " ");
	}
	json_decref(doc);
	json_decref(row);
	return e.code;
}

TEST(codes)
{
	static const struct {
		unsigned int flag;
		int code;
		const char *name;
	} want[] = {
		{ 0, 0, "" },
		{ SAMPLE_CHECKSUM, 6, "checksum " }, { SAMPLE_SHARE, 6, "page-size " },
		{ SAMPLE_NODE, 6, "node " },
		{ SAMPLE_IMPLAUSIBLE, 7, "implausible " }, { SAMPLE_UNVERIFIED, 7, "unverified " },
		{ SAMPLE_LEAF_CHANGED, 7, "leaf-changed " }, { SAMPLE_MAJOR, 7, "major-faults " },
		{ SAMPLE_SWAP, 7, "swap " }, { SAMPLE_FAULTS, 7, "minor-faults " },
		{ SAMPLE_MIGRATED, 7, "migrated " }, { SAMPLE_STEAL, 7, "steal " },
		{ SAMPLE_PREEMPTED, 7, "busy " }, { ROW_SPREAD, 7, "spread " },
		{ ROW_CLOCK, 0, "clock-rate " }, { ROW_DRIFT, 0, "drift " },
		{ ROW_FIRST, 0, "first-run " }, { ROW_PART, 0, "part-of-page " },
		/* The worst decides, and all are told. */
		{ SAMPLE_SHARE | ROW_SPREAD | ROW_DRIFT, 6, "page-size spread drift " },
	};
	char codes[200];

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		EXPECT_EQ(want[i].code, reported(want[i].flag, codes, sizeof(codes)));
		EXPECT_STREQ(want[i].name, codes);
	}
}

TEST(first_pass)
{
	EXPECT_EQ(ROW_PART, trust_first_pass(1UL << 30, 64UL << 20));
	EXPECT_EQ(ROW_PART, trust_first_pass(1UL << 30, (512UL << 20) - 1));
	EXPECT_EQ(0, trust_first_pass(1UL << 30, 512UL << 20));
	EXPECT_EQ(0, trust_first_pass(4096, 4095));
}

TEST_HARNESS_MAIN
