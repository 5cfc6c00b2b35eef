// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The search for contiguous memory takes seconds and heeds fatal signals only. A
 * child does it and passes the descriptor on. If it is killed before that, its
 * descriptor was the only one, and the buffer is gone with it.
 *
 * The child has our memory, not a copy of it: after fork() our first write to each page
 * would be a fault, and some of these would be in the timed part. Signals and descriptors
 * are its own.
 */
#include "backing/hpbuf_alloc.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/stop.h"

/** struct answer - what the child sends; the descriptor goes beside it */
struct answer {
	struct hpbuf_alloc req;
	uint64_t ns;
	int ret;
};

/** struct errand - what the child is to do */
struct errand {
	int dev;
	int sock;
	struct hpbuf_alloc req;
};

/* Its stack needs room for a message and a system call. */
#define STACK_BYTES	(64 << 10)

union control {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int child(void *arg)
{
	const struct errand *errand = arg;
	struct answer a = { .req = errand->req };
	union control ctl = { 0 };
	struct iovec iov = { &a, sizeof(a) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;
	uint64_t from;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A signal to the whole group is for the parent to act on. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	from = clock_ns();
	a.ret = hpbuf_alloc(errand->dev, &a.req);
	a.ns = clock_ns() - from;
	if (!a.ret) {
		msg.msg_control = ctl.buf;
		msg.msg_controllen = sizeof(ctl.buf);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &a.req.fd, sizeof(int));
	}
	_exit(sendmsg(errand->sock, &msg, MSG_NOSIGNAL) != (ssize_t)sizeof(a));
}

/* False when the child died without an answer. */
static bool receive(int sock, struct answer *a)
{
	union control ctl;
	struct iovec iov = { a, sizeof(*a) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = ctl.buf, .msg_controllen = sizeof(ctl.buf),
	};
	struct cmsghdr *c;

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*a))
		return false;
	if (a->ret)
		return true;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return false;
	memcpy(&a->req.fd, CMSG_DATA(c), sizeof(int));
	return true;
}

int hpbuf_alloc_stoppable(int dev, struct hpbuf_alloc *req, uint64_t *ns)
{
	struct errand errand = { .dev = dev, .req = *req };
	struct answer a = { .ret = -EINTR };
	struct pollfd pfd = { .events = POLLIN };
	int sock[2], ret = -EINTR;
	char *stack;
	pid_t pid;

	stack = malloc(STACK_BYTES);
	if (!stack)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock)) {
		ret = -errno;
		goto out_stack;
	}
	errand.sock = sock[1];
	pid = clone(child, stack + STACK_BYTES, CLONE_VM | SIGCHLD, &errand);
	if (pid < 0) {
		ret = -errno;
		goto out;
	}
	close(sock[1]);
	sock[1] = -1;
	/* A signal between the look and the wait is seen 200 ms later. */
	pfd.fd = sock[0];
	while (!stop_pending() && poll(&pfd, 1, 200) <= 0)
		;
	if (stop_pending())
		kill(pid, SIGKILL);
	else if (receive(sock[0], &a))
		ret = a.ret;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!ret) {
		*req = a.req;
		*ns = a.ns;
	}
out:
	close(sock[0]);
	if (sock[1] >= 0)
		close(sock[1]);
out_stack:
	free(stack);
	return ret;
}
