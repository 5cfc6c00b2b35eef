/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why rows are not to be trusted, and what exit code that makes. */
#ifndef HPCTL_TRUST_H
#define HPCTL_TRUST_H

#include <stddef.h>
#include <stdint.h>

#include "out/out.h"

/** Flags of the row beside those of its samples (enum sample_flag). */
#define ROW_SPREAD	(1U << 16)	/* the runs differ much */
#define ROW_DRIFT	(1U << 17)	/* they get slower, or faster, one after the other */
#define ROW_FIRST	(1U << 18)	/* the first lies apart */
#define ROW_CLOCK	(1U << 19)	/* the CPU's clock rate changed */
#define ROW_PART	(1U << 20)	/* a first pass whose array is less than half of its pages */

#define NR_REASONS	17

/**
 * struct tally - rows by reason; zeroed before use
 * @runs: counted ones, of which intervals are made
 * @sizes: there are rows of several sizes: they are named with theirs
 */
struct tally {
	bool sizes;
	unsigned int runs, rows, bad;
	struct names {
		unsigned int nr, more;
		size_t len;
		char text[200];
	} names[NR_REASONS];
};

/** trust_series - flags by the times of the counted runs, in their order */
unsigned int trust_series(const double *ns, size_t n);

/** trust_clock_rate - ROW_CLOCK if those that are known (not 0) differ by a tenth */
unsigned int trust_clock_rate(const uint64_t *khz, size_t n);

/**
 * trust_first_pass - ROW_PART if @mapped bytes are more than twice the array's @bytes
 * A first pass makes whole pages: its time is that of @mapped.
 */
unsigned int trust_first_pass(uint64_t mapped, uint64_t bytes);

/** trust_row - put "note" and "flags" into the row @o, and count it */
void trust_row(struct tally *t, unsigned int flags, json_t *o);

/**
 * trust_report - one warning a reason, and the error that the worst of them makes
 * Some reasons are warnings and no more: what drifts meets all backings alike, as
 * they are interleaved, and is no error of the comparison.
 */
void trust_report(const struct tally *t, json_t *doc, struct hp_error *e);

#endif
