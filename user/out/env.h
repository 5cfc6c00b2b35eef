/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a result was made: the "env" of a document. */
#ifndef HPCTL_OUT_ENV_H
#define HPCTL_OUT_ENV_H

#include <jansson.h>

/** Everything that is known; what is not is null. Takes a few milliseconds. */
json_t *env_json(void);

#endif
