/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz targets: each is one file with LLVMFuzzerTestOneInput(), linked with libFuzzer
 * (make fuzz) or with replay.c, which runs files through it (selftests/host/fuzz_corpus.sh).
 */
#ifndef HPCTL_FUZZ_H
#define HPCTL_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** What has to hold of every input, also with NDEBUG. */
#define MUST(condition) do {							\
	if (!(condition)) {							\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,	\
			#condition);						\
		abort();							\
	}									\
} while (0)

#endif
