/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module as a command meets it: opened, or a message that says why not. */
#ifndef HPCTL_MODULE_H
#define HPCTL_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "lib/libhpbuf.h"
#include "out/out.h"

/**
 * module_open - open the device node
 * @path: node, NULL for the usual one
 * @caps: filled, also for a module of another UAPI
 * @fd: set to the descriptor
 */
int module_open(const char *path, struct hpbuf_caps *caps, int *fd, struct hp_error *e);

/** module_open_failed - describe what hpbuf_open_device() returned */
int module_open_failed(const char *path, int err, const struct hpbuf_caps *caps,
		       struct hp_error *e);

/** module_nl_open - open the netlink socket */
int module_nl_open(struct hpbuf_nl **nl, struct hp_error *e);

/** module_nl_failed - a netlink call returned @err; with the kernel's own words */
int module_nl_failed(const struct hpbuf_nl *nl, int err, const char *what,
		     struct hp_error *e);

/** module_version - of the loaded module; false: none is loaded */
bool module_version(char *buf, size_t size);

/** module_buffer - find a buffer by what was typed: digits are an id, else a name */
int module_buffer(struct hpbuf_nl *nl, const char *text, struct hpbuf_nl_buf *buf,
		  struct hp_error *e);

/** module_buffer_check - refuse what is neither an id nor a name; no module needed */
int module_buffer_check(const char *text, struct hp_error *e);

/** module_name_check - whether @name can be a buffer's */
int module_name_check(const char *name, struct hp_error *e);

/**
 * module_alloc_failed - what hpbuf_alloc() returned, with asked, got and limit
 * @path: the device, asked for the limits as they are now
 * @req: what was asked
 */
int module_alloc_failed(const char *path, const struct hpbuf_alloc *req, int err,
			struct hp_error *e);

/** module_alloc_nodes - warn what is free on each node that @req could use */
void module_alloc_nodes(json_t *doc, const struct hpbuf_alloc *req);

#endif
