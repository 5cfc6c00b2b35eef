// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading what /proc says about a process with a buffer: nothing breaks, the
 * contents stay, and no smaller leaf ever appears.
 */
#include "buf_fixture.h"

/* Read a file to its end; the bytes, or -errno. */
static long read_all(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	static char buf[1 << 16];
	long sum = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sum += n;
	n = n < 0 ? -errno : 0;
	close(fd);
	return n ? n : sum;
}

TEST_F(buf, maps_and_smaps)
{
	static const char * const files[] = {
		"/proc/self/maps", "/proc/self/smaps", "/proc/self/smaps_rollup",
		"/proc/self/numa_maps", "/proc/self/status", "/proc/self/stat",
		"/proc/self/statm", "/proc/self/map_files", "/proc/self/fdinfo/0",
	};
	char path[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		(void)read_all(files[i]);
	EXPECT_LT(0, read_all("/proc/self/smaps"));
	EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT));
	EXPECT_WHOLE_LEAVES(self->size);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	EXPECT_LT(0, read_all(path));
}

/* smaps' KernelPageSize is the buffer's page size. */
TEST_F(buf, page_size_in_smaps)
{
	unsigned long start, kb, found = 0;
	char line[512];
	FILE *f = fopen("/proc/self/smaps", "re");
	bool ours = false;

	ASSERT_NE(NULL, f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%*x ", &start) == 1 && strchr(line, '-') < strchr(line, ' '))
			ours = start == (uintptr_t)self->p;
		if (ours && sscanf(line, "KernelPageSize: %lu kB", &kb) == 1)
			found = kb << 10;
	}
	fclose(f);
	EXPECT_EQ(self->page, found);
}

TEST_F(buf, pagemap)
{
	uint64_t entry[512];
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t off;

	ASSERT_LE(0, fd);
	for (off = 0; off < self->size; off += self->page) {
		EXPECT_EQ(sizeof(entry), pread(fd, entry, sizeof(entry),
					       ((uintptr_t)self->p + off) / SZ_4K * 8));
	}
	close(fd);
	EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT));
	EXPECT_WHOLE_LEAVES(self->size);
}

/* Clearing soft-dirty and referenced bits walks the tables with a lock. */
TEST_F(buf, clear_refs)
{
	static const char * const what[] = { "1", "2", "3", "4", "5" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		(void)hpt_write_text("/proc/self/clear_refs", what[i]);
		EXPECT_EQ(0, hpt_poke(self->p + self->page / 2 + 64, 0));
		EXPECT_EQ(-1, hpt_check(self->p, self->size, BUF_SALT))
			TH_LOG("after clear_refs %s", what[i]);
	}
	EXPECT_WHOLE_LEAVES(self->size);
}

/* The machine's own scanners. */
TEST_F(buf, compaction_and_caches)
{
	(void)hpt_write_text("/proc/sys/vm/compact_memory", "1");
	(void)hpt_write_text("/proc/sys/vm/drop_caches", "3");
	EXPECT_INTACT();
}

BUF_TEST_MAIN(3, 1)
