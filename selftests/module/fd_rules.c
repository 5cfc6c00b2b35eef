// SPDX-License-Identifier: GPL-2.0-only
/*
 * A buffer's descriptor is no file: it cannot be resized, and a read-only one
 * cannot be turned into a writable one.
 */
#include "buf_fixture.h"

#include <sys/socket.h>

TEST_F(buf, cannot_be_resized)
{
	struct stat st;

	EXPECT_NE(0, ftruncate(self->fd, 0));
	EXPECT_NE(0, ftruncate(self->fd, self->page));
	EXPECT_NE(0, ftruncate(self->fd, 4 * self->size));
	EXPECT_NE(0, fallocate(self->fd, 0, 0, 4 * self->size));
	EXPECT_NE(0, fallocate(self->fd, 3 /* KEEP_SIZE | PUNCH_HOLE */, 0, self->page));
	EXPECT_EQ(0, fstat(self->fd, &st));
	EXPECT_INTACT();
}

/*
 * /proc/self/fd reaches the inode. Whatever open() there answers, it must not
 * give write access that the descriptor does not have.
 */
TEST_F(buf, cannot_be_opened_through_proc)
{
	struct hpbuf_info info;
	char path[64];
	void *q;
	int ro, fd;

	ASSERT_EQ(0, hpt_info(self->fd, &info));
	ro = hpt_open_id(self->dev, info.id, HPBUF_OPEN_RDONLY);
	ASSERT_LE(0, ro);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ro);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		q = hpt_map(fd, self->size);
		EXPECT_EQ(MAP_FAILED, q);
		EXPECT_NE(0, hpt_info(fd, &info));
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		EXPECT_NE(0, hpt_info(fd, &info));
	}
	EXPECT_INTACT();
}

TEST_F(buf, read_only_descriptor)
{
	struct hpbuf_info info;
	int ro;

	ASSERT_EQ(0, hpt_info(self->fd, &info));
	EXPECT_EQ(0, info.flags & HPBUF_INFO_RDONLY);
	ro = hpt_open_id(self->dev, info.id, HPBUF_OPEN_RDONLY);
	ASSERT_LE(0, ro);
	EXPECT_EQ(O_RDONLY, fcntl(ro, F_GETFL) & O_ACCMODE);
	ASSERT_EQ(0, hpt_info(ro, &info));
	EXPECT_NE(0, info.flags & HPBUF_INFO_RDONLY);
	EXPECT_EQ(2, info.opens);
	close(ro);
}

static int send_fd(int sock, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static int recv_fd(int sock)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(sock, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/* A descriptor that is only in a socket's queue holds the buffer. */
TEST_F(buf, survives_in_a_socket)
{
	struct hpbuf_alloc a;
	unsigned char *p;
	int sv[2], fd;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	ASSERT_LE(0, hpt_alloc(self->dev, SZ_2M, HPBUF_SHIFT_2M, &a));
	p = hpt_map(a.fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	hpt_stamp(p, a.size, BUF_SALT);
	ASSERT_EQ(0, send_fd(sv[0], a.fd));
	munmap(p, a.size);
	close(a.fd);

	fd = recv_fd(sv[1]);
	ASSERT_LE(0, fd);
	p = hpt_map(fd, a.size);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, hpt_check(p, a.size, BUF_SALT));
	munmap(p, a.size);
	close(fd);
}

BUF_TEST_MAIN(2, 1)
