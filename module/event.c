// SPDX-License-Identifier: GPL-2.0
/* Events of the netlink family. They hold no names and no users. */
#include <linux/hpbuf_netlink.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <net/genetlink.h>

#include "buf.h"
#include "event.h"
#include "hist.h"
#include "netlink.h"

/* Orders numbering and sending; held for one message. */
static DEFINE_MUTEX(event_lock);
static u64 event_seq;

/* @id 0: no buffer was made. @err 0: it did not fail. @done: for progress. */
struct event {
	enum hpbuf_event_kind kind;
	u32 id;
	u32 shift;
	u64 size;
	u64 took_ns;
	u64 done;
	int err;
};

static enum hpbuf_cause event_cause(int err)
{
	switch (err) {
	case -EINVAL:
	case -EOVERFLOW:
		return HPBUF_CAUSE_INVALID;
	case -EOPNOTSUPP:
		return HPBUF_CAUSE_UNSUPPORTED;
	case -ENXIO:
		return HPBUF_CAUSE_NO_NODE;
	case -EEXIST:
		return HPBUF_CAUSE_NAME_TAKEN;
	case -ENOSPC:
		return HPBUF_CAUSE_CAP;
	case -EDQUOT:
		return HPBUF_CAUSE_MEMLOCK;
	case -ENOMEM:
		return HPBUF_CAUSE_NO_MEMORY;
	case -EBUSY:
		return HPBUF_CAUSE_FRAGMENTED;
	case -ETIMEDOUT:
		return HPBUF_CAUSE_TIMEOUT;
	case -EINTR:
		return HPBUF_CAUSE_KILLED;
	default:
		return HPBUF_CAUSE_OTHER;
	}
}

static int event_put(struct sk_buff *skb, const struct event *e)
{
	/* The number first, at a known place: it is filled in under the lock. */
	if (nla_put_u64_64bit(skb, HPBUF_A_EVENT_SEQ, 0, 0) ||
	    nla_put_u32(skb, HPBUF_A_EVENT_KIND, e->kind) ||
	    nla_put_u64_64bit(skb, HPBUF_A_EVENT_TIME_NS, ktime_get_boottime_ns(), 0) ||
	    nla_put_u64_64bit(skb, HPBUF_A_EVENT_SIZE, e->size, 0))
		return -EMSGSIZE;
	if (e->kind != HPBUF_EVENT_KIND_MEMORY_FAILURE &&
	    nla_put_u64_64bit(skb, HPBUF_A_EVENT_TOOK_NS, e->took_ns, 0))
		return -EMSGSIZE;
	/* A request that was refused may have held anything. */
	if ((e->shift == HPBUF_SHIFT_2M || e->shift == HPBUF_SHIFT_1G) &&
	    nla_put_u32(skb, HPBUF_A_EVENT_PAGE_SHIFT, e->shift))
		return -EMSGSIZE;
	if (e->id && nla_put_u32(skb, HPBUF_A_EVENT_ID, e->id))
		return -EMSGSIZE;
	if (e->kind == HPBUF_EVENT_KIND_PROGRESS &&
	    nla_put_u64_64bit(skb, HPBUF_A_EVENT_DONE, e->done, 0))
		return -EMSGSIZE;
	if (e->err && (nla_put_u32(skb, HPBUF_A_EVENT_CAUSE, event_cause(e->err)) ||
		       nla_put_u32(skb, HPBUF_A_EVENT_ERRNO, -e->err)))
		return -EMSGSIZE;
	return 0;
}

/* A message without its number, whose place is put into @seq; NULL: none. */
static struct sk_buff *event_build(const struct event *e, void **seq)
{
	struct sk_buff *skb;
	void *head;

	if (!genl_has_listeners(&netlink_family, &init_net, NETLINK_GROUP_EVENTS))
		return NULL;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return NULL;
	head = genlmsg_put(skb, 0, 0, &netlink_family, 0, HPBUF_CMD_EVENT_NTF);
	if (!head || event_put(skb, e)) {
		nlmsg_free(skb);
		return NULL;
	}
	*seq = nla_data(head);
	genlmsg_end(skb, head);
	return skb;
}

/*
 * One that cannot be sent still has its number, so that it is missed. No memory
 * is waited for under the lock: who gets no copy is told so by ENOBUFS.
 */
static void event_send(const struct event *e)
{
	struct sk_buff *skb;
	void *seq;

	skb = event_build(e, &seq);
	mutex_lock(&event_lock);
	event_seq++;
	if (skb) {
		memcpy(seq, &event_seq, sizeof(event_seq));
		genlmsg_multicast(&netlink_family, skb, 0, NETLINK_GROUP_EVENTS,
				  GFP_NOWAIT | __GFP_NOWARN);
	}
	mutex_unlock(&event_lock);
}

void event_alloc(const struct buf *b)
{
	const struct event e = {
		.kind = HPBUF_EVENT_KIND_ALLOC,
		.id = b->id,
		.shift = b->shift,
		.size = buf_size(b),
		.took_ns = b->alloc_ns,
	};

	event_send(&e);
}

void event_free(const struct buf *b)
{
	const struct event e = {
		.kind = HPBUF_EVENT_KIND_FREE,
		.id = b->id,
		.shift = b->shift,
		.size = buf_size(b),
		.took_ns = b->free_ns,
	};

	event_send(&e);
}

void event_failure(const struct buf *b, unsigned int pages)
{
	const struct event e = {
		.kind = HPBUF_EVENT_KIND_MEMORY_FAILURE,
		.id = b->id,
		.shift = b->shift,
		.size = (u64)pages << b->shift,
	};

	event_send(&e);
}

void event_fail(unsigned int shift, u64 bytes, u64 took_ns, int err)
{
	const struct event e = {
		.kind = HPBUF_EVENT_KIND_FAIL,
		.shift = shift,
		.size = bytes,
		.took_ns = took_ns,
		.err = err,
	};

	hist_failure(event_cause(err));
	event_send(&e);
}

void event_progress(u32 id, unsigned int shift, u64 size, u64 done, u64 took_ns)
{
	const struct event e = {
		.kind = HPBUF_EVENT_KIND_PROGRESS,
		.id = id,
		.shift = shift,
		.size = size,
		.done = done,
		.took_ns = took_ns,
	};

	event_send(&e);
}
