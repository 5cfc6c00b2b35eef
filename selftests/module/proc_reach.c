// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc and the calls that reach into processes give another user nothing of a buffer;
 * to its own user they give neither a second way to open it nor physical addresses.
 */
#include "user.h"

#include <sys/ptrace.h>
#include <sys/uio.h>

FIXTURE(reach) {
	struct hpbuf_alloc a;
	unsigned char *p;
	pid_t holder;		/* a process of nobody's with the buffer */
	int stay;
};

/* Nobody's: until the pipe is closed. */
static int hold(FIXTURE_DATA(reach) *self, int ready, int stay)
{
	char byte;

	if (hpt_become(HPT_NOBODY) || write(ready, "", 1) != 1)
		return 1;
	return read(stay, &byte, 1) ? 2 : 0;
}

FIXTURE_SETUP(reach)
{
	int ready[2], stay[2], dev;
	char byte;

	dev = hpt_open(NULL);
	ASSERT_LE(0, dev);
	ASSERT_LE(0, hpt_alloc(dev, SZ_2M, HPBUF_SHIFT_2M, &self->a));
	self->p = hpt_map(self->a.fd, SZ_2M);
	ASSERT_NE(MAP_FAILED, self->p);
	self->p[0] = 1;
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(stay));
	self->holder = hpt_fork();
	if (!self->holder) {
		close(stay[1]);
		_exit(hold(self, ready[1], stay[0]));
	}
	close(ready[1]);
	close(stay[0]);
	self->stay = stay[1];
	ASSERT_EQ(1, read(ready[0], &byte, 1));
}

FIXTURE_TEARDOWN(reach)
{
	close(self->stay);
	EXPECT_EQ(0, hpt_wait(self->holder));
}

/* Whether a file of the holder's can be opened. */
static bool opens(const FIXTURE_DATA(reach) *self, int flags, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", self->holder, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The name of a file of the holder's that is for the buffer. */
static const char *of_buffer(const FIXTURE_DATA(reach) *self, bool mapping)
{
	static char name[64];

	if (mapping)
		snprintf(name, sizeof(name), "map_files/%lx-%lx", (unsigned long)self->p,
			 (unsigned long)self->p + SZ_2M);
	else
		snprintf(name, sizeof(name), "fd/%d", self->a.fd);
	return name;
}

static int another_user(void *arg)
{
	static const char * const files[] = {
		"mem", "maps", "smaps", "numa_maps", "pagemap", "map_files", "fd", "fdinfo",
		"environ",
	};
	const FIXTURE_DATA(reach) *self = arg;
	struct iovec mine, theirs = { self->p, 8 };
	unsigned int i;
	char word[8];
	int pidfd;

	/* A mapping of ours would be at the same place. */
	munmap(self->p, SZ_2M);
	close(self->a.fd);
	if (hpt_become(HPT_OTHER))
		return 1;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int fd;
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/%s", self->holder, files[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		/* some are refused when they are read */
		if (fd >= 0 && read(fd, word, 1) > 0)
			return 10 + i;
	}
	if (opens(self, O_RDWR, of_buffer(self, false)) ||
	    opens(self, O_RDONLY, of_buffer(self, true)))
		return 30;
	mine = (struct iovec){ word, sizeof(word) };
	if (process_vm_readv(self->holder, &mine, 1, &theirs, 1, 0) >= 0 ||
	    process_vm_writev(self->holder, &mine, 1, &theirs, 1, 0) >= 0)
		return 31;
	if (!ptrace(PTRACE_SEIZE, self->holder, NULL, NULL))
		return 32;
	pidfd = syscall(SYS_pidfd_open, self->holder, 0);
	if (pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, self->a.fd, 0) >= 0)
		return 33;
	return 0;
}

TEST_F(reach, nothing_for_another_user)
{
	EXPECT_EQ(0, hpt_in_child(another_user, self));
}

/* Every way that looks at the file again comes to the inode, which opens for nobody. */
TEST_F(reach, no_second_way_in)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		EXPECT_FALSE(opens(self, modes[i], of_buffer(self, false)));
		EXPECT_FALSE(opens(self, modes[i], of_buffer(self, true)));
	}
	/* and what was looked for is there */
	EXPECT_TRUE(opens(self, O_PATH, of_buffer(self, false)));
	EXPECT_TRUE(opens(self, O_PATH, of_buffer(self, true)));
}

static int own_page_frames(void *arg)
{
	const FIXTURE_DATA(reach) *self = arg;
	uint64_t entry;
	int fd;

	if (hpt_become(HPT_NOBODY))
		return 1;
	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 2;
	self->p[0]++;
	if (pread(fd, &entry, 8, (uintptr_t)self->p / SZ_4K * 8) != 8)
		return 3;
	/* bits 0 to 54 */
	return entry << 9 ? 4 : 0;
}

TEST_F(reach, no_page_frames)
{
	EXPECT_EQ(0, hpt_in_child(own_page_frames, self));
}

HPBUF_TEST_MAIN
