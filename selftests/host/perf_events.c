// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which events a CPU gets: known ones by vendor, family and model, none for what
 * is not known; libpfm4, where it is installed, knows them all. And figures that
 * cannot be had are null, never 0.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

#include "../../user/measure/perf.h"
#include "../../user/measure/perf_events.h"

TEST(known_cpus)
{
	static const struct {
		unsigned int model;
		const char *cycles;
	} intel[] = {
		{ 0x3c, "WALK_DURATION" }, { 0x3f, "WALK_DURATION" }, { 0x4f, "WALK_DURATION" },
		{ 0x5e, "WALK_ACTIVE" }, { 0x55, "WALK_ACTIVE" }, { 0x9e, "WALK_ACTIVE" },
		{ 0x6a, "WALK_ACTIVE" }, { 0x8f, "WALK_ACTIVE" }, { 0xcf, "WALK_ACTIVE" },
	};
	const struct perf_cpu *cpu;

	for (size_t i = 0; i < ARRAY_SIZE(intel); i++) {
		cpu = perf_cpu_find("GenuineIntel", 6, intel[i].model);
		ASSERT_NE(NULL, cpu) TH_LOG("model 0x%x", intel[i].model);
		EXPECT_NE(NULL, strstr(cpu->walks, "WALK_COMPLETED"));
		EXPECT_NE(NULL, strstr(cpu->walk_cycles, intel[i].cycles));
	}
	/* Zen 2, Zen 3, Zen 4: walks, but no event for their cycles. */
	for (unsigned int family = 0x17; family <= 0x19; family += 2) {
		cpu = perf_cpu_find("AuthenticAMD", family, 0x31);
		ASSERT_NE(NULL, cpu);
		EXPECT_NE(NULL, strstr(cpu->walks, "4K_L2_MISS"));
		EXPECT_EQ(NULL, cpu->walk_cycles);
	}
}

TEST(unknown_cpus)
{
	EXPECT_EQ(NULL, perf_cpu_find("GenuineIntel", 6, 0x0f));
	EXPECT_EQ(NULL, perf_cpu_find("GenuineIntel", 6, 0x97));	/* two kinds of cores */
	EXPECT_EQ(NULL, perf_cpu_find("GenuineIntel", 15, 0x55));
	EXPECT_EQ(NULL, perf_cpu_find("AuthenticAMD", 0x1a, 0));
	EXPECT_EQ(NULL, perf_cpu_find("AuthenticAMD", 6, 0x55));
	EXPECT_EQ(NULL, perf_cpu_find("CentaurHauls", 6, 0x55));
	EXPECT_EQ(NULL, perf_cpu_find("", 0, 0));
}

