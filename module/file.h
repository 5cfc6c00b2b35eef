/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HPBUF_FILE_H
#define HPBUF_FILE_H

#include <linux/fs.h>

/* Operations of a buffer's descriptor; private_data is the struct buf. */
extern const struct file_operations file_fops;

#endif
