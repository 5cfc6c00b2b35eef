/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_DEV_H
#define HPBUF_DEV_H

int dev_init(void);
void dev_exit(void);

#endif
