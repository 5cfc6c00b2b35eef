// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * matrix: the life of an array in stages: before, create, map, fill by all
 * threads (untouched memory), get and set by one thread, get and set by all,
 * unmap, free. Each stage tells time, CPU time, faults and where memory stands. The
 * sequence is in session.c; the sample is the sum of the stages' times.
 */
#include "workload/workload.h"

const struct workload workload_matrix = {
	.name = "matrix",
	.brief = "create, fill, get and set with 1 and N threads, free, stage by stage",
	.stages = true,
	.dirties = true,
	.op_bytes = 5,
};
