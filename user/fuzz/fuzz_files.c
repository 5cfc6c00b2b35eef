// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that hpctl itself keeps or is given: the journal of --reserve and the pool's
 * configuration. The first byte chooses: 'j' a journal as it is, 'J' one of this boot, its
 * first line put in front, else a configuration.
 */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backing/journal.h"
#include "measure/proc.h"
#include "pool_conf.h"

static int file_of(const char *head, const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	MUST(fd >= 0);
	MUST(write(fd, head, strlen(head)) == (ssize_t)strlen(head));
	MUST(write(fd, data, size) == (ssize_t)size);
	return fd;
}

static void valid(const struct reserve *r)
{
	MUST(r->nr && r->nr <= RESERVE_SIZES);
	for (unsigned int i = 0; i < r->nr; i++) {
		MUST(r->pool[i].page_shift == 21 || r->pool[i].page_shift == 30);
		MUST(r->pool[i].nr_nodes && r->pool[i].nr_nodes <= RESERVE_NODES);
	}
}

/* What was read is written and read again. */
static void again(const struct reserve *r)
{
	struct reserve back = { .lock = -1 };
	int fd = file_of("", NULL, 0);

	for (unsigned int i = 0; i < r->nr; i++) {
		MUST(!journal_begun(fd, &r->pool[i]));
		if (r->pool[i].known)
			MUST(!journal_got(fd, &r->pool[i]));
	}
	MUST(journal_read(fd, &back) == JOURNAL_READ && back.nr == r->nr);
	for (unsigned int i = 0; i < r->nr; i++) {
		MUST(back.pool[i].former == r->pool[i].former);
		MUST(back.pool[i].wanted == r->pool[i].wanted);
		MUST(back.pool[i].known == r->pool[i].known);
		MUST(back.pool[i].nr_nodes == r->pool[i].nr_nodes);
	}
	close(fd);
}

static void journal(const char *head, const uint8_t *data, size_t size)
{
	struct reserve r = { .lock = -1 };
	int fd = file_of(head, data, size);

	if (journal_read(fd, &r) == JOURNAL_READ) {
		valid(&r);
		again(&r);
	}
	close(fd);
}

static void of_this_boot(const uint8_t *data, size_t size)
{
	char boot[64] = "unknown", head[96];

	proc_text("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	snprintf(head, sizeof(head), "hpctl-pools 1 %s\n", boot);
	journal(head, data, size);
}

static void conf(const uint8_t *data, size_t size)
{
	struct hp_error e = { 0 };
	struct pool_step *steps;
	char path[40];
	int fd = file_of("", data, size);
	size_t nr;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pool_conf_read(path, &steps, &nr, &e)) {
		MUST(!steps && !nr && *e.message);
		for (const char *p = e.message; *p; p++)
			MUST((unsigned char)*p >= ' ' && *p != 0x7f);
	}
	for (size_t i = 0; i < nr; i++) {
		MUST(steps[i].ask.page_shift == 21 || steps[i].ask.page_shift == 30);
		MUST(steps[i].ask.min <= steps[i].ask.want);
	}
	free(steps);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data == 'j')
		journal("", data + 1, size - 1);
	else if (*data == 'J')
		of_this_boot(data + 1, size - 1);
	else
		conf(data, size);
	return 0;
}
