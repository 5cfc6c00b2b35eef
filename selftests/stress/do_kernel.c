// SPDX-License-Identifier: GPL-2.0-only
/* What a worker has the kernel do with its memory. */
#include "worker.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

void do_walk(struct actor *a)
{
	static const int may[] = { EOPNOTSUPP, EINTR, 0 };
	struct hpbuf_nl_walk_req req = { .samples = 16, .seed = rng_next(&a->rng),
					 .cold = rng_below(&a->rng, 2) };
	struct hpbuf_nl_walk_time time;
	struct slot *s = slot_mapped(a);

	if (!s)
		return;
	if (op_ended(OP_WALK, hpbuf_nl_walk_time(a->nl, s->map, s->map_len, &req, &time), may))
		return;
	if (time.census.pte_bytes)
		wrong("buffer %u is mapped by 4 KiB leaves", s->id);
}

/* On some kernels this drops leaves, which the next access brings back. */
void do_proc(struct actor *a)
{
	static const char * const files[] = { "smaps", "smaps_rollup", "numa_maps", "pagemap",
					      "clear_refs" };
	const char *file = files[rng_below(&a->rng, NR(files))];
	struct slot *s = slot_mapped(a);
	char path[64], buf[8192];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/%s", file);
	fd = open(path, (strcmp(file, "clear_refs") ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
	if (fd < 0) {
		op_counted(OP_PROC, -errno);
		return;
	}
	if (!strcmp(file, "clear_refs"))
		n = write(fd, rng_below(&a->rng, 2) ? "1" : "4", 1);
	else if (!strcmp(file, "pagemap"))
		n = pread(fd, buf, sizeof(buf), s ? (uintptr_t)s->map / SZ_4K * 8 : 0);
	else
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			;
	op_counted(OP_PROC, n < 0 ? -errno : 0);
	close(fd);
}

static bool pins_work(const struct actor *a)
{
	return a->caps.flags & HPBUF_CAP_GUP;
}

/* Without folios nobody may get at the pages: their counts would go wrong. */
static int pin_ended(const struct actor *a, enum op which, int ret)
{
	static const int may[] = { EFAULT, 0 };

	if (!ret && !pins_work(a))
		wrong("%s: a page frame was pinned", op_name(which));
	return op_ended(which, ret, pins_work(a) ? NULL : may);
}

void do_readv(struct actor *a)
{
	struct slot *s = slot_mapped(a);
	unsigned char copy[SZ_4K];
	struct iovec to = { copy, sizeof(copy) }, from;
	uint64_t off;
	ssize_t n;

	if (!s || !s->stamped)
		return;
	off = rng_below(&a->rng, s->map_len / SZ_4K) * SZ_4K;
	from = (struct iovec){ s->map + off, SZ_4K };
	n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	if (pin_ended(a, OP_READV, n < 0 ? -errno : 0))
		return;
	if (stamp_check(copy, SZ_4K, s->map_off + off, s->id) >= 0)
		wrong("buffer %u: process_vm_readv() reads something else", s->id);
}

/* A pin may outlive the buffer's mappings and descriptors. */
void do_pin(struct actor *a)
{
	struct slot *s = slot_mapped(a);
	struct iovec from;
	uint64_t off;
	ssize_t n;

	if (!s || !s->stamped || a->pipe[0] >= 0)
		return;
	if (pipe2(a->pipe, O_CLOEXEC | O_NONBLOCK)) {
		op_counted(OP_PIN, -errno);
		a->pipe[0] = -1;
		return;
	}
	off = rng_below(&a->rng, s->map_len / SZ_4K) * SZ_4K;
	from = (struct iovec){ s->map + off, SZ_4K };
	n = vmsplice(a->pipe[1], &from, 1, 0);
	if (pin_ended(a, OP_PIN, n < 0 ? -errno : 0)) {
		close(a->pipe[0]);
		close(a->pipe[1]);
		a->pipe[0] = -1;
	}
	a->pin_id = s->id;
	a->pin_off = s->map_off + off;
}

void do_unpin(struct actor *a)
{
	unsigned char copy[SZ_4K];
	ssize_t n;

	if (a->pipe[0] < 0)
		return;
	n = rng_one_in(&a->rng, 2) ? read(a->pipe[0], copy, sizeof(copy)) : 0;
	op_ended(OP_UNPIN, n < 0 ? -errno : 0, NULL);
	if (n == (ssize_t)sizeof(copy) && stamp_check(copy, SZ_4K, a->pin_off, a->pin_id) >= 0)
		wrong("buffer %u: a pinned page holds something else", a->pin_id);
	close(a->pipe[0]);
	close(a->pipe[1]);
	a->pipe[0] = -1;
}

void do_kill(struct actor *a)
{
	pid_t pid = shared->worker[rng_below(&a->rng, WORKERS_MAX)];

	if (pid > 0 && pid != getpid())
		op_counted(OP_KILL, kill(pid, SIGKILL) ? -errno : 0);
}
