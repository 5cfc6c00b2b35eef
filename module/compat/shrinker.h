/* SPDX-License-Identifier: GPL-2.0 */
/* Shrinkers that ask each node by itself: how they are made and freed. */
#ifndef HPBUF_COMPAT_SHRINKER_H
#define HPBUF_COMPAT_SHRINKER_H

#include <linux/shrinker.h>
#include <linux/slab.h>

#include "probed.h"

typedef unsigned long compat_shrink_fn(struct shrinker *s, struct shrink_control *sc);

/* NULL when there is no memory for it. */
static inline struct shrinker *compat_shrinker_new(const char *name, compat_shrink_fn *count,
						   compat_shrink_fn *scan, long batch)
{
#ifdef HPBUF_HAVE_SHRINKER_ALLOC
	struct shrinker *s = shrinker_alloc(SHRINKER_NUMA_AWARE, "%s", name);
#else
	struct shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);
#endif

	if (!s)
		return NULL;
	s->count_objects = count;
	s->scan_objects = scan;
	s->seeks = DEFAULT_SEEKS;
	s->batch = batch;
#ifdef HPBUF_HAVE_SHRINKER_ALLOC
	shrinker_register(s);
#else
	s->flags = SHRINKER_NUMA_AWARE;
	if (register_shrinker(s, "%s", name)) {
		kfree(s);
		return NULL;
	}
#endif
	return s;
}

/* Nobody runs it any more when this returns. @s may be NULL. */
static inline void compat_shrinker_free(struct shrinker *s)
{
#ifdef HPBUF_HAVE_SHRINKER_ALLOC
	shrinker_free(s);
#else
	if (!s)
		return;
	unregister_shrinker(s);
	kfree(s);
#endif
}

#endif
