/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_POOL_ZERO_H
#define HPBUF_POOL_ZERO_H

/* A thread for each node that zeroes the dirty pages of its pools. */
int pool_zero_init(void);
void pool_zero_exit(void);

/* There is something to do on @nid. Costs next to nothing. */
void pool_zero_wake(int nid);

#endif
