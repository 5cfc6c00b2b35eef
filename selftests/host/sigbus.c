// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A page that cannot be had when it is touched, in the middle of a job: the run ends as
 * by a signal, with exit 3 and a reason; other threads end their part; nothing hangs.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "../../user/measure/bus.h"
#include "../../user/measure/stop.h"
#include "../../user/workload/crew.h"

struct job {
	volatile unsigned char *addr;
	unsigned int bad;
	unsigned int done[2];
};

static void touch(unsigned int me, void *arg)
{
	struct job *job = arg;

	if (me == job->bad)
		job->addr[0] = 1;
	job->done[me] = 1;
}

/* Mapped, and nothing behind it. */
static void *hollow(void)
{
	int fd = memfd_create("hollow", MFD_CLOEXEC);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return p;
}

static void with_bad(struct __test_metadata *_metadata, unsigned int bad)
{
	struct job job = { .addr = hollow(), .bad = bad };
	struct stages st = { 0 };
	struct hp_error e = { 0 };
	struct crew *crew;

	ASSERT_NE(MAP_FAILED, (void *)job.addr);
	ASSERT_EQ(0, crew_new(&crew, 2, &e));
	crew_run(crew, 0, touch, &job, &st, "touch");
	EXPECT_TRUE(stop_pending());
	EXPECT_EQ(HP_RESOURCE, stop_error(&e));
	EXPECT_NE(NULL, strstr(e.message, "SIGBUS"));
	EXPECT_EQ(0, job.done[bad]);
	EXPECT_EQ(1, job.done[!bad]);
	/* The crew works on. */
	job.bad = 2;
	crew_run(crew, 0, touch, &job, &st, "again");
	EXPECT_EQ(1, job.done[bad]);
	crew_free(crew);
}

TEST(in_the_first_thread)
{
	with_bad(_metadata, 0);
}

TEST(in_another_thread)
{
	with_bad(_metadata, 1);
}

TEST(outside_of_a_job)
{
	volatile unsigned char *p = hollow();
	int status;
	pid_t pid = fork();

	if (!pid) {
		bus_install();
		*p = 1;
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

TEST_HARNESS_MAIN
