/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HPCTL_ARRAY_H
#define HPCTL_ARRAY_H

/** Elements of a true array. */
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif
