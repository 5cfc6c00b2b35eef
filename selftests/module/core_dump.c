// SPDX-License-Identifier: GPL-2.0-only
/*
 * A crash with buffers mapped: the core is small, whatever the filter says, the
 * process ends and the memory comes back (C25).
 */
#include "buf_fixture.h"

#define CORE_MAX	(10L << 20)

static void crash(const char *dir, const char *filter, unsigned char *p)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	if (chdir(dir) || setrlimit(RLIMIT_CORE, &unlimited) ||
	    hpt_write_text("/proc/self/coredump_filter", filter))
		_exit(1);
	hpt_write_back(p);
	signal(SIGABRT, SIG_DFL);
	abort();
}

/* The size of the one file in @dir, which is removed; -1 when there is none. */
static off_t take_core(const char *dir)
{
	struct dirent *e;
	char path[PATH_MAX];
	struct stat st;
	off_t size = -1;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || stat(path, &st))
			continue;
		size = st.st_size;
		unlink(path);
	}
	if (d)
		closedir(d);
	return size;
}

TEST_F(buf, is_left_out_of_the_core)
{
	static const char * const filters[] = { "0x33", "0x1ff" };
	char pattern[128], dir[] = "/tmp/hpbuf-core-XXXXXX";
	unsigned int i;
	off_t size;
	pid_t pid;
	int ret;

	ASSERT_EQ(0, hpt_read_text("/proc/sys/kernel/core_pattern", pattern, sizeof(pattern)));
	pattern[strcspn(pattern, "\n")] = '\0';
	if (strchr(pattern, '|') || strchr(pattern, '/'))
		SKIP(return, "needs a core_pattern that is a plain name, found \"%s\"", pattern);
	ASSERT_NE(NULL, mkdtemp(dir));
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		pid = hpt_fork();
		if (!pid)
			crash(dir, filters[i], self->p);
		ret = hpt_wait(pid);
		EXPECT_EQ(128 + SIGABRT, ret);
		size = take_core(dir);
		EXPECT_LT(0, size)
			TH_LOG("no core file");
		EXPECT_GT(CORE_MAX, size)
			TH_LOG("filter %s", filters[i]);
	}
	rmdir(dir);
	EXPECT_INTACT();
}

BUF_TEST_MAIN(3, 1)
