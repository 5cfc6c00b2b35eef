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
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"

struct shared {
	struct hpbuf_alloc req;
	int ret;
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

static void child(int dev, struct shared *s, pid_t parent)
{
	/* Nobody would want the buffer of a parent that got SIGKILL. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	s->ret = hpbuf_alloc(dev, &s->req);
	_exit(0);
}

/* Wait for the child's end; kill it on a signal, which is returned in @sig. */
static int await(pid_t pid, const sigset_t *wait, int *sig)
{
	int status = 0, got;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		got = sigwaitinfo(wait, NULL);
		if (got < 0 || got == SIGCHLD)
			continue;
		if (!*sig)
			*sig = got;
		kill(pid, SIGKILL);
	}
	return status;
}

static int outcome(int dev, struct shared *s, int status, int sig)
{
	/* What a stop has let through. The id is 0 unless there is a buffer. */
	if (sig && s->req.id)
		hpbuf_free_id(dev, s->req.id, NULL);
	if (sig)
		return -EINTR;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return s->ret;
	/* Killed by somebody else, such as the OOM killer. */
	if (s->req.id)
		hpbuf_free_id(dev, s->req.id, NULL);
	return -EINTR;
}

int alloc_child(int dev, struct hpbuf_alloc *req, const sigset_t *wait, int *sig)
{
	pid_t pid, parent = getpid();
	struct shared *s;
	int ret, status;

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
	status = await(pid, wait, sig);
	ret = outcome(dev, s, status, *sig);
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
