/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer as JSON, and the columns that alloc, list, show and free share. */
#ifndef HPCTL_BUFFER_H
#define HPCTL_BUFFER_H

#include "lib/libhpbuf.h"
#include "out/out.h"

/**
 * buffer_info - one buffer by the device alone: netlink is in the host's network
 * namespace only, the node may be handed into a container
 * Returns 0 or a negative errno.
 */
int buffer_info(int dev, uint32_t id, struct hpbuf_nl_buf *buf);

/**
 * struct buffer_owner - the last owner looked up; zeroed at first
 * A thousand buffers of one user must not ask the user data base as often: it
 * may be at the other end of a network.
 */
struct buffer_owner {
	bool known;
	uint32_t uid;
	char name[64];		/* empty: the uid has none */
};

json_t *buffer_json(const struct hpbuf_nl_buf *buf, struct buffer_owner *owner);

/** Columns of list; the others come with --columns. */
extern const struct out_col buffer_cols[];

#endif
