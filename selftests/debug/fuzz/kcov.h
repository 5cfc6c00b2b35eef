/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which places of the module a program ran through, by the kernel's KCOV. Only what the
 * program's own two threads did is seen, not its children and not the kernel's workers.
 */
#ifndef HPBUF_FUZZ_KCOV_H
#define HPBUF_FUZZ_KCOV_H

#include <stdbool.h>
#include <stdint.h>

/** Places that one program can be the first at, and more that are not remembered. */
#define FZ_FRESH	512

struct fz_fresh {
	unsigned int nr;
	uint64_t pc[FZ_FRESH];
};

/** fz_cover_open - true where the kernel has KCOV and the module is built with it */
bool fz_cover_open(void);

/** fz_cover_begin - this thread, 0 or 1, is looked at from now on */
void fz_cover_begin(int thread);

/** fz_cover_clear - before a program */
void fz_cover_clear(void);

/** fz_cover_take - after it: the places that were never reached before */
void fz_cover_take(struct fz_fresh *fresh);

/** fz_cover_had - did the last program reach all those? */
bool fz_cover_had(const struct fz_fresh *fresh);

unsigned int fz_cover_count(void);

/** fz_cover_save - all places, as offsets in the module's text */
int fz_cover_save(const char *path);

#endif
