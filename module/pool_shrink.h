/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_POOL_SHRINK_H
#define HPBUF_POOL_SHRINK_H

/* Idle pages of the pools go back to the system under memory pressure. */
int shrink_init(void);
void shrink_exit(void);

#endif
