// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything at once, for as long as is asked: workers that alloc, map, fork, touch,
 * protect, remap, share and free, and are killed; disturbers that take the machine's
 * memory, CPUs and sleep, and change the module's settings. In rounds: a storm, then
 * all are gone and the books are checked.
 *
 * usage: stress [-m MINUTES] [-r SECONDS] [-w WORKERS] [-s SEED] [-x NAME,...] [-p]
 *	-r	of a round, default 30		-x	leave these disturbers out
 *	-s	what chance begins with, default the time
 *	-p	poison pages of buffers (memory failure)
 *
 * Not the same for the same seed: who is first is up to the machine.
 */
#include "stress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <kselftest.h>

#include "books.h"
#include "crew.h"
#include "disturb.h"
#include "module.h"

struct options {
	double minutes;
	unsigned int round_s, workers;
	uint64_t seed;
	const char *without;
	bool poison;
};

struct run {
	struct options o;
	unsigned int rounds;
	uint64_t end_ms;
	struct rng rng;
	struct crew crew;
	struct disturbers disturbers;
	struct books books;
};

static unsigned long allocated(void)
{
	return shared->op[OP_ALLOC_2M].done + shared->op[OP_ALLOC_1G].done;
}

static void storm(struct run *r, unsigned int round, unsigned int ms)
{
	uint64_t end = now_ms() + ms;
	unsigned long before = allocated();

	crew_start(&r->crew);
	disturb_start(&r->disturbers, round);
	while (now_ms() < end) {
		crew_tend(&r->crew, &r->rng);
		pause_ms(rng_below(&r->rng, 600));
	}
	disturb_end(&r->disturbers);
	crew_end(&r->crew);
	disturb_restore(&r->disturbers);
	if (allocated() == before)
		wrong("nothing could be allocated");
}

/* Away with the module, and here again. Pools are filled from the beginning at times. */
static void reload(struct run *r)
{
	const char *params = rng_below(&r->rng, 2) ? "pool_2m=16" : "";
	int ret;

	books_close(&r->books);
	ret = module_unload();
	if (ret) {
		wrong("the module cannot be unloaded: %s", strerror(-ret));
	} else {
		books_memory(&r->books);
		ret = module_load(params);
		if (ret)
			wrong("the module cannot be loaded: %s", strerror(-ret));
	}
	ret = books_open(&r->books);
	if (ret)
		ksft_exit_fail_msg("the device cannot be opened: %s\n", strerror(-ret));
}

static void quiet(struct run *r, unsigned int round)
{
	books_check(&r->books);
	/* some persistent buffers, and some pools, live for two rounds */
	if (rng_one_in(&r->rng, 3) && round != r->rounds)
		return;
	books_empty(&r->books);
	books_memory(&r->books);
	if (module_can_load() && rng_one_in(&r->rng, 2))
		reload(r);
}

/* What is left of the time, without what the last quiet point took. */
static unsigned int storm_ms(const struct run *r, unsigned int round, uint64_t quiet_ms)
{
	uint64_t now = now_ms(), left = r->end_ms > now ? r->end_ms - now : 0;
	uint64_t each = left / (r->rounds - round + 1);

	return each > quiet_ms + 5000 ? each - quiet_ms : 5000;
}

static void rounds(struct run *r)
{
	uint64_t quiet_ms = 3000, start, middle;
	unsigned int i, ms;

	for (i = 1; i <= r->rounds; i++) {
		start = now_ms();
		ms = storm_ms(r, i, quiet_ms);
		r->books.loss = 0;
		storm(r, i, ms);
		middle = now_ms();
		quiet(r, i);
		quiet_ms = now_ms() - middle;
		ksft_print_msg("round %u: storm of %u s, %llu s in all, %ld KiB less than before\n",
			       i, ms / 1000, (unsigned long long)(now_ms() - start) / 1000,
			       r->books.loss >> 10);
		ksft_test_result(!wrong_print(), "round %u\n", i);
		fflush(stdout);
	}
}

static void parse(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "m:r:w:s:x:p")) >= 0) {
		switch (c) {
		case 'm':
			o->minutes = strtod(optarg, NULL);
			break;
		case 'r':
			o->round_s = strtoul(optarg, NULL, 10);
			break;
		case 'w':
			o->workers = strtoul(optarg, NULL, 10);
			break;
		case 's':
			o->seed = strtoull(optarg, NULL, 0);
			break;
		case 'x':
			o->without = optarg;
			break;
		case 'p':
			o->poison = true;
			break;
		default:
			exit(2);
		}
	}
	if (o->minutes <= 0 || !o->round_s || !o->workers || o->workers > WORKERS_MAX)
		ksft_exit_fail_msg("minutes, seconds of a round, or workers (1 to %d)\n",
				   WORKERS_MAX);
}

static void begin(struct run *r)
{
	int ret;

	if (geteuid())
		ksft_exit_skip("needs root, found uid %d\n", (int)geteuid());
	if (access(HPBUF_DEVICE, F_OK)) {
		if (!module_can_load())
			ksft_exit_skip("no %s, and HPBUF_KO is not set\n", HPBUF_DEVICE);
		ret = module_load("");
		if (ret)
			ksft_exit_fail_msg("loading the module: %s\n", strerror(-ret));
	}
	if (shared_make())
		ksft_exit_fail_msg("no memory\n");
	shared->seed = r->o.seed;
	shared->poison = r->o.poison;
	text_write("/proc/self/oom_score_adj", "-1000");
	/* what workers forked is waited for here */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ret = books_open(&r->books);
	if (ret)
		ksft_exit_fail_msg("the device cannot be opened: %s\n", strerror(-ret));
}

int main(int argc, char **argv)
{
	static struct run r = {
		.o = { .minutes = 5, .round_s = 30, .workers = 6 },
	};

	ksft_print_header();
	r.o.seed = time(NULL);
	parse(&r.o, argc, argv);
	begin(&r);
	r.rounds = r.o.minutes * 60 / r.o.round_s;
	if (!r.rounds)
		r.rounds = 1;
	ksft_print_msg("seed %llu, %g minutes, %u rounds, %u workers\n",
		       (unsigned long long)r.o.seed, r.o.minutes, r.rounds, r.o.workers);
	ksft_set_plan(r.rounds);
	r.rng = rng_make(r.o.seed, 0, 0);
	r.crew.nr = r.o.workers;
	r.end_ms = now_ms() + r.o.minutes * 60000;
	disturb_choose(&r.disturbers, r.o.without);
	freemem_read(&r.books.before);
	rounds(&r);
	books_close(&r.books);
	op_summary();
	ksft_finished();
}
