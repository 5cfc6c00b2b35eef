// SPDX-License-Identifier: GPL-2.0-or-later
#include "alloc_progress.h"

#include <linux/hpbuf_netlink.h>
#include <unistd.h>

void alloc_progress_begin(struct alloc_progress *p, const struct out_opts *o)
{
	p->o = o;
	p->nl = NULL;
	/* In another network namespace there is no family, and no progress. */
	if (o->quiet || o->json || !isatty(STDERR_FILENO) || hpbuf_nl_open(&p->nl))
		return;
	if (hpbuf_nl_subscribe(p->nl))
		alloc_progress_end(p);
}

void alloc_progress_end(struct alloc_progress *p)
{
	hpbuf_nl_close(p->nl);
	p->nl = NULL;
}

static void show(const struct alloc_progress *p, uint64_t done)
{
	char have[32], all[32];

	out_bytes(have, done);
	out_bytes(all, p->size);
	if (p->count > 1)
		out_progress(p->o, "%llu of %llu: %s of %s", (unsigned long long)p->number,
			     (unsigned long long)p->count, have, all);
	else
		out_progress(p->o, "%s of %s", have, all);
}

void alloc_progress_tick(void *arg)
{
	struct alloc_progress *p = arg;
	struct hpbuf_nl_event ev;

	/* A machine may have more events than this; the next tick reads on. */
	for (int i = 0; p->nl && i < 1000 && !hpbuf_nl_event(p->nl, 0, &ev); i++)
		if (ev.kind == HPBUF_EVENT_KIND_PROGRESS && ev.has_done &&
		    ev.size == p->size && ev.page_shift == p->page_shift)
			show(p, ev.done);
}
