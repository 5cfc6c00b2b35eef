/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why rows are not to be trusted, and what exit code that makes. */
#ifndef HPCTL_TRUST_H
#define HPCTL_TRUST_H

#include "out/out.h"

/** A flag of the row beside those of its samples (enum sample_flag). */
#define ROW_SPREAD	(1U << 16)

#define NR_REASONS	10

/**
 * struct tally - rows by reason; zeroed before use
 * @sizes: there are rows of several sizes: they are named with theirs
 */
struct tally {
	bool sizes;
	unsigned int rows, bad;
	struct names {
		unsigned int nr, more;
		size_t len;
		char text[200];
	} names[NR_REASONS];
};

/** trust_row - put "note" and "flags" into the row @o, and count it */
void trust_row(struct tally *t, unsigned int flags, json_t *o);

/** trust_report - one warning a reason, and the error that the worst of them makes */
void trust_report(const struct tally *t, json_t *doc, struct hp_error *e);

#endif
