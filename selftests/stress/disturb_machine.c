// SPDX-License-Identifier: GPL-2.0-only
/* The machine as a whole: put to sleep, and with memory that fails. */
#include "disturb.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- freezing, as for sleep ---- */

#define POWER	"/sys/power/"

static bool lacks_freeze(char *why, size_t size)
{
	char states[64];

	if (disturb_needs(POWER "pm_test", why, size))
		return true;
	if (!text_read(POWER "state", states, sizeof(states)) && strstr(states, "freeze"))
		return false;
	snprintf(why, size, "needs suspend to idle, found states: %s", states);
	return true;
}

static long freeze_failures(void)
{
	return number_read(POWER "suspend_stats/failed_freeze", 0);
}

/*
 * Whatever is under way must let itself be frozen within the kernel's time limit. How
 * far it goes is told by HPBUF_STRESS_PM: freezer or devices.
 */
static void run_freeze(struct rng *r)
{
	const char *level = getenv("HPBUF_STRESS_PM");
	long before = freeze_failures();
	int ret;

	text_write("/sys/module/suspend/parameters/pm_test_delay", "1");
	ret = text_write(POWER "pm_test", level ? level : "freezer");
	if (!ret)
		ret = text_write(POWER "state", "freeze");
	op_counted(OP_FREEZE, ret);
	if (freeze_failures() != before)
		wrong("the machine could not be frozen (the kernel log says by whom)");
}

static void restore_freeze(void)
{
	text_write(POWER "pm_test", "none");
}

const struct disturber disturb_freeze = {
	.op = OP_FREEZE, .pause_ms = 12000, .lacks = lacks_freeze, .run = run_freeze,
	.restore = restore_freeze,
};

/* ---- memory that fails ---- */

static bool lacks_poison(char *why, size_t size)
{
	if (shared->poison)
		return false;
	snprintf(why, size, "needs to be asked for (-p)");
	return true;
}

/* A buffer of its own, of which 4 KiB fail; then both ends of it go. */
static void run_poison(struct rng *r)
{
	struct hpbuf_alloc req = { .bytes = 2 * SZ_2M, .page_shift = HPBUF_SHIFT_2M };
	int dev = hpbuf_open_device(NULL, NULL);
	unsigned char *p = MAP_FAILED;
	int ret;

	if (dev < 0)
		return;
	signal(SIGBUS, SIG_IGN);
	ret = hpbuf_alloc(dev, &req);
	if (ret >= 0) {
		p = mmap(NULL, req.size, PROT_READ | PROT_WRITE, MAP_SHARED, req.fd, 0);
		ret = p == MAP_FAILED ? -errno : 0;
	}
	if (!ret) {
		stamp_write(p, req.size, 0, req.id);
		ret = madvise(p + rng_below(r, req.size / SZ_4K) * SZ_4K, SZ_4K,
			      MADV_HWPOISON) ? -errno : 0;
		if (!ret)
			atomic_fetch_add(&shared->poisoned, 1);
		munmap(p, req.size);
	}
	op_counted(OP_POISON, ret);
	if (req.fd > 0)
		close(req.fd);
	close(dev);
}

const struct disturber disturb_poison = {
	.op = OP_POISON, .pause_ms = 8000, .lacks = lacks_poison, .run = run_poison,
};
