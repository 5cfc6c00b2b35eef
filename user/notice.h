/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of "hpctl monitor": as JSON, and as text made from that. */
#ifndef HPCTL_NOTICE_H
#define HPCTL_NOTICE_H

#include <jansson.h>
#include <stdio.h>

#include "lib/libhpbuf.h"

/** notice_event, notice_stall - {"type": "event", ...}, {"type": "stall", ...} */
json_t *notice_event(const struct hpbuf_nl_event *ev);
json_t *notice_stall(const struct hpbuf_nl_stall *st);

/** notice_lost - @count of @what are missing; 0: how many is not known yet */
json_t *notice_lost(enum hpbuf_nl_what what, uint64_t count);

/** notice_buffer - a buffer that there is, after a loss */
json_t *notice_buffer(const struct hpbuf_nl_buf *buf);

/** notice_sync - that was all of them, @buffers */
json_t *notice_sync(uint64_t buffers);

/** notice_text - one line without its newline */
void notice_text(FILE *f, const json_t *n);

#endif
