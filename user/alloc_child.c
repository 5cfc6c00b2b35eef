// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's search for contiguous memory takes seconds, and nothing but a
 * fatal signal ends it. So it runs in a child: when the user presses ^C, the
 * child gets SIGKILL, and the module gives back what it had.
 *
 * A buffer that is finished at that very moment would stay, since it is
 * persistent, under an id nobody was told. But the request lies in memory that
 * is shared with the child. The module writes the id there before it lets the
 * buffer go public, and undoes the buffer if it cannot write. So once the child
 * is gone, either there is no id and no buffer, or there are both and the
 * parent frees it.
 */
#include "alloc_child.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"

struct shared {
	struct hpbuf_alloc req;
	int ret;
};

/* What the parent does while the child allocates. */
struct waiting {
	const sigset_t *signals;
	void (*tick)(void *arg);
	void *arg;
};

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

void alloc_block(sigset_t *wait)
{
	struct sigaction sa;

	/* Whoever started us may have left it ignored: children vanish then. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(wait);
	sigaddset(wait, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(stop_signals); i++)
		if (!sigaction(stop_signals[i], NULL, &sa) && sa.sa_handler != SIG_IGN)
			sigaddset(wait, stop_signals[i]);
	sigprocmask(SIG_BLOCK, wait, NULL);
}

/* Not to keep a pipe open whose reader waits for its end. */
static void detach(int dev)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fd != dev)
			close(fd);
}

static void child(int dev, struct shared *s, pid_t parent)
{
	/* Nobody would want the buffer of a parent that got SIGKILL. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	detach(dev);
	s->ret = hpbuf_alloc(dev, &s->req);
	_exit(0);
}

/*
 * Wait for the child's end; kill it on a signal, which is returned in @sig.
 * False: it has been killed, but hangs in the kernel for longer than anybody
 * who pressed ^C wants to wait (a page of 1 GiB is zeroed in one go).
 */
static bool await(pid_t pid, const struct waiting *w, int *sig, int *status)
{
	const struct timespec patience = { .tv_nsec = 300 * 1000 * 1000 };
	const struct timespec beat = { .tv_nsec = 500 * 1000 * 1000 };
	int got;

	while (waitpid(pid, status, WNOHANG) == 0) {
		got = sigtimedwait(w->signals, NULL, *sig ? &patience : &beat);
		if (got < 0 && errno == EAGAIN && *sig)
			return false;
		if (got < 0 && errno == EAGAIN)
			w->tick(w->arg);
		if (got < 0 || got == SIGCHLD)
			continue;
		if (!*sig)
			*sig = got;
		kill(pid, SIGKILL);
	}
	return true;
}

/* What a stop has let through. The id is 0 unless there is a buffer. */
static void free_late(int dev, const struct shared *s)
{
	if (s->req.id)
		hpbuf_free_id(dev, s->req.id, NULL);
}

/*
 * Leave a process behind that waits for the child's end and frees what it may
 * have made. Waits itself if that cannot be had. It inherits the blocked
 * signals: a second ^C does not end it.
 */
static int leave_behind(int dev, const struct shared *s, pid_t pid)
{
	struct pollfd pfd = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	pid_t sweeper = pfd.fd < 0 ? -1 : fork();

	if (!sweeper) {
		setsid();
		detach(dev);
		while (poll(&pfd, 1, -1) < 0 && errno == EINTR)
			;
		free_late(dev, s);
		_exit(0);
	}
	if (pfd.fd >= 0)
		close(pfd.fd);
	if (sweeper > 0)
		return -EINPROGRESS;
	waitpid(pid, NULL, 0);
	free_late(dev, s);
	return -EINTR;
}

static int outcome(int dev, struct shared *s, int status, int sig)
{
	if (!sig && WIFEXITED(status) && !WEXITSTATUS(status))
		return s->ret;
	/* Stopped, or killed by somebody else such as the OOM killer. */
	free_late(dev, s);
	return -EINTR;
}

int alloc_child(int dev, struct hpbuf_alloc *req, const sigset_t *wait,
		void (*tick)(void *arg), void *arg, int *sig)
{
	const struct waiting w = { .signals = wait, .tick = tick, .arg = arg };
	pid_t pid, parent = getpid();
	int ret, status = 0;
	struct shared *s;

	*sig = 0;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return -errno;
	s->req = *req;
	s->ret = -EINTR;
	pid = fork();
	if (pid < 0) {
		ret = -errno;
		goto out;
	}
	if (!pid)
		child(dev, s, parent);
	if (await(pid, &w, sig, &status))
		ret = outcome(dev, s, status, *sig);
	else
		ret = leave_behind(dev, s, pid);
	*req = s->req;
	req->fd = -1;
out:
	munmap(s, sizeof(*s));
	return ret;
}

int alloc_stopped(const sigset_t *wait)
{
	const struct timespec now = { 0 };
	int sig;

	do {
		sig = sigtimedwait(wait, NULL, &now);
	} while (sig == SIGCHLD);
	return sig > 0 ? sig : 0;
}
