// SPDX-License-Identifier: GPL-2.0
/*
 * Pools under memory pressure: their pages beyond the protected ones go back.
 *
 * The kernel is told of them in units of 4 KiB, with a page as the batch. So it comes
 * for a page when the pressure it has counted up is worth one, and not at the first
 * breath of it; in its last round before it kills somebody it comes for all.
 */
#include <linux/hpbuf.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "compat/shrinker.h"
#include "hist.h"
#include "pool.h"
#include "pool_fill.h"
#include "pool_shrink.h"

static struct shrinker *shrinkers[2];

static u64 idle_pages(struct pool *p)
{
	u64 held, spare;

	spin_lock(&p->lock);
	held = p->nr_ready + p->nr_dirty;
	spare = pool_all(p) > p->min ? pool_all(p) - p->min : 0;
	/*
	 * What is being filled is not emptied meanwhile, or both would have no end.
	 * That filling stops at floor_bytes, before anybody is in need.
	 */
	if (p->filling)
		spare = 0;
	spin_unlock(&p->lock);
	return min(held, spare);
}

static unsigned long shrink_count(unsigned int shift, int nid)
{
	struct pool *p = pool_of(shift, nid);
	u64 pages = p ? idle_pages(p) : 0;

	return pages ? pages << (shift - PAGE_SHIFT) : SHRINK_EMPTY;
}

static bool shrink_one(struct pool *p)
{
	u64 min, start = ktime_get_ns();

	spin_lock(&p->lock);
	min = p->min;
	spin_unlock(&p->lock);
	if (!pool_trim(p, 1, min))
		return false;
	spin_lock(&p->lock);
	p->shrunk++;
	spin_unlock(&p->lock);
	hist_own(HPBUF_STAT_SOURCE_SHRINK, p->shift, p->nid, ktime_get_ns() - start);
	return true;
}

static unsigned long shrink_scan(unsigned int shift, struct shrink_control *sc)
{
	struct pool *p = pool_of(shift, sc->nid);
	unsigned int order = shift - PAGE_SHIFT;
	unsigned long want = max(sc->nr_to_scan >> order, 1UL);
	unsigned long done = 0;

	/* One pool is not emptied to fill another. */
	if (!p || fill_is_current() || !idle_pages(p))
		return SHRINK_STOP;
	while (done < want && shrink_one(p))
		done++;
	if (!done)
		return SHRINK_STOP;
	fill_later(p);
	return done << order;
}

static unsigned long count_2m(struct shrinker *s, struct shrink_control *sc)
{
	return shrink_count(HPBUF_SHIFT_2M, sc->nid);
}

static unsigned long scan_2m(struct shrinker *s, struct shrink_control *sc)
{
	return shrink_scan(HPBUF_SHIFT_2M, sc);
}

static unsigned long count_1g(struct shrinker *s, struct shrink_control *sc)
{
	return shrink_count(HPBUF_SHIFT_1G, sc->nid);
}

static unsigned long scan_1g(struct shrinker *s, struct shrink_control *sc)
{
	return shrink_scan(HPBUF_SHIFT_1G, sc);
}

int shrink_init(void)
{
	shrinkers[0] = compat_shrinker_new("hpbuf-2m", count_2m, scan_2m,
					   1L << (HPBUF_SHIFT_2M - PAGE_SHIFT));
	shrinkers[1] = compat_shrinker_new("hpbuf-1g", count_1g, scan_1g,
					   1L << (HPBUF_SHIFT_1G - PAGE_SHIFT));
	if (shrinkers[0] && shrinkers[1])
		return 0;
	shrink_exit();
	return -ENOMEM;
}

void shrink_exit(void)
{
	compat_shrinker_free(shrinkers[0]);
	compat_shrinker_free(shrinkers[1]);
}
