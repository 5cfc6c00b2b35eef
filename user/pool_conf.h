/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pool as a file describes it, for "hpctl pool restore" at boot. Lines
 *
 *	pool PAGE NODES COUNT [MIN]
 *
 * PAGE is 2M or 1G, NODES a list as of --nodes, COUNT the pages that each of these
 * nodes is to have, MIN how many of them memory pressure leaves alone (0). Words
 * are separated by spaces or tabs; "#" begins a comment; empty lines are left out.
 */
#ifndef HPCTL_POOL_CONF_H
#define HPCTL_POOL_CONF_H

#include "error.h"
#include "pool_set.h"

#define POOL_CONF	"/etc/hpctl.conf"

/**
 * pool_conf_read - the steps that a file asks for, each with partial
 * @steps: array, to be freed by the caller; its labels are "FILE:LINE: "
 * @nr: how many; 0 when there is nothing in it
 *
 * HP_USAGE with the line's number for what cannot be meant, also twice the same
 * page and node: nothing of the file counts then. A node that is not there is no
 * such thing: it may be back at the next boot. HP_FAILED when it cannot be read.
 */
int pool_conf_read(const char *path, struct pool_step **steps, size_t *nr,
		   struct hp_error *e);

/** pool_parse_pages - a count of pages; 0 is one */
int pool_parse_pages(const char *text, uint64_t *count, struct hp_error *e);

#endif
