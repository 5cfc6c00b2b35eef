/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HPBUF_IOC_ALLOC of a buffer that is to be used here, and that a signal can end. */
#ifndef HPCTL_HPBUF_ALLOC_H
#define HPCTL_HPBUF_ALLOC_H

#include <stdint.h>

#include "libhpbuf.h"

/**
 * hpbuf_alloc_stoppable - hpbuf_alloc() that returns soon after stop_pending()
 * @ns: set to the time of the ioctl alone
 * Returns 0 with a descriptor of this process in req->fd, or a negative errno;
 * -EINTR when it was stopped. Nothing is left behind then.
 */
int hpbuf_alloc_stoppable(int dev, struct hpbuf_alloc *req, uint64_t *ns);

#endif
