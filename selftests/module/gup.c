// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel reaching into a buffer on the caller's behalf (C14). What pins
 * pages works when HPBUF_CAP_GUP says so and is EFAULT otherwise, each time;
 * what copies works always.
 */
#include "buf_fixture.h"

#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/loop.h>

#define CHUNK	(64UL << 10)
#define DISK	(8UL << 20)

/* Does what pins pages work, by the module's own word? */
static bool pins(void)
{
	return buf_caps.flags & HPBUF_CAP_GUP;
}

/* Offsets worth trying: the start, the middle, across and up to an edge. */
static size_t spots(const FIXTURE_DATA(buf) *self, size_t *off)
{
	size_t n = 0;

	off[n++] = 0;
	off[n++] = SZ_2M - SZ_4K;
	if (off[1] + CHUNK > self->size)
		off[1] = self->page / 2;
	if (self->size > self->page)
		off[n++] = self->page - CHUNK / 2;
	off[n++] = self->size - CHUNK;
	return n;
}

#define NR_SPOTS	4

/* A call that pins: @want bytes, or EFAULT. */
#define EXPECT_PINNED(want, call) do {					\
	long _r = hpt_errno(call);					\
									\
	EXPECT_EQ(pins() ? (long)(want) : -EFAULT, _r);			\
} while (0)

static int memory_file(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0) {
		unlink(path);
		if (ftruncate(fd, size)) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

/* A loop device over a file in memory: O_DIRECT on it pins, on every kernel. */
static int direct_disk(int *file)
{
	int ctl, n, fd;
	char path[64];

	if (access("/dev/loop-control", F_OK) && system("modprobe -q loop"))
		return -ENODEV;
	ctl = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (ctl < 0)
		return -errno;
	n = ioctl(ctl, LOOP_CTL_GET_FREE);
	close(ctl);
	if (n < 0)
		return -errno;
	snprintf(path, sizeof(path), "/dev/shm/hpbuf-gup-%d", getpid());
	*file = memory_file(path, DISK);
	snprintf(path, sizeof(path), "/dev/loop%d", n);
	fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (*file < 0 || fd < 0 || ioctl(fd, LOOP_SET_FD, *file)) {
		n = -errno;
		close(fd);
		close(*file);
		return n;
	}
	return fd;
}

static void detach(int fd, int file)
{
	ioctl(fd, LOOP_CLR_FD, 0);
	close(fd);
	close(file);
}

TEST_F(buf, direct_io)
{
	unsigned char *seen = malloc(CHUNK);
	size_t off[NR_SPOTS], n = spots(self, off), i;
	int file = -1, disk = direct_disk(&file);

	if (disk < 0)
		SKIP(return, "needs a loop device, found: %s", strerror(-disk));
	ASSERT_NE(NULL, seen);
	for (i = 0; i < n; i++) {
		EXPECT_PINNED(CHUNK, pwrite(disk, self->p + off[i], CHUNK, 0));
		if (pins()) {
			fsync(disk);
			EXPECT_EQ(CHUNK, pread(file, seen, CHUNK, 0));
			EXPECT_EQ(0, memcmp(seen, self->p + off[i], CHUNK));
		}
		memset(seen, 0x30 + i, CHUNK);
		EXPECT_EQ(CHUNK, pwrite(file, seen, CHUNK, CHUNK));
		EXPECT_PINNED(CHUNK, pread(disk, self->p + off[i], CHUNK, CHUNK));
		if (pins()) {
			EXPECT_EQ(0, memcmp(seen, self->p + off[i], CHUNK))
				TH_LOG("at %#zx", off[i]);
			hpt_stamp(self->p, self->size, BUF_SALT);
		}
	}
	detach(disk, file);
	free(seen);
	EXPECT_INTACT();
}

TEST_F(buf, buffered_io)
{
	char path[64];
	unsigned char *seen = malloc(CHUNK);
	size_t off[NR_SPOTS], n = spots(self, off), i;
	int fd;

	snprintf(path, sizeof(path), "/dev/shm/hpbuf-gup-%d", getpid());
	fd = memory_file(path, CHUNK);
	ASSERT_LE(0, fd);
	ASSERT_NE(NULL, seen);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(CHUNK, pwrite(fd, self->p + off[i], CHUNK, 0));
		ASSERT_EQ(CHUNK, pread(fd, seen, CHUNK, 0));
		EXPECT_EQ(0, memcmp(seen, self->p + off[i], CHUNK));
		memset(self->p + off[i], 0, CHUNK);
		ASSERT_EQ(CHUNK, pread(fd, self->p + off[i], CHUNK, 0));
		EXPECT_EQ(0, memcmp(seen, self->p + off[i], CHUNK));
	}
	close(fd);
	free(seen);
	EXPECT_INTACT();
}

