/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_PARAM_H
#define HPBUF_PARAM_H

#include <linux/types.h>

/* Limits in bytes, as set or by default. */
u64 param_max_bytes(void);
u64 param_floor_bytes(void);

/* From here on, and no longer, writing a parameter changes the pools. */
void param_pools_begin(void);
void param_pools_end(void);

#endif
