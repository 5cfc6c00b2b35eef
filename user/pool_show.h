/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hpctl pool show: the module's pool, and the kernel's hugetlb pools beside it. */
#ifndef HPCTL_POOL_SHOW_H
#define HPCTL_POOL_SHOW_H

#include "lib/libhpbuf.h"
#include "out/out.h"

/**
 * pool_show - put all pools into @doc and print them
 * Without the module the hugetlb pools are there all the same, and a warning says
 * why the others are not. Returns the exit code.
 */
int pool_show(const struct out_opts *o, json_t *doc, struct hp_error *e);

/** pool_show_check - of --columns, before anything is read */
int pool_show_check(const struct out_opts *o, struct hp_error *e);

/** pool_page - "2 MiB", "1 GiB" */
const char *pool_page(unsigned int page_shift);

#endif
