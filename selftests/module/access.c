// SPDX-License-Identifier: GPL-2.0-only
/*
 * A debugger reads and writes a buffer as far as the mapping allows: what is
 * mapped read-only cannot be written by force, and what is not mapped is not
 * there.
 */
#include "buf_fixture.h"

#include <sys/ptrace.h>

struct tracee {
	pid_t pid;
	int mem;
};

/* A child that stops with our mappings, traced by us. */
static void trace(struct __test_metadata *_metadata, struct tracee *t)
{
	char path[64];
	int status;

	t->pid = hpt_fork();
	ASSERT_LE(0, t->pid);
	if (!t->pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	ASSERT_EQ(t->pid, waitpid(t->pid, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status));
	snprintf(path, sizeof(path), "/proc/%d/mem", t->pid);
	t->mem = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, t->mem);
}

static void untrace(struct __test_metadata *_metadata, struct tracee *t)
{
	close(t->mem);
	ASSERT_EQ(0, ptrace(PTRACE_CONT, t->pid, NULL, NULL));
	EXPECT_EQ(0, hpt_wait(t->pid));
}

static long peek(const struct tracee *t, void *addr)
{
	errno = 0;
	return ptrace(PTRACE_PEEKDATA, t->pid, addr, NULL);
}

TEST_F(buf, writable_mapping)
{
	struct tracee t;
	uint64_t word = 0;
	unsigned char *at = self->p + self->size - 8;

	trace(_metadata, &t);
	EXPECT_EQ(hpt_mark(0, BUF_SALT), (uint64_t)peek(&t, self->p));
	EXPECT_EQ(hpt_mark(~(self->size - SZ_4K), BUF_SALT), (uint64_t)peek(&t, at));
	EXPECT_EQ(0, ptrace(PTRACE_POKEDATA, t.pid, self->p + 64, (void *)0x1234));
	EXPECT_EQ(0x1234, *(uint64_t *)(self->p + 64));
	ASSERT_EQ(8, pread(t.mem, &word, 8, (uintptr_t)self->p + 64));
	EXPECT_EQ(0x1234, word);
	word = 0x4321;
	ASSERT_EQ(8, pwrite(t.mem, &word, 8, (uintptr_t)self->p + 64));
	EXPECT_EQ(0x4321, *(uint64_t *)(self->p + 64));
	untrace(_metadata, &t);
	EXPECT_INTACT();
}

static void expect_refused(struct __test_metadata *_metadata, const struct tracee *t,
			   unsigned char *q)
{
	uint64_t word = ~0ULL;

	EXPECT_EQ(hpt_mark(0, BUF_SALT), (uint64_t)peek(t, q));
	EXPECT_EQ(-1, ptrace(PTRACE_POKEDATA, t->pid, q, (void *)-1L));
	EXPECT_EQ(-1, pwrite(t->mem, &word, 8, (uintptr_t)q));
	EXPECT_EQ(hpt_mark(0, BUF_SALT), *(uint64_t *)q);
}

TEST_F(buf, read_only_mapping)
{
	unsigned char *q = mmap(NULL, self->page, PROT_READ, MAP_SHARED, self->fd, 0);
	struct tracee t;

	ASSERT_NE(MAP_FAILED, q);
	trace(_metadata, &t);
	expect_refused(_metadata, &t, q);
	untrace(_metadata, &t);
	munmap(q, self->page);
	EXPECT_INTACT();
}

TEST_F(buf, read_only_descriptor)
{
	struct hpbuf_info info;
	struct tracee t;
	unsigned char *q;
	int ro;

	ASSERT_EQ(0, hpt_info(self->fd, &info));
	ro = hpt_open_id(self->dev, info.id, HPBUF_OPEN_RDONLY);
	ASSERT_LE(0, ro);
	q = mmap(NULL, self->page, PROT_READ, MAP_SHARED, ro, 0);
	ASSERT_NE(MAP_FAILED, q);
	trace(_metadata, &t);
	expect_refused(_metadata, &t, q);
	untrace(_metadata, &t);
	munmap(q, self->page);
	EXPECT_INTACT();
}

TEST_F(buf, beyond_the_mapping)
{
	struct tracee t;
	uint64_t word[2];

	ASSERT_EQ(0, munmap(self->p + self->size - self->page, self->page));
	trace(_metadata, &t);
	EXPECT_EQ(-1, peek(&t, self->p + self->size - self->page));
	EXPECT_NE(0, errno);
	EXPECT_GE(8, pread(t.mem, word, 16, (uintptr_t)self->p + self->size - self->page - 8));
	untrace(_metadata, &t);
}

/*
 * No access at all: a debugger may look, or not; it may not write. A leaf that
 * the hardware takes for absent must not send the kernel round in circles.
 */
TEST_F_TIMEOUT(buf, no_access_mapping, hpt_timeout(60))
{
	unsigned char *q = mmap(NULL, self->page, PROT_NONE, MAP_SHARED, self->fd, 0);
	uint64_t word = ~0ULL;
	struct tracee t;

	ASSERT_NE(MAP_FAILED, q);
	trace(_metadata, &t);
	(void)peek(&t, q);
	EXPECT_EQ(-1, ptrace(PTRACE_POKEDATA, t.pid, q, (void *)-1L));
	EXPECT_EQ(-1, pwrite(t.mem, &word, 8, (uintptr_t)q));
	untrace(_metadata, &t);
	munmap(q, self->page);
	EXPECT_INTACT();
}

BUF_TEST_MAIN(3, 2)
