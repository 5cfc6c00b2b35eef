/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading. */
#ifndef HPBUF_STRESS_MODULE_H
#define HPBUF_STRESS_MODULE_H

#include <stdbool.h>

/* HPBUF_KO is set. */
bool module_can_load(void);

/* 0 or -errno. */
int module_load(const char *params);
int module_try_unload(void);

/* The same when nothing holds it: a last reference may be on its way. */
int module_unload(void);

/* -1: not loaded */
long module_refs(void);

#endif