/* Into a leaf that nobody has touched yet. */
TEST_F(buf, buffered_io_faults_in)
{
	unsigned char *q = hpt_map(self->fd, self->page), *r = hpt_map(self->fd, self->page);
	int fds[2];

	ASSERT_NE(MAP_FAILED, q);
	ASSERT_NE(MAP_FAILED, r);
	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(8, write(fds[1], q, 8));
	ASSERT_EQ(8, read(fds[0], r + 16, 8));
	EXPECT_EQ(hpt_mark(0, BUF_SALT), *(uint64_t *)(r + 16));
	munmap(q, self->page);
	munmap(r, self->page);
	EXPECT_INTACT();
}

TEST_F(buf, vmsplice)
{
	size_t off[NR_SPOTS], n = spots(self, off), i;
	unsigned char seen[SZ_4K];
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	for (i = 0; i < n; i++) {
		struct iovec iov = { self->p + off[i], SZ_4K };

		EXPECT_PINNED(SZ_4K, vmsplice(fds[1], &iov, 1, SPLICE_F_NONBLOCK));
		if (!pins())
			continue;
		ASSERT_EQ(SZ_4K, read(fds[0], seen, SZ_4K));
		EXPECT_EQ(0, memcmp(seen, self->p + off[i], SZ_4K));
	}
	EXPECT_INTACT();
}

TEST_F(buf, process_vm)
{
	size_t off[NR_SPOTS], n = spots(self, off), i;
	unsigned char *seen = malloc(CHUNK);

	ASSERT_NE(NULL, seen);
	for (i = 0; i < n; i++) {
		struct iovec local = { seen, CHUNK }, remote = { self->p + off[i], CHUNK };

		memset(seen, 0, CHUNK);
		EXPECT_PINNED(CHUNK, process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
		if (pins()) {
			EXPECT_EQ(0, memcmp(seen, self->p + off[i], CHUNK));
		}
		memcpy(seen, self->p + off[i], CHUNK);
		EXPECT_PINNED(CHUNK, process_vm_writev(getpid(), &local, 1, &remote, 1, 0));
	}
	free(seen);
	EXPECT_INTACT();
}

static int ring_of(unsigned int entries)
{
	struct io_uring_params params = { .flags = 0 };
	int fd = syscall(SYS_io_uring_setup, entries, &params);

	return fd < 0 ? -errno : fd;
}

TEST_F(buf, io_uring_fixed_buffer)
{
	size_t off[NR_SPOTS], n = spots(self, off), i;
	int ring = ring_of(1);

	if (ring < 0)
		SKIP(return, "needs io_uring, found: %s", strerror(-ring));
	for (i = 0; i < n; i++) {
		struct iovec iov = { self->p + off[i], CHUNK };

		EXPECT_PINNED(0, syscall(SYS_io_uring_register, ring,
					 IORING_REGISTER_BUFFERS, &iov, 1));
		if (pins()) {
			EXPECT_EQ(0, syscall(SYS_io_uring_register, ring,
					     IORING_UNREGISTER_BUFFERS, NULL, 0));
		}
	}
	close(ring);
	EXPECT_INTACT();
}

TEST_F(buf, proc_self_mem)
{
	size_t off[NR_SPOTS], n = spots(self, off), i;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	unsigned char *seen = malloc(CHUNK);

	ASSERT_LE(0, mem);
	ASSERT_NE(NULL, seen);
	for (i = 0; i < n; i++) {
		off_t at = (uintptr_t)self->p + off[i];

		ASSERT_EQ(CHUNK, pread(mem, seen, CHUNK, at));
		EXPECT_EQ(0, memcmp(seen, self->p + off[i], CHUNK));
		memset(self->p + off[i], 0, CHUNK);
		ASSERT_EQ(CHUNK, pwrite(mem, seen, CHUNK, at));
	}
	close(mem);
	free(seen);
	EXPECT_INTACT();
}

static void *wake_later(void *arg)
{
	int *word = arg, i;

	for (i = 0; i < 1000; i++) {
		if (syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1)
			break;
		usleep(1000);
	}
	return NULL;
}

TEST_F(buf, private_futex)
{
	int *word = (int *)(self->p + self->page / 2 + 128);
	struct timespec limit = { .tv_sec = 30 };
	pthread_t thread;
	long ret;

	*word = 7;
	EXPECT_EQ(-EAGAIN, hpt_errno(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 8, &limit,
					     NULL, 0)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wake_later, word));
	ret = hpt_errno(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 7, &limit, NULL, 0));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, ret)
		TH_LOG("%s", strerror(-ret));
	EXPECT_INTACT();
}

/* Needs the page's mapping: refused or served, and the kernel stays quiet. */
TEST_F(buf, shared_futex)
{
	int *word = (int *)(self->p + self->page / 2 + 128);
	struct timespec limit = { .tv_nsec = 1000000 };
	long ret;

	*word = 7;
	ret = hpt_errno(syscall(SYS_futex, word, FUTEX_WAIT, 7, &limit, NULL, 0));
	EXPECT_TRUE(ret == -EFAULT || ret == -ETIMEDOUT)
		TH_LOG("%ld", ret);
	EXPECT_INTACT();
}

BUF_TEST_MAIN(3, 1)