/* A name that libpfm4 does not have would never count anything. */
TEST(libpfm_knows_them)
{
	static const struct {
		const char *pmu, *vendor;
		unsigned int family, model;
	} known[] = {
		{ "hsw", "GenuineIntel", 6, 0x3c }, { "bdw", "GenuineIntel", 6, 0x4f },
		{ "skl", "GenuineIntel", 6, 0x5e }, { "skx", "GenuineIntel", 6, 0x55 },
		{ "icl", "GenuineIntel", 6, 0x7e }, { "icx", "GenuineIntel", 6, 0x6a },
		{ "amd64_fam17h_zen1", "AuthenticAMD", 0x17, 0x01 },
		{ "amd64_fam17h_zen2", "AuthenticAMD", 0x17, 0x31 },
		{ "amd64_fam19h_zen3", "AuthenticAMD", 0x19, 0x01 },
	};
	struct perf_event_attr attr;
	char name[300];
	struct pfm *pfm;

	/* Also those of other CPUs than this one. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	pfm = pfm_open();
	if (!pfm)
		SKIP(return, "needs libpfm.so.4 (libpfm4)");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct perf_cpu *cpu = perf_cpu_find(known[i].vendor, known[i].family,
							   known[i].model);

		ASSERT_NE(NULL, cpu);
		memset(&attr, 0, sizeof(attr));
		snprintf(name, sizeof(name), "%s::%s", known[i].pmu, cpu->walks);
		EXPECT_TRUE(pfm_encode(pfm, name, &attr)) TH_LOG("%s", name);
		EXPECT_NE(0, attr.config);
		if (!cpu->walk_cycles)
			continue;
		snprintf(name, sizeof(name), "%s::%s", known[i].pmu, cpu->walk_cycles);
		EXPECT_TRUE(pfm_encode(pfm, name, &attr)) TH_LOG("%s", name);
	}
	EXPECT_FALSE(pfm_encode(pfm, "no such event", &attr));
	EXPECT_FALSE(pfm_encode(pfm, NULL, &attr));
	EXPECT_FALSE(pfm_encode(NULL, "cycles", &attr));
	pfm_close(pfm);
}

static struct perf_counts some(int64_t loads, int64_t misses, int64_t walks, int64_t cycles)
{
	return (struct perf_counts){
		.v = { [PERF_USER_CYCLES] = 900, [PERF_KERNEL_CYCLES] = 100,
		       [PERF_DTLB_LOADS] = loads, [PERF_DTLB_MISSES] = misses,
		       [PERF_WALKS] = walks, [PERF_WALK_CYCLES] = cycles,
		       [PERF_PAGE_FAULTS] = 3 },
		.running = { 1, 0.5 }, .taken = true,
	};
}

static double number(json_t *perf, const char *key)
{
	const json_t *v = json_object_get(perf, key);

	return json_is_number(v) ? json_number_value(v) : -1;
}

TEST(figures)
{
	struct perf_counts c = some(1000, 50, 50, 400);
	json_t *perf = perf_json(&c);

	EXPECT_TRUE(number(perf, "dtlb_miss_share") == 0.05);
	EXPECT_TRUE(number(perf, "cycles_per_walk") == 8);
	EXPECT_TRUE(number(perf, "walk_cycle_share") == 0.4);
	EXPECT_TRUE(number(perf, "running_dtlb") == 0.5);
	EXPECT_TRUE(number(perf, "page_faults") == 3);
	json_decref(perf);

	/* Nothing to divide by, and things not counted. */
	c = some(0, 0, 0, -1);
	perf = perf_json(&c);
	EXPECT_TRUE(number(perf, "dtlb_loads") == 0);
	EXPECT_TRUE(json_is_null(json_object_get(perf, "dtlb_miss_share")));
	EXPECT_TRUE(json_is_null(json_object_get(perf, "cycles_per_walk")));
	EXPECT_TRUE(json_is_null(json_object_get(perf, "walk_cycles")));
	EXPECT_TRUE(json_is_null(json_object_get(perf, "walk_cycle_share")));
	json_decref(perf);
}

TEST(no_hardware)
{
	struct perf_counts c = some(-1, -1, -1, -1);
	json_t *perf;

	c.v[PERF_USER_CYCLES] = c.v[PERF_KERNEL_CYCLES] = -1;
	perf = perf_json(&c);
	EXPECT_TRUE(json_is_null(perf));
	json_decref(perf);
	perf = perf_faults_json(&c);
	EXPECT_EQ(3, json_integer_value(perf));
	json_decref(perf);
	c = (struct perf_counts){ .taken = false };
	perf = perf_faults_json(&c);
	EXPECT_TRUE(json_is_null(perf));
	json_decref(perf);
}

TEST(sums)
{
	struct perf_counts a = some(10, 1, 1, -1), b = some(30, 3, -1, 5), sum = { .taken = false };

	b.running[PERF_GROUP_TLB] = 0.25;
	perf_add(&sum, &a);
	perf_add(&sum, &b);
	EXPECT_EQ(40, sum.v[PERF_DTLB_LOADS]);
	/* A sum without one of its parts would be taken for the whole. */
	EXPECT_EQ(-1, sum.v[PERF_WALKS]);
	EXPECT_EQ(-1, sum.v[PERF_WALK_CYCLES]);
	EXPECT_TRUE(sum.running[PERF_GROUP_TLB] == 0.25);
}

/* Those are there without any hardware. */
TEST(page_faults_are_counted)
{
	struct perf *perf = perf_open();
	struct perf_counts c;
	size_t size = 64 * 4096;
	char *p;

	ASSERT_NE(NULL, perf);
	EXPECT_TRUE(perf_hardware(perf) || *perf_why(perf));
	p = aligned_alloc(4096, size);
	ASSERT_NE(NULL, p);
	perf_start(perf);
	for (size_t i = 0; i < size; i += 4096)
		*(volatile char *)(p + i) = 1;
	perf_stop(perf, &c);
	EXPECT_GE(c.v[PERF_PAGE_FAULTS], 1);
	perf_start(perf);
	perf_stop(perf, &c);
	/* Only what lies between counts. */
	EXPECT_LE(c.v[PERF_PAGE_FAULTS], 2);
	free(p);
	perf_close(perf);
}

TEST_HARNESS_MAIN
