/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_PARAM_H
#define HPBUF_PARAM_H

#include <linux/types.h>

/* Limits in bytes, as set or by default. */
u64 param_max_bytes(void);
u64 param_floor_bytes(void);

#endif
