// SPDX-License-Identifier: GPL-2.0-only
/* Descriptors: ended, doubled, passed on, and used as if they were files. */
#define _GNU_SOURCE
#include "run.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Descriptors of the program itself stay: what is closed is a buffer's. */
long fz_close(struct fz_run *r, struct fz_cur *c)
{
	struct fz_buf *b = fz_buf(r, c);
	int fd = b->fd;

	if (fd < 0)
		return -EBADF;
	/* The id is kept: what if somebody asks for it now? */
	b->fd = -1;
	return fz_ret(close(fd));
}

static long reopen(int fd, int flags)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fz_ret(open(path, flags | O_CLOEXEC));
}

long fz_dup(struct fz_run *r, struct fz_cur *c)
{
	static const int flags[] = { O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_TRUNC, O_PATH };
	const struct fz_buf *from = fz_buf(r, c);
	struct fz_buf *to = fz_buf(r, c);
	uint8_t how = fz_u8(c);
	long fd;

	fd = how < 0x80 ? fz_ret(fcntl(from->fd, F_DUPFD_CLOEXEC, 3)) :
	     reopen(from->fd, flags[fz_one(c, 5)]);
	if (fd < 0)
		return fd;
	*to = *from;
	to->fd = fd;
	return 0;
}

static long send_fd(int sock, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return fz_ret(sendmsg(sock, &msg, MSG_DONTWAIT));
}

static long receive_fd(int sock)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *head;
	int fd;

	if (recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return -errno;
	head = CMSG_FIRSTHDR(&msg);
	if (!head || head->cmsg_type != SCM_RIGHTS)
		return -ENOMSG;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* On its way a descriptor holds the buffer, and nobody has it. */
long fz_pass(struct fz_run *r, struct fz_cur *c)
{
	struct fz_buf *b = fz_buf(r, c);
	uint8_t what = fz_one(c, 4);
	long fd;

	if (r->pair[0] < 0 && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, r->pair))
		return -errno;
	if (what == 0)
		return send_fd(r->pair[0], b->fd);
	if (what == 1)	/* the socket in itself */
		return send_fd(r->pair[0], r->pair[1]);
	if (what == 2) {
		close(r->pair[0]);
		close(r->pair[1]);
		r->pair[0] = r->pair[1] = -1;
		return 0;
	}
	fd = receive_fd(r->pair[1]);
	if (fd >= 0) {
		b->fd = fd;
		fz_learn(b);
	}
	return fd;
}

static long watch(int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int set = epoll_create1(EPOLL_CLOEXEC);
	long ret;

	if (set < 0)
		return -errno;
	ret = fz_ret(epoll_ctl(set, EPOLL_CTL_ADD, fd, &ev));
	close(set);
	return ret;
}

static long change(int fd, unsigned int what, unsigned int arg)
{
	switch (what % 8) {
	case 0:
		return fz_ret(ftruncate(fd, (off_t)arg << 20));
	case 1:
		return fz_ret(fallocate(fd, arg & 0x3f, 0, 1 << 21));
	case 2:
		return fz_ret(fchmod(fd, arg & 07777));
	case 3:
		return fz_ret(fchown(fd, arg, arg));
	case 4:
		return fz_ret(fsetxattr(fd, "user.a", "b", 1, 0));
	case 5:
		return fz_ret(fcntl(fd, F_ADD_SEALS, arg));
	case 6:
		return fz_ret(fcntl(fd, F_SETFL, arg << 8));
	}
	return fz_ret(fcntl(fd, F_SETLEASE, arg % 3));
}

long fz_file(struct fz_run *r, struct fz_cur *c)
{
	int fd = fz_u8(c) < 0xe0 ? fz_buf(r, c)->fd : r->dev;
	struct pollfd poll_fd = { fd, POLLIN | POLLOUT, 0 };
	char *at = fz_room(r, c, 4096);
	struct stat st;

	switch (fz_one(c, 12)) {
	case 0:
		return fz_ret(read(fd, at, 4096));
	case 1:
		return fz_ret(write(fd, at, 4096));
	case 2:
		return fz_ret(lseek(fd, (int32_t)fz_u32(c), fz_one(c, 6)));
	case 3:
		return fz_ret(fsync(fd));
	case 4:
		return fz_ret(fstat(fd, &st));
	case 5:
		return fz_ret(poll(&poll_fd, 1, 0));
	case 6:
		return watch(fd);
	case 7:
		return fz_ret(flock(fd, LOCK_NB | (1 << fz_one(c, 3))));
	case 8:
		return fz_ret(posix_fadvise(fd, 0, 0, fz_one(c, 8)));
	case 9:
		return fz_ret(syscall(SYS_readahead, fd, 0, 4096));
	case 10:
		return fz_ret(syscall(SYS_copy_file_range, fd, NULL, fz_buf(r, c)->fd, NULL,
				      4096, 0));
	}
	return change(fd, fz_u8(c), fz_u8(c));
}
